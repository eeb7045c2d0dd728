"""Typed checks of rubric leaves, as they are stored beside an item."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wardround.benchmarks.clinsql.checks.results_checks import ResultsCheck
from wardround.benchmarks.clinsql.checks.sql_checks import SqlCheck
from wardround.core.errors import UserError
from wardround.core.verdict import State

_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)


@dataclass(frozen=True, slots=True)
class Finding:
    """The decision of a check, and its reason."""

    state: State
    reason: str = ""


class AllOf(BaseModel):
    """All of several checks hold."""

    model_config = _CONFIG
    kind: Literal["all_of"] = "all_of"
    checks: tuple["LeafCheck", ...] = Field(min_length=2)


LeafCheck: TypeAlias = Annotated[ResultsCheck | SqlCheck | AllOf, Field(discriminator="kind")]
AllOf.model_rebuild()
_CHECKS: TypeAdapter[LeafCheck] = TypeAdapter(LeafCheck)


def read_check(content: Any, where: str) -> LeafCheck:
    """A stored check.

    Raises:
        UserError: It has no known form.

    >>> read_check({"kind": "sex", "value": "F"}, "item.json")
    Sex(kind='sex', value='F')
    """
    try:
        return _CHECKS.validate_python(content)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise UserError(f"{where} holds a check of no known form ({reason}); fix it.") from None


def stored_check(check: LeafCheck) -> dict[str, Any]:
    """A check as JSON data, without what has its default.

    >>> from wardround.benchmarks.clinsql.checks.results_checks import Column, InRange
    >>> stored_check(InRange(column=Column(names=("n",)), low=1, high=9))
    {'kind': 'in_range', 'column': {'names': ['n']}, 'low': 1.0, 'high': 9.0}
    """
    if isinstance(check, AllOf):
        return {"kind": check.kind, "checks": [stored_check(part) for part in check.checks]}
    return {"kind": check.kind, **check.model_dump(mode="json", exclude_defaults=True)}
