"""Decides the rubric items of a turn without a model."""

from collections.abc import Iterator, Sequence
from functools import cache

from wardround.benchmarks.assist.checks.answers import compile_answer, decide_answer
from wardround.benchmarks.assist.checks.items import Statement, compile_statement
from wardround.benchmarks.assist.checks.model import Finding
from wardround.benchmarks.assist.checks.orders import (
    OrderItem,
    Written,
    compile_order,
    decide_order,
)
from wardround.benchmarks.assist.checks.sources import Evidence
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.tasks import GoldTurn, Language

NO_EVIDENCE = Evidence()
OPEN = "no program decides it"


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
    for item in gold.rubric[language]:
        about = None if gold.writes else compile_answer(item, gold)
        if about is not None:
            yield decide_answer(about, answer, evidence)
            continue
        check = compile_item(item, language, writes=gold.writes)
        match check:
            case None:
                yield Finding("undecided", OPEN)
            case OrderItem():
                yield decide_order(check, written)
            case Statement():
                yield decide_statement(check, answer, language)


@cache
def compile_item(text: str, language: Language, *, writes: bool) -> Statement | OrderItem | None:
    """The check of an item; items of write turns are about what is written (published rule)."""
    return compile_order(text, language) if writes else compile_statement(text, language)
