"""Recorded results of gold calls, for calls of the same tool with arguments that mean the same."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wardround.benchmarks.assist.sessions import PREPARE, WRITES, GoldCall, Language
from wardround.benchmarks.assist.tools.arguments import ArgumentError, Shapes, read_arguments
from wardround.benchmarks.assist.tools.catalogue import (
    ADMISSION,
    SESSION,
    SUBJECT,
    ParameterKind,
    catalogue,
)
from wardround.benchmarks.assist.tools.desk import CarriedOut, Desk
from wardround.benchmarks.assist.tools.observations import MOST_OBSERVATIONS
from wardround.benchmarks.assist.tools.orders import amount
from wardround.benchmarks.assist.tools.results import error, is_error
from wardround.ehr.terms.chinese import TermKind, english, plain

# Ids are known to everybody, and the number of results does not change what is asked.
_SKIPPED = (SUBJECT, ADMISSION, SESSION, "_count")
_TERMS: Mapping[ParameterKind, TermKind] = {
    "drug": "drug", "test": "test", "diagnosis": "diagnosis", "route": "route",
    "frequency": "frequency", "service": "service", "status": "status", "category": "category",
    "priority": "priority",
}  # fmt: skip
# Arguments that say what holds anyway.
_DEFAULTS = (("_count", MOST_OBSERVATIONS),)
# Milligrams, and equal units, by unit.
_MASSES = {"g": 1_000.0, "mg": 1.0, "mcg": 0.001}
_SHORT = 10
_EDIT_RATIO, _ROUGE = 0.8, 0.7
_TOKEN = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")


class SomeCall(Protocol):
    """A call: a gold one or one of an agent."""

    @property
    def tool(self) -> str:
        """The tool's name."""
        ...

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments as given."""
        ...


def same_call(call: SomeCall, other: SomeCall) -> bool:
    """True if two calls are of the same tool with arguments that mean the same."""
    return call.tool == other.tool and not differing_arguments(
        call.tool, call.arguments, other.arguments
    )


def repeats(call: SomeCall, other: SomeCall) -> bool:
    """True if two calls are of the same tool and ask for the same: ids and limits count too.

    Spellings of parameters' names, placeholders, defaults and case make no difference.
    """
    return call.tool == other.tool and _asked(call) == _asked(other)


def _asked(call: SomeCall) -> Mapping[str, Any]:
    """The arguments of a call as its tool reads them, in lower case."""
    described = catalogue().get(call.tool)
    try:
        given = read_arguments(described, call.arguments).values if described else call.arguments
    except ArgumentError:
        return call.arguments
    return {
        name: value.casefold() if isinstance(value, str) else value
        for name, value in given.items()
        if (name, value) not in _DEFAULTS
    }


def differing_arguments(
    tool: str, arguments: Mapping[str, Any], others: Mapping[str, Any]
) -> list[str]:
    """The names of arguments that mean different things; one that only one call has is one.

    Ids, the number of results and questions to the patient are not compared. Drugs, tests, routes,
    frequencies and services are compared as terms of either language, doses as amounts, dates by
    day, short texts by edit ratio and long ones by common words, as published.
    """
    described = catalogue().get(tool)
    if described is None:
        return [] if arguments == others else ["tool"]
    try:
        left = read_arguments(described, {SUBJECT: 1, **arguments}).values
        right = read_arguments(described, {SUBJECT: 1, **others}).values
    except ArgumentError:
        return [] if arguments == others else ["arguments"]
    return [
        name
        for name, parameter in described.parameters.items()
        if name not in _SKIPPED
        and parameter.kind != "question"
        and not same_value(parameter.kind, left.get(name), right.get(name))
    ]


def same_value(kind: ParameterKind, value: Any, other: Any) -> bool:
    """True if two values of an argument mean the same.

    >>> same_value("frequency", "BID", "每日两次"), same_value("dose", "0.5 g", "500mg")
    (True, True)
    >>> same_value("drug", "Lasix", "furosemide"), same_value("drug", "Lasix", "warfarin")
    (True, False)
    """
    if value is None or other is None:
        return value is other
    if kind == "dose":
        return _same_dose(value, other)
    if kind == "instant":
        return bool(value[:10] == other[:10])
    if kind in _TERMS:
        return _term(_TERMS[kind], value) == _term(_TERMS[kind], other)
    return value == other or (isinstance(value, str) and _similar(plain(value), plain(other)))


def _term(kind: TermKind, text: str) -> str:
    return english(text, kind) or " ".join(plain(text).split())


def _same_dose(dose: str, other: str) -> bool:
    left, right = amount(dose), amount(other)
    if left is None or right is None:
        return " ".join(plain(dose).split()) == " ".join(plain(other).split())
    (number, unit), (other_number, other_unit) = left, right
    factor, other_factor = _MASSES.get(unit, 1.0), _MASSES.get(other_unit, 1.0)
    is_comparable = unit == other_unit or {unit, other_unit} <= _MASSES.keys()
    return is_comparable and abs(number * factor - other_number * other_factor) < 1e-9


def _similar(text: str, other: str) -> bool:
    from rapidfuzz.distance import Indel, LCSseq

    if min(len(text), len(other)) < _SHORT:
        return bool(Indel.normalized_similarity(text, other) >= _EDIT_RATIO)
    words, others = _TOKEN.findall(text), _TOKEN.findall(other)
    common = LCSseq.similarity(words, others)
    return bool(words and others and 2 * common / (len(words) + len(others)) >= _ROUGE)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of an agent."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(slots=True)
class RecordedReads:
    """A desk on the record that returns the recorded results of gold reads.

    Attributes:
        desk: the desk on the record.
        calls: the session's gold calls.
        language: the language of the session.
    """

    desk: Desk
    calls: Sequence[GoldCall]
    language: Language
    _written: set[str] = field(default_factory=set)

    @property
    def shapes(self) -> Shapes:
        """The form of the results."""
        return self.desk.shapes

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The recorded result of a gold read, until the session writes such a resource itself."""
        asked = _Call(name.replace("__", "."), arguments)
        kind = asked.tool.partition(".")[0]
        if kind not in self._written and (gold := self._gold(asked)):
            return gold.observations[self.language]
        result = await self.desk.call(name, arguments)
        if asked.tool in WRITES and not is_error(result):
            self._written.add(kind)
        return result

    def _gold(self, asked: _Call) -> GoldCall | None:
        """The gold read that a call repeats."""
        return next((each for each in self.calls if each.reads and repeats(each, asked)), None)


@dataclass(frozen=True, slots=True)
class RecordedDesk:
    """Answers calls with the results that were recorded for the gold, as there is no record.

    Attributes:
        desk: a desk without a record, for the patient and the control tool.
        calls: the session's recorded calls.
        language: the language of the session.
    """

    desk: Desk
    calls: Sequence[GoldCall]
    language: Language

    @property
    def shapes(self) -> Shapes:
        """The form of the results."""
        return self.desk.shapes

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The recorded result of a call that means the same, or an error that there is none."""
        tool = name.replace("__", ".")
        if tool == PREPARE or tool.startswith("patient."):
            return await self.desk.call(name, arguments)
        asked = _Call(tool, arguments)
        recorded = next((each for each in self.calls if same_call(each, asked)), None)
        if recorded is None:
            return error(
                f"{tool}: this session's record is missing here; only recorded calls are answered."
            )
        result = recorded.observations[self.language]
        self.desk.carried_out(CarriedOut(tool, arguments, result))
        return result
