"""The desk of a session: gold reads that are made again return their recorded results.

The published tools hide the last day of the clock from searches without an end, although golds were
recorded with it; so the recorded result counts in every grading. Where the patient is not in the
record, recorded calls are answered and no others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wardround.benchmarks.assist.tasks import PREPARE, WRITES, GoldCall, Language
from wardround.benchmarks.assist.tools.arguments import Shapes
from wardround.benchmarks.assist.tools.desk import CarriedOut, Desk
from wardround.benchmarks.assist.tools.equality import repeats, same_call
from wardround.benchmarks.assist.tools.results import error, is_error


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
