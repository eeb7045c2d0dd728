"""Decides a check by an answer and the evidence of its turn."""

from collections.abc import Mapping, Sequence
from typing import Any

from wardround.benchmarks.assist.checks.accounting import future_days, unaccounted
from wardround.benchmarks.assist.checks.answer_language import language_of
from wardround.benchmarks.assist.checks.evidence import TurnEvidence
from wardround.benchmarks.assist.checks.model import (
    Accounted,
    AllOf,
    AnyOf,
    Called,
    FieldText,
    Finding,
    GoldOrder,
    InLanguage,
    ItemCheck,
    LeafCheck,
    NoFuture,
    Not,
    OnlyOrder,
    Order,
    OrderField,
)
from wardround.benchmarks.assist.checks.orders import decide_order, fields_of, same_term
from wardround.benchmarks.assist.checks.reading import read
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.tasks import Language
from wardround.core.verdict import State
from wardround.ehr.terms.chinese import TermKind

_OPPOSITE: dict[State, State] = {"passed": "failed", "failed": "passed", "undecided": "undecided"}
_TERMS: tuple[TermKind | None, ...] = ("drug", "test", None)
_NONE = Finding("undecided", "no program decides this sentence")


def decide(check: ItemCheck, answer: str, language: Language, evidence: TurnEvidence) -> Finding:
    """Decides an item.

    Args:
        check: the item's check.
        answer: the assistant's answer.
        language: the session's language.
        evidence: what the turn's answer and writes can be compared with.
    """
    leaf = check.zh if language == "zh" else check.en
    return _NONE if leaf is None else decide_leaf(leaf, answer, evidence)


def decide_leaf(check: LeafCheck, answer: str, evidence: TurnEvidence) -> Finding:
    """Decides one check."""
    match check:
        case Not():
            return _not(decide_leaf(check.check, answer, evidence))
        case AllOf():
            return _all([decide_leaf(part, answer, evidence) for part in check.checks])
        case AnyOf():
            return _any([decide_leaf(part, answer, evidence) for part in check.checks])
        case FieldText():
            return _field_text(check, evidence)
        case Order() | OrderField() | OnlyOrder() | GoldOrder():
            return decide_order(check, evidence)
        case Called():
            return _called(check, evidence)
        case Accounted():
            return _accounted(answer, evidence)
        case NoFuture():
            late = future_days(answer, evidence.clock)
            return Finding("failed", f"{late[0]} is later than the session") if late else _PASSED
        case InLanguage():
            return _in_language(check, answer)
        case _:
            if not answer.strip():
                return Finding("failed", "there is no answer")
            return decide_statement(check, read(answer, evidence.topic))


_PASSED = Finding("passed")


def _not(found: Finding) -> Finding:
    if found.state == "failed":
        return _PASSED
    reason = "the answer does what it must not" if found.state == "passed" else found.reason
    return Finding(_OPPOSITE[found.state], reason)


def _all(found: Sequence[Finding]) -> Finding:
    for state in ("failed", "undecided"):
        for each in found:
            if each.state == state:
                return each
    return _PASSED


def _any(found: Sequence[Finding]) -> Finding:
    for state in ("passed", "undecided"):
        for each in found:
            if each.state == state:
                return each
    return found[0]


def _field_text(check: FieldText, evidence: TurnEvidence) -> Finding:
    """Decides what a field of free text says; the gold's own text fulfils the item."""
    written = [fields_of(resource) for resource in evidence.written]
    texts = [order[check.field] for order in written if check.field in order]
    if not texts:
        return Finding("failed", f"the order has no {check.field}")
    if decide_order(GoldOrder(), evidence).state == "passed":
        return _PASSED
    return _any([decide_leaf(check.check, text, evidence) for text in texts])


def _called(check: Called, evidence: TurnEvidence) -> Finding:
    calls = [call for call in (*evidence.calls, *evidence.earlier) if call.tool == check.tool]
    if not calls:
        return Finding("failed", f"{check.tool} was not called")
    if any(_has(call.arguments, check.arguments) for call in calls):
        return _PASSED
    return Finding("failed", f"{check.tool} was called with other arguments")


def _has(arguments: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(
        name in arguments
        and any(same_term(str(value), str(arguments[name]), kind) for kind in _TERMS)
        for name, value in wanted.items()
    )


def _accounted(answer: str, evidence: TurnEvidence) -> Finding:
    unknown = unaccounted(answer, evidence)
    if not unknown:
        return _PASSED
    shown = ", ".join(f"{quantity.value:g} {quantity.unit}".strip() for quantity in unknown)
    return Finding("failed", f"the evidence has no {shown}")


def _in_language(check: InLanguage, answer: str) -> Finding:
    found = language_of(answer)
    if found is None:
        return Finding("undecided", "the answer has no words that tell its language")
    return _PASSED if found == check.language else Finding("failed", f"the answer is in {found}")
