"""Checks of items as they are stored beside a session, by language."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from wardround.benchmarks.assist.checks.answers import AnswerItem
from wardround.benchmarks.assist.checks.items import Statement
from wardround.benchmarks.assist.checks.orders import OrderItem
from wardround.benchmarks.assist.checks.score_items import ScoreItem
from wardround.benchmarks.assist.tasks import Language
from wardround.core.errors import UserError

ItemCheck: TypeAlias = Annotated[
    Statement | OrderItem | AnswerItem | ScoreItem, Field(discriminator="kind")
]
_CHECKS: TypeAdapter[dict[Language, ItemCheck]] = TypeAdapter(dict[Language, ItemCheck])


def read_check(content: Any, item: str) -> Mapping[Language, ItemCheck]:
    """A stored check by language; a language without one is missing.

    Raises:
        UserError: it has no known form.

    >>> read_check({"zh": {"kind": "answer", "test": "language", "language": "zh"}}, "x")["zh"].test
    'language'
    """
    try:
        return _CHECKS.validate_python(content)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise UserError(
            f"The item {item!r} has a stored check of no known form ({reason}); fix or remove it."
        ) from None


def stored_check(checks: Mapping[Language, ItemCheck]) -> dict[str, Any]:
    """A check as JSON data, without what has its default.

    >>> stored_check({"en": AnswerItem(test="sources")})
    {'en': {'kind': 'answer', 'test': 'sources'}}
    """
    return {
        language: {"kind": check.kind, **check.model_dump(mode="json", exclude_defaults=True)}
        for language, check in checks.items()
    }
