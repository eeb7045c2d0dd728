"""Decides the rubric items of a turn without a model."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

from wardround.benchmarks.assist.checks.answers import AnswerItem, compile_answer, decide_answer
from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.facts.decisions import decide_fact
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.checks.items import Statement, compile_statement
from wardround.benchmarks.assist.checks.orders import (
    OrderItem,
    Written,
    compile_order,
    decide_order,
)
from wardround.benchmarks.assist.checks.score_findings import decide_score
from wardround.benchmarks.assist.checks.score_items import ScoreItem, compile_score
from wardround.benchmarks.assist.checks.sentences import normal, too_long
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.sessions import GoldTurn, Language
from wardround.benchmarks.kit.checks import Finding
from wardround.core.errors import UserError
from wardround.core.verdict import State

ItemCheck: TypeAlias = Annotated[
    Statement | OrderItem | AnswerItem | ScoreItem | FactItem, Field(discriminator="kind")
]
_CHECKS: TypeAdapter[dict[Language, ItemCheck]] = TypeAdapter(dict[Language, ItemCheck])
NO_EVIDENCE = Evidence()
OPEN = "no program decides it"


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
    """A check as JSON, without fields at their defaults.

    >>> stored_check({"en": AnswerItem(test="sources")})
    {'en': {'kind': 'answer', 'test': 'sources'}}
    """
    return {language: check.stored() for language, check in checks.items()}


def decide_items(
    gold: GoldTurn,
    language: Language,
    answer: str,
    written: Sequence[Written],
    evidence: Evidence = NO_EVIDENCE,
) -> Iterator[Finding]:
    """The findings on a turn's items, in order.

    Args:
        gold: the turn's gold, with its rubric.
        language: the language of the session.
        answer: the assistant's answer.
        written: the writes that were carried out in the turn.
        evidence: everything that the answer can rest on.
    """
    answer = normal(answer)
    items = enumerate(gold.rubric[language])
    checks = [check_of(gold, number, item, language) for number, item in items]
    findings = [_decided(check, language, answer, written, evidence) for check in checks]
    decided = list(zip(checks, findings, strict=True))
    for check, finding in decided:
        yield _beside(_earning(check, decided), finding) if _is_earned(check) else finding


def _decided(
    check: ItemCheck | None,
    language: Language,
    answer: str,
    written: Sequence[Written],
    evidence: Evidence,
) -> Finding:
    unread = too_long(answer)
    match check:
        case None:
            return Finding("undecided", OPEN)
        case AnswerItem() | ScoreItem() | Statement() | FactItem() if unread:
            return Finding("undecided", f"{unread}, which no program reads")
        case AnswerItem():
            return decide_answer(check, answer, evidence)
        case ScoreItem():
            return decide_score(check, answer, evidence)
        case FactItem():
            return decide_fact(check, answer, language)
        case OrderItem():
            return decide_order(check, written)
        case Statement():
            return decide_statement(check, answer, language)


def _is_earned(check: ItemCheck | None) -> bool:
    return isinstance(check, FactItem | OrderItem) and check.earned


def _earning(
    check: ItemCheck | None, decided: Iterable[tuple[ItemCheck | None, Finding]]
) -> set[State]:
    """The verdicts on the items beside which an item counts.

    That nothing else is ordered counts beside the items about what is ordered, where there are any.
    """
    others = [(each, finding.state) for each, finding in decided if not _is_earned(each)]
    ordered = {s for c, s in others if isinstance(c, OrderItem) and c.test == "subject"}
    is_single = isinstance(check, OrderItem) and check.test == "single"
    return ordered if is_single and ordered else {state for _, state in others}


def _beside(others: Collection[str], finding: Finding) -> Finding:
    """The finding on an item that counts only beside an answer to the question."""
    if finding.state != "passed" or "passed" in others:
        return finding
    if "undecided" in others:
        return Finding("undecided", "it may be that nothing of the question is answered")
    return Finding("failed", "nothing of the question is answered")


def check_of(gold: GoldTurn, number: int, item: str, language: Language) -> ItemCheck | None:
    """The check of an item: the stored one, else that of its sentence.

    Raises:
        UserError: a stored check has no known form.
    """
    stored = gold.checks[number] if number < len(gold.checks) else None
    if stored is not None and language in (checks := read_check(stored, item)):
        return checks[language]
    if gold.writes:
        return compile_item(item, language, writes=True)
    about = compile_answer(item, gold) or compile_score(item, language, gold)
    return about or compile_item(item, language, writes=False)


@cache
def compile_item(text: str, language: Language, *, writes: bool) -> Statement | OrderItem | None:
    """The check of an item; items of write turns are about what is written (published rule)."""
    return compile_order(text, language) if writes else compile_statement(text, language)
