"""A person of a recorded trial, who says again what was said then."""

from wardround.core.errors import InfraError
from wardround.core.trajectory import Called, Returned, Said, Trajectory
from wardround.people.person import Utterance


class RecordedPerson:
    """Says a speaker's recorded lines in order, whatever it hears."""

    def __init__(self, recording: Trajectory, speaker: str) -> None:
        self._lines = recording.said_by(speaker)
        self._said = 0
        heard = [e for e in recording.events if isinstance(e, Said | Called | Returned)]
        # Only a person who had the last word ended the talk; else a limit or the agent did.
        self._ended = bool(heard) and heard[-1] == Said(speaker, self._lines[-1])

    async def open(self) -> Utterance:
        """The first recorded line."""
        return self._next()

    async def reply(self, said: str) -> Utterance:
        """The next recorded line."""
        return self._next()

    def _next(self) -> Utterance:
        if self._said == len(self._lines):
            raise InfraError("the recorded person said no more")
        self._said += 1
        last = self._said == len(self._lines)
        return Utterance(self._lines[self._said - 1], ends=last and self._ended)
