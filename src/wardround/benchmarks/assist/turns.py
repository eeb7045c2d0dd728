"""The turns of a session as played, read from a trajectory for graders, tables and reviewers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wardround.benchmarks.assist.sessions import PREPARE, Language, Literacy
from wardround.core.trajectory import Called, Event, Noted, Returned, Said, StageStarted, Trajectory

# Notes of the environment.
SETTINGS, WRITTEN, PATIENT_SPOKE, REFUSED = "session", "written", "patient", "refused"


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """A call that was carried out, with its result as the agent read it."""

    tool: str
    arguments: Mapping[str, Any]
    result: str


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """One turn of a trial.

    Attributes:
        question: the physician's question.
        calls: the calls that were carried out, without the control tool.
        answer: the assistant's answer; "" if it gave none.
        prepared: it called the control tool before it answered.
        refused: calls after the limit, which were not carried out.
        spoken: the patient's answers.
        written: the writes that were carried out: tool, arguments as read, and resource.
    """

    question: str
    calls: tuple[PlayedCall, ...] = ()
    answer: str = ""
    prepared: bool = False
    refused: int = 0
    spoken: tuple[str, ...] = ()
    written: tuple[Mapping[str, Any], ...] = ()


@dataclass(slots=True)
class _Turn:
    """A turn whose events are being read."""

    question: str
    calls: list[PlayedCall] = field(default_factory=list)
    answer: str = ""
    prepared: bool = False
    called: Called | None = None
    notes: dict[str, list[Any]] = field(default_factory=dict)

    def finished(self) -> PlayedTurn:
        notes = self.notes
        return PlayedTurn(
            self.question,
            tuple(self.calls),
            self.answer,
            self.prepared,
            len(notes.get(REFUSED, ())),
            tuple(note["text"] for note in notes.get(PATIENT_SPOKE, ())),
            tuple(notes.get(WRITTEN, ())),
        )


def played_turns(trajectory: Trajectory) -> list[PlayedTurn]:
    """The turns that began, in order."""
    turns: list[_Turn] = []
    for event in trajectory.events:
        if isinstance(event, StageStarted):
            turns.append(_Turn(event.text))
        elif turns:
            _read(turns[-1], event)
    return [turn.finished() for turn in turns]


def _read(turn: _Turn, event: Event) -> None:
    match event:
        case Called():
            turn.called = event
        case Returned(text=text) if turn.called:
            if turn.called.tool == PREPARE:
                turn.prepared = True
            else:
                turn.calls.append(PlayedCall(turn.called.tool, turn.called.arguments, text))
            turn.called = None
        case Said(speaker="agent", text=text):
            turn.answer = text
        case Noted(subject=subject, data=data):
            turn.notes.setdefault(subject, []).append(data)
        case _:
            pass


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The settings under which a session is played, kept in its trajectory.

    Attributes:
        language: the language of the session.
        explicit: the explicit questions are asked.
        literacy: the patient's health literacy.
        patient: the patient: replay, script or model.
        threshold: the share of items that each turn needs, as a decimal number.
        recorded: the session's record is not at hand, and only recorded calls are answered.
    """

    language: Language = "en"
    explicit: bool = False
    literacy: Literacy = "high"
    patient: str = "replay"
    threshold: str = "0.6"
    recorded: bool = False


def patient_words(trajectory: Trajectory) -> list[str]:
    """The patient's answers of a trial, in order."""
    return [note["text"] for note in _notes(trajectory, PATIENT_SPOKE)]


def settings_of(trajectory: Trajectory) -> SessionSettings:
    """The settings that a session's trajectory begins with."""
    return next(
        (SessionSettings(**note) for note in _notes(trajectory, SETTINGS)), SessionSettings()
    )


def _notes(trajectory: Trajectory, subject: str) -> Iterator[Mapping[str, Any]]:
    for event in trajectory.events:
        if isinstance(event, Noted) and event.subject == subject:
            yield event.data
