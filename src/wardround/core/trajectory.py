"""The events of a trial, sufficient to score it again and to replay it without a model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.serialization import to_line
from wardround.core.verdict import Verdict

# In place of a text that a record of real people does not keep.
WITHHELD = "(not recorded)"


@dataclass(frozen=True, slots=True)
class Said:
    """A message; the speaker is "agent", a person's role, or "environment"."""

    speaker: str
    text: str
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class Called:
    """The agent called a tool."""

    tool: str
    arguments: Mapping[str, Any]
    kind: Literal["called"] = "called"


@dataclass(frozen=True, slots=True)
class Returned:
    """A tool returned its result to the agent."""

    tool: str
    text: str
    kind: Literal["returned"] = "returned"


@dataclass(frozen=True, slots=True)
class Requested:
    """A request to a language model.

    Attributes:
        role: the requesting role: "agent", "user", "verifier", "validator", "judge".
        model: the model's name.
        input_tokens: tokens read; None if unknown.
        output_tokens: tokens written; None if unknown.
        cost: US dollars; None if the model's price is unknown.
        seconds: wall-clock time, retries included.
        retries: the number of retries after provider faults.
        cached: True if the answer came from the cache or a recording.
    """

    role: str
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float
    retries: int = 0
    cached: bool = False
    kind: Literal["requested"] = "requested"


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A separately graded part of the task began; `text` is its request."""

    stage: str
    text: str
    kind: Literal["stage_started"] = "stage_started"


@dataclass(frozen=True, slots=True)
class StageGraded:
    """A stage's submission was graded; nobody in the trial sees the verdicts."""

    stage: str
    verdicts: tuple[Verdict, ...]
    kind: Literal["stage_graded"] = "stage_graded"


@dataclass(frozen=True, slots=True)
class Noted:
    """A note of the environment that nobody in the trial sees, such as a verifier's verdict."""

    subject: str
    data: Mapping[str, Any]
    kind: Literal["noted"] = "noted"


Event: TypeAlias = Said | Called | Returned | Requested | StageStarted | StageGraded | Noted


@dataclass(slots=True)
class Trajectory:
    """The events of one trial, in order."""

    events: list[Event] = field(default_factory=list)

    def record(self, event: Event) -> None:
        """Adds an event."""
        self.events.append(event)

    def acted(self, action: Action) -> None:
        """Adds an action of the agent."""
        self.record(_event_of(action))

    def observed(self, observation: Observation, after: Action | None) -> None:
        """Adds the observation that follows an action, or None at the start."""
        if isinstance(after, Call) and observation.source == "tool":
            self.record(Returned(after.tool, observation.text))
        elif observation.text:
            self.record(Said(observation.source, observation.text))

    def failed(self, reason: str, *, acted: bool = False) -> None:
        """Adds a failure of the agent with its reason.

        Args:
            reason: What happened.
            acted: True if it gave an action that cannot be carried out.
        """
        self.record(Noted("agent_error", {"reason": reason, **({"acted": True} if acted else {})}))

    def refused_actions(self) -> int:
        """The number of the agent's actions that could not be carried out."""
        errors = [e for e in self.events if isinstance(e, Noted) and e.subject == "agent_error"]
        return sum(error.data.get("acted", False) for error in errors)

    def actions(self) -> Iterator[Action]:
        """The agent's actions, in order."""
        for event in self.events:
            if isinstance(event, Called):
                yield Call(event.tool, event.arguments)
            elif isinstance(event, Said) and event.speaker == "agent":
                yield Say(event.text)

    def said_by(self, speaker: str) -> list[str]:
        """All messages of one speaker, in order."""
        return [e.text for e in self.events if isinstance(e, Said) and e.speaker == speaker]

    def calls(self, tool: str | None = None) -> list[Called]:
        """The tool calls, of one tool or of all."""
        called = (event for event in self.events if isinstance(event, Called))
        return [event for event in called if tool in (None, event.tool)]

    def graded_stages(self) -> list[StageGraded]:
        """The grades of stages, in order."""
        return [event for event in self.events if isinstance(event, StageGraded)]

    def requests(self) -> list[Requested]:
        """The model requests, in order."""
        return [event for event in self.events if isinstance(event, Requested)]


@dataclass(slots=True)
class Ledger:
    """Model requests not yet moved to a trajectory."""

    requests: list[Requested] = field(default_factory=list)

    def record(self, request: Requested) -> None:
        """Adds a request."""
        self.requests.append(request)

    def drain(self) -> list[Requested]:
        """Takes out all requests so far."""
        drained, self.requests = self.requests, []
        return drained


def to_json(trajectory: Trajectory) -> bytes:
    """The trajectory as one line of JSON, without the newline."""
    return to_line(trajectory)


def from_json(line: bytes) -> Trajectory:
    """The inverse of `to_json`.

    Raises:
        pydantic.ValidationError: the line is not a trajectory.
    """
    return _adapter().validate_json(line)


def _event_of(action: Action) -> Event:
    match action:
        case Say(text):
            return Said("agent", text)
        case Call(tool, arguments):
            return Called(tool, arguments)


@cache
def _adapter() -> TypeAdapter[Trajectory]:
    return TypeAdapter(_Document)


@dataclass(slots=True)
class _Document(Trajectory):
    """A trajectory whose events are parsed by their `kind`."""

    events: list[Annotated[Event, Field(discriminator="kind")]] = field(default_factory=list)
