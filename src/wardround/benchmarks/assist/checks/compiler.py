"""Compiles rubric items into checks, each once."""

import re
from functools import lru_cache

from wardround.benchmarks.assist.checks.model import Called, ItemCheck, LeafCheck, read_check
from wardround.benchmarks.assist.checks.order_grammar import order_check
from wardround.benchmarks.assist.checks.orders import gold_fields
from wardround.benchmarks.assist.checks.reading import read
from wardround.benchmarks.assist.checks.statement_grammar import statement_check
from wardround.benchmarks.assist.tasks import GoldCall, GoldTurn

_ITEMS = 8192  # cached items
_TOOL = re.compile(r"\b(?:[A-Z][A-Za-z]+\.(?:search|read)|patient\.get_\w+)")
_ARGUMENTS = ("code", "medication", "drug", "category", "report_type", "type_code")


def turn_checks(turn: GoldTurn, where: str) -> tuple[ItemCheck, ...]:
    """The checks of a turn's items, stored ones first.

    Args:
        turn: the turn.
        where: the turn's name, for errors.

    Raises:
        UserError: a stored check has no known form.
    """
    english, chinese = turn.rubric["en"], turn.rubric["zh"]
    stored = (*turn.checks, *[None] * len(english))
    return tuple(
        read_check(check, f"{where}, item {number}") if check else compile_item(en, zh, turn)
        for number, (en, zh, check) in enumerate(zip(english, chinese, stored, strict=False))
    )


def compile_item(item_en: str, item_zh: str, turn: GoldTurn) -> ItemCheck:
    """The check of an item in each language; None where the grammar has none for its sentence."""
    return ItemCheck(en=_compiled(item_en, turn), zh=_compiled(item_zh, turn))


def _compiled(item: str, turn: GoldTurn) -> LeafCheck | None:
    if turn.writes:
        writes = [call for call in turn.calls if call.writes]
        return order_check(item, gold_fields(writes[-1])) if writes else None
    called = _call_check(item, turn)
    return called or _statement(item)


@lru_cache(_ITEMS)
def _statement(item: str) -> LeafCheck | None:
    return statement_check(item)


def _call_check(item: str, turn: GoldTurn) -> Called | None:
    """The check of an item about a call: it names a tool, or says that something is looked up."""
    named = _TOOL.search(item)
    if named:
        calls = [call for call in turn.calls if call.tool == named.group()]
        return Called(tool=named.group(), arguments=_wanted(item, calls[0]) if calls else {})
    reading = read(item)
    if not reading.named("lookup") or reading.of("quantity", "level"):
        return None
    calls = [call for call in turn.calls if _wanted(item, call)]
    return Called(tool=calls[0].tool, arguments=_wanted(item, calls[0])) if calls else None


def _wanted(item: str, call: GoldCall) -> dict[str, str]:
    """The arguments of a call that an item names."""
    names = {name for mark in read(item).marks for name in mark.names}
    given = {n: str(call.arguments[n]) for n in _ARGUMENTS if n in call.arguments}
    return {
        name: value
        for name, value in given.items()
        if names & {each for mark in read(value).marks for each in mark.names}
    }
