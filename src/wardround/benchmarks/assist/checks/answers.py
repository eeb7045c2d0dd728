"""Rubric items about a whole answer or its calls: language, sources, times, tools."""

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.lexicon import cue
from wardround.benchmarks.assist.checks.sources import later_dates, without_source
from wardround.benchmarks.assist.sessions import GoldTurn, Language
from wardround.benchmarks.kit.checks import Check, Finding
from wardround.ehr.terms.chinese import TermKind, english, plain
from wardround.ehr.text.language import language_of
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import quantities

_LANGUAGES: Mapping[Language, str] = {"en": "in English", "zh": "in Chinese"}  # rows of cues
_TOOL = re.compile(r"\b(?:[A-Z][A-Za-z]+\.(?:search|read)|patient\.get_\w+)")
_NAMED: dict[str, TermKind] = {"code": "test", "medication": "drug", "drug": "drug"}
_PASSED = Finding("passed")


class AnswerItem(Check):
    """An item about an answer as a whole, or about a call.

    Attributes:
        test: it is in a language, has a source for each number, uses nothing later than the
            session, or a tool is called.
        language: the language.
        tool: the tool.
        arguments: arguments that the call has among others, by their English names.
    """

    kind: Literal["answer"] = "answer"
    test: Literal["language", "sources", "times", "call"]
    language: Language = "en"
    tool: str = ""
    arguments: dict[str, str] = Field({})


def compile_answer(text: str, gold: GoldTurn) -> AnswerItem | None:
    """The check of an item about a whole answer or a call; None for any other item."""
    if languages := _languages(text):
        return AnswerItem(test="language", language=languages[0])
    if quantities(text):
        return None
    if cue("invents").search(text) and not mentions(text, "drug"):
        return AnswerItem(test="sources")
    if cue("later than the session").search(text):
        return AnswerItem(test="times")
    return _call(text, gold)


def _languages(text: str) -> list[Language]:
    """The languages that an item asks for, in order."""
    matches = ((language, cue(name).search(text)) for language, name in _LANGUAGES.items())
    starts = {language: match.start() for language, match in matches if match}
    return sorted(starts, key=starts.__getitem__)


def _call(text: str, gold: GoldTurn) -> AnswerItem | None:
    named = _TOOL.search(text)
    if named is None and not cue("looks up").search(text):
        return None
    for call in gold.calls:
        given = {n: str(v) for n, v in call.arguments.items() if n in _NAMED}
        wanted = {n: v for n, v in given.items() if _names(text, v, _NAMED[n])}
        if call.tool == named[0] if named else wanted:
            return AnswerItem(test="call", tool=call.tool, arguments=wanted)
    return AnswerItem(test="call", tool=named[0]) if named else None


def _names(text: str, value: str, kind: TermKind) -> bool:
    wanted = english(value, kind)
    return any(mention.name == wanted for mention in mentions(text, kind))


def decide_answer(item: AnswerItem, answer: str, evidence: Evidence) -> Finding:
    """Decides an item about a whole answer or a call.

    >>> decide_answer(AnswerItem(test="language", language="zh"), "INR 2.5, high", Evidence())
    Finding(state='failed', reason='the answer is in en')
    """
    match item.test:
        case "language":
            language = language_of(answer)
            if language is None:
                return Finding("undecided", "the answer has no words")
            wrong = Finding("failed", f"the answer is in {language}")
            return _PASSED if language == item.language else wrong
        case "sources":
            unknown = without_source(answer, evidence)
            shown = ", ".join(unknown)
            return Finding("failed", f"no source has {shown}") if unknown else _PASSED
        case "times":
            late = later_dates(answer, evidence)
            return Finding("failed", f"{late[0]} is later than the session") if late else _PASSED
        case "call":
            return _decide_call(item, evidence)


def _decide_call(item: AnswerItem, evidence: Evidence) -> Finding:
    calls = [call for call in evidence.calls if call.tool == item.tool]
    if not calls:
        return Finding("failed", f"{item.tool} was not called")
    for call in calls:
        given = {name: str(call.arguments.get(name, "")) for name in item.arguments}
        if all(_same(given[n], v, _NAMED[n]) for n, v in item.arguments.items()):
            return _PASSED
    return Finding("failed", f"{item.tool} was called with other arguments")


def _same(value: str, other: str, kind: TermKind) -> bool:
    return (english(value, kind) or plain(value)) == (english(other, kind) or plain(other))
