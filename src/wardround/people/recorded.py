"""Replays a person of a recorded trial."""

from wardround.core.errors import InfraError
from wardround.core.trajectory import Called, Returned, Said, Trajectory
from wardround.people.person import Utterance


class RecordedPerson:
    """Repeats a speaker's recorded messages in order, whatever the agent says."""

    def __init__(self, recording: Trajectory, speaker: str) -> None:
        self._lines = recording.said_by(speaker)
        self._spoken = 0
        events = [e for e in recording.events if isinstance(e, Said | Called | Returned)]
        # The person ended the conversation only if the last event is theirs.
        self._ended = bool(events) and events[-1] == Said(speaker, self._lines[-1])

    async def open(self) -> Utterance:
        """Returns the first recorded message."""
        return self._next()

    async def reply(self, said: str) -> Utterance:
        """Returns the next recorded message."""
        return self._next()

    def _next(self) -> Utterance:
        if self._spoken == len(self._lines):
            raise InfraError("the recorded person said no more")
        self._spoken += 1
        last = self._spoken == len(self._lines)
        return Utterance(self._lines[self._spoken - 1], ends=last and self._ended)
