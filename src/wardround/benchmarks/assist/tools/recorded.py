"""The desk of a session whose record is not at hand: recorded calls are answered, no others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wardround.benchmarks.assist.tasks import PREPARE, GoldCall
from wardround.benchmarks.assist.tools.arguments import Shapes
from wardround.benchmarks.assist.tools.desk import CarriedOut, Desk
from wardround.benchmarks.assist.tools.equality import same_call
from wardround.benchmarks.assist.tools.results import error


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of an agent."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedDesk:
    """Answers calls with the results that were recorded for the gold.

    Attributes:
        desk: a desk without a record, for the patient and the control tool.
        calls: the session's recorded calls.
    """

    desk: Desk
    calls: Sequence[GoldCall]

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
        result = recorded.observations["en"]
        self.desk.carried_out(CarriedOut(tool, arguments, result))
        return result
