"""Decides the rubric items of a turn without a model."""

from collections.abc import Iterator, Sequence
from functools import cache

from wardround.benchmarks.assist.checks.items import Statement, compile_statement
from wardround.benchmarks.assist.checks.model import Finding
from wardround.benchmarks.assist.checks.orders import (
    OrderItem,
    Written,
    compile_order,
    decide_order,
)
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.tasks import GoldTurn, Language

OPEN = "no program decides it"


def decide_items(
    gold: GoldTurn, language: Language, answer: str, written: Sequence[Written]
) -> Iterator[Finding]:
    """The findings on a turn's items, in order.

    Args:
        gold: the turn's gold, with its rubric.
        language: the language of the session.
        answer: the assistant's answer.
        written: the writes that were carried out in the turn.
    """
    for item in gold.rubric[language]:
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
    return compile_order(text) if writes else compile_statement(text, language)
