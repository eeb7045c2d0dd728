"""Typed checks of rubric items, as they are stored beside an item."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wardround.benchmarks.assist.checks.quantities import Bound
from wardround.core.errors import UserError
from wardround.core.verdict import State

_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)


@dataclass(frozen=True, slots=True)
class Finding:
    """The decision of a check, and its reason."""

    state: State
    reason: str = ""


class Term(BaseModel):
    """A clinical term by its kind and English name."""

    model_config = _CONFIG
    kind: Literal["test", "drug", "class", "score", "diagnosis", "service"]
    name: str


class Amount(BaseModel):
    """A number with its unit; a range if it has an end, a bound if it has a sign."""

    model_config = _CONFIG
    value: float
    unit: str = ""
    decimals: int = 0
    bound: Bound = ""
    high: float | None = None


class Value(BaseModel):
    """The answer gives an amount, of a term if there is one."""

    model_config = _CONFIG
    kind: Literal["value"] = "value"
    about: Term | None = None
    amount: Amount


class Level(BaseModel):
    """The answer gives a level or direction, such as high or rise."""

    model_config = _CONFIG
    kind: Literal["level"] = "level"
    about: Term | None = None
    senses: tuple[str, ...] = Field(min_length=1)


class Property(BaseModel):
    """The answer gives a route, frequency or status."""

    model_config = _CONFIG
    kind: Literal["property"] = "property"
    about: Term | None = None
    property: Literal["route", "frequency", "status", "priority", "category"]
    name: str


class Advice(BaseModel):
    """The answer wants something done, such as stopping a drug, or reports it."""

    model_config = _CONFIG
    kind: Literal["advice"] = "advice"
    about: Term
    action: str


class Mention(BaseModel):
    """The answer speaks of a term, and denies it or not."""

    model_config = _CONFIG
    kind: Literal["mention"] = "mention"
    term: Term
    negated: bool = False


class OnDay(BaseModel):
    """The answer gives a date."""

    model_config = _CONFIG
    kind: Literal["day"] = "day"
    year: int | None = None
    month: int | None = None
    day: int | None = None


class Wording(BaseModel):
    """The answer has these words in one place; missing words leave an item undecided."""

    model_config = _CONFIG
    kind: Literal["words"] = "words"
    words: tuple[str, ...] = Field(min_length=1)
    negated: bool = False


class Called(BaseModel):
    """A tool was called, with these arguments among others."""

    model_config = _CONFIG
    kind: Literal["called"] = "called"
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Order(BaseModel):
    """An order was written by a tool."""

    model_config = _CONFIG
    kind: Literal["order"] = "order"
    tool: str


class OrderField(BaseModel):
    """A field of the order has one of these values, or lies in one of these amounts."""

    model_config = _CONFIG
    kind: Literal["field"] = "field"
    field: str
    values: tuple[str, ...] = ()
    amounts: tuple[Amount, ...] = ()


class FieldText(BaseModel):
    """A field of free text of the order says what a check of answers says."""

    model_config = _CONFIG
    kind: Literal["field_text"] = "field_text"
    field: str
    check: "LeafCheck"


class OnlyOrder(BaseModel):
    """Nothing was written besides what the gold writes."""

    model_config = _CONFIG
    kind: Literal["only_order"] = "only_order"


class GoldOrder(BaseModel):
    """The state that was written is the gold's, so each item about it holds."""

    model_config = _CONFIG
    kind: Literal["gold_order"] = "gold_order"


class Accounted(BaseModel):
    """Every number of the answer has a source."""

    model_config = _CONFIG
    kind: Literal["accounted"] = "accounted"


class NoFuture(BaseModel):
    """The answer uses nothing later than the session's clock."""

    model_config = _CONFIG
    kind: Literal["no_future"] = "no_future"


class InLanguage(BaseModel):
    """The answer is written in a language."""

    model_config = _CONFIG
    kind: Literal["language"] = "language"
    language: Literal["en", "zh"]


class Not(BaseModel):
    """A check does not hold."""

    model_config = _CONFIG
    kind: Literal["not"] = "not"
    check: "LeafCheck"


class AllOf(BaseModel):
    """All of several checks hold."""

    model_config = _CONFIG
    kind: Literal["all_of"] = "all_of"
    checks: tuple["LeafCheck", ...] = Field(min_length=1)


class AnyOf(BaseModel):
    """At least one of several checks holds."""

    model_config = _CONFIG
    kind: Literal["any_of"] = "any_of"
    checks: tuple["LeafCheck", ...] = Field(min_length=1)


Statement: TypeAlias = Value | Level | Property | Advice | Mention | OnDay | Wording
LeafCheck: TypeAlias = Annotated[
    Statement
    | Called
    | Order
    | OrderField
    | FieldText
    | OnlyOrder
    | GoldOrder
    | Accounted
    | NoFuture
    | InLanguage
    | Not
    | AllOf
    | AnyOf,
    Field(discriminator="kind"),
]


class ItemCheck(BaseModel):
    """The check of an item in each language; None where its sentence has no check."""

    model_config = _CONFIG
    en: LeafCheck | None = None
    zh: LeafCheck | None = None


for _model in (FieldText, Not, AllOf, AnyOf, ItemCheck):
    _model.model_rebuild()
_CHECKS: TypeAdapter[ItemCheck] = TypeAdapter(ItemCheck)


def read_check(content: Any, where: str) -> ItemCheck:
    """A stored check.

    Raises:
        UserError: it has no known form.

    >>> read_check({"en": {"kind": "language", "language": "en"}}, "session 1").en
    InLanguage(kind='language', language='en')
    """
    try:
        return _CHECKS.validate_python(content)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise UserError(f"{where} holds a check of no known form ({reason}); fix it.") from None


def stored_check(check: ItemCheck) -> dict[str, Any]:
    """A check as JSON data.

    >>> stored_check(ItemCheck(en=NoFuture()))
    {'en': {'kind': 'no_future'}}
    """
    return _CHECKS.dump_python(check, mode="json", exclude_none=True)  # type: ignore[no-any-return]
