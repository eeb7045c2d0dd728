"""The tools of a trial for a person who calls them and says nothing."""

import logging
from dataclasses import dataclass

from wardround.assistant.consultation import UngradedTrial
from wardround.assistant.users import UnavailableError
from wardround.core.actions import Call
from wardround.core.cancellation import cancelling_threads
from wardround.core.capabilities import Consultable
from wardround.core.limits import MOST, Limits
from wardround.core.session import AttemptFaultError, TrialSession
from wardround.core.task import Task
from wardround.core.tools import ToolSpec, is_error
from wardround.core.trajectory import Event

log = logging.getLogger(__name__)

CLOSED = "The record could not be read; try again."
_OPEN_SECONDS = 24 * 3600.0
_TOO_LARGE = "The call is too large or too deeply nested; send less."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call.

    Attributes:
        text: the result, or why there is none.
        is_error: True if there is none.
        is_last: True if the session takes no further call.
    """

    text: str
    is_error: bool = False
    is_last: bool = False


class RecordSession:
    """Carries out calls, one after another, with the limits of a trial on statements and rows.

    Args:
        benchmark: the open benchmark, whose environment serves.
        limits: the limits of a trial.
    """

    def __init__(self, benchmark: Consultable, limits: Limits) -> None:
        self._trial = UngradedTrial(benchmark, "", _nothing_said)
        long = Limits(MOST, _OPEN_SECONDS, limits.statement_seconds)
        self._session = TrialSession(self._trial, Task("tools", None, None), limits=long)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools, once it is open."""
        return self._trial.tools

    @property
    def dialect(self) -> str:
        """The SQL dialect of the database, once it is open; "" if it is not said."""
        return self._trial.dialect

    async def open(self) -> None:
        """Opens the session.

        Raises:
            UnavailableError: the record cannot be read.
        """
        try:
            await self._session.open()
            await self._session.start()
        except AttemptFaultError:  # its message may hold values
            await self._session.close()
            log.error("the record cannot be opened")
            raise UnavailableError(CLOSED) from None

    async def call(self, call: Call) -> ToolResult:
        """Carries out a call; a caller that is cancelled cancels the running statement."""
        try:
            with cancelling_threads():
                observation = await self._session.step(call)
        except AttemptFaultError:  # its message may hold values
            log.error("a call of %s broke off by a fault", call.tool)
            return ToolResult(CLOSED, is_error=True, is_last=True)
        text = observation.text or CLOSED
        if self._trial.trajectory.refused_actions():
            text = _TOO_LARGE
        is_last = observation.done
        return ToolResult(text, is_error(text) or is_last, is_last)

    def take_events(self) -> list[Event]:
        """The events since they were taken last."""
        events = list(self._trial.trajectory.events)
        self._trial.trajectory.events.clear()
        return events

    async def close(self) -> None:
        """Closes the session."""
        await self._session.close()


async def _nothing_said(message: str) -> str | None:
    """The side of a person who calls tools and does not speak."""
    return None
