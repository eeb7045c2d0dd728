"""A trajectory as readable text, for the terminal or a page."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.core.capabilities import Explanation
from wardround.core.record import TrialRecord
from wardround.core.run_reader import find_trial, read_trajectory
from wardround.core.trajectory import (
    Called,
    Event,
    Noted,
    Requested,
    Returned,
    Said,
    StageGraded,
    StageStarted,
    Trajectory,
)
from wardround.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Turn:
    """One event as text.

    Attributes:
        kind: the event's kind, such as "said", "called", "returned", "requested" or "noted".
        who: the speaker, tool, role, stage or subject of a note.
        text: the message, arguments, result, cost, request, verdicts or note.
    """

    kind: str
    who: str
    text: str


def turns(trajectory: Trajectory) -> Iterator[Turn]:
    """The events in order, each with its text."""
    return (Turn(event.kind, *_read(event)) for event in trajectory.events)


def trial_text(
    folder: Path,
    name: str,
    lines: int,
    explain: Callable[[TrialRecord], Explanation | None],
) -> str:
    """The trajectory of a trial as text, every event cut to a number of lines.

    The text of a failed trial begins with its gold and the nearest attempt.

    Raises:
        UserError: the run or the trial does not exist.
    """
    record = find_trial(folder, name)
    head = f"{record.task}:{record.trial} {record.outcome} {record.reason}".rstrip()
    happened = trace(read_trajectory(folder, record.trajectory), lines=lines)
    return "\n\n".join([head, *explanation_text(explain(record), lines), happened])


def explanation_text(explanation: Explanation | None, lines: int) -> list[str]:
    """The lines of an explanation; empty if there is none.

    >>> print(*explanation_text(Explanation("How many?", "SELECT 1", "", "want 1"), 12))
    request:
        How many?
    gold:
        SELECT 1
    nearest attempt:
        none
    difference:
        want 1
    """
    if explanation is None:
        return []
    parts = {
        "request": explanation.request,
        "gold": explanation.gold,
        "nearest attempt": explanation.attempt,
        "difference": explanation.difference,
    }
    return ["\n".join(_indented(head, text or "none", lines) for head, text in parts.items())]


def trace(trajectory: Trajectory, *, lines: int = 12) -> str:
    """The trajectory as text, every event cut to a number of lines.

    >>> print(trace(Trajectory([Said("user", "How many?"), Called("list_tables", {})])))
    user:
        How many?
    agent calls list_tables:
        no arguments
    """
    return "\n".join(_block(turn, lines) for turn in turns(trajectory))


def cut_lines(text: str, most: int) -> str:
    r"""The first lines of a text, with the number of lines left out.

    >>> cut_lines("a\nb\nc", 2)
    'a\nb\n… 1 more line'
    """
    lines = text.splitlines()
    remaining = len(lines) - most
    if remaining <= 0:
        return text
    return "\n".join([*lines[:most], f"… {remaining} more line{'s' if remaining > 1 else ''}"])


def _block(turn: Turn, lines: int) -> str:
    heads = {
        "called": "agent calls {}",
        "returned": "{} returns",
        "requested": "{} asks a model",
        "stage_started": "stage {} begins",
        "stage_graded": "stage {} is graded",
    }
    return _indented(heads.get(turn.kind, "{}").format(turn.who), turn.text, lines)


def _indented(head: str, text: str, lines: int) -> str:
    body = cut_lines(text, lines).splitlines() or [""]
    return _harmless("\n".join([f"{head}:", *(f"    {line}" for line in body)]))


def _harmless(text: str) -> str:
    """The text without control characters, with which a model could control the terminal."""
    return "".join(c if c in "\n\t" or c.isprintable() else "\ufffd" for c in text)


def _read(event: Event) -> tuple[str, str]:
    match event:
        case Said():
            return event.speaker, event.text
        case Called():
            return event.tool, _arguments(event.arguments)
        case Returned():
            return event.tool, event.text
        case Requested():
            return event.role, _cost_text(event)
        case StageStarted():
            return event.stage, event.text
        case StageGraded():
            return event.stage, "\n".join(map(_finding, event.verdicts))
        case Noted():
            return event.subject, _arguments(event.data)


def _arguments(values: Mapping[str, Any]) -> str:
    """Formats arguments, one per line; text of several lines, such as SQL, is unchanged."""
    return "\n".join(f"{name}: {_plain(value)}" for name, value in values.items()) or "no arguments"


def _finding(verdict: Verdict) -> str:
    reason = f": {verdict.reason}" if verdict.reason else ""
    return f"{verdict.item} {verdict.state} by {verdict.source}{reason}"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _count(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"


def _cost_text(request: Requested) -> str:
    price = "" if request.cost is None else f", ${request.cost:.6f}"
    retries = f", {request.retries} retries" if request.retries else ""
    cached = ", cached" if request.cached else ""
    read, written = map(_count, (request.input_tokens, request.output_tokens))
    tokens = f"{read} tokens in, {written} out"
    return f"{request.model}: {tokens}{price}, {request.seconds:.1f} s{retries}{cached}"
