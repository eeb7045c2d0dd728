"""The published grading: the messages of the trial alone, whether or not a write happened."""

from typing import Any

import orjson

from wardround.benchmarks.medagentbench.environment import ENDED, WRITE
from wardround.benchmarks.medagentbench.protocol import as_json
from wardround.benchmarks.medagentbench.references import Field, Reference, Write
from wardround.core.trajectory import Called, Noted, Said, Trajectory

_MISSING = object()
_NEAR = 0.1


def paper_failure(trajectory: Trajectory, expected: Reference) -> str:
    """Why a trial fails as published; "" if it passes."""
    result = final_result(trajectory)
    if result is None:
        return "the agent did not finish"
    answers = as_json(result)
    if answers is None:
        return "its answers are not JSON"
    if reason := _posts_failure(trajectory, expected):
        return reason
    return "" if _answers_match(answers, expected) else "its answers are not the expected ones"


def final_result(trajectory: Trajectory) -> str | None:
    """The text of the agent's answers; None if it did not finish."""
    for note in notes(trajectory, ENDED):
        if "result" in note:
            return str(note["result"])
    return None


def notes(trajectory: Trajectory, subject: str) -> list[dict[str, Any]]:
    """The environment's notes on a subject, in order."""
    return [e.data for e in trajectory.events if isinstance(e, Noted) and e.subject == subject]


def value_at(resource: Any, path: tuple[str | int, ...]) -> Any:
    """The value at a path; a marker equal to nothing if there is none."""
    for step in path:
        try:
            resource = resource[step]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return resource


def _posts_failure(trajectory: Trajectory, expected: Reference) -> str:
    """Why the posts fail; any message with the word POST counts as one where none is expected."""
    if not expected.writes:
        return "something was posted" if _mentions_post(trajectory) else ""
    posts = notes(trajectory, WRITE)
    if len(posts) != len(expected.writes):
        return f"{len(posts)} posts instead of {len(expected.writes)}"
    for post, write in zip(posts, expected.writes, strict=True):
        if post["url"] != write.url:
            return f"a post to another address than {write.type}"
        if wrong := _wrong_field(post["payload"], write):
            return f"{write.type}: {wrong} is not as expected"
    return ""


def _mentions_post(trajectory: Trajectory) -> bool:
    said = (e.text for e in trajectory.events if isinstance(e, Said) and e.speaker == "agent")
    called = any(isinstance(e, Called) and e.tool == "post" for e in trajectory.events)
    return called or any("POST" in text for text in said)


def _wrong_field(payload: Any, write: Write) -> str:
    for field in write.fields:
        if not _fits(value_at(payload, field.path), field):
            return ".".join(map(str, field.path))
    return ""


def _fits(value: Any, field: Field) -> bool:
    match field.test:
        case "equal":
            return bool(value == field.value)
        case "near":
            return isinstance(value, int | float) and abs(value - field.value) <= _NEAR
        case "contains":
            return isinstance(value, str) and field.value in value
        case "starts":
            return isinstance(value, str) and value.startswith(field.value)


def _answers_match(answers: Any, expected: Reference) -> bool:
    if expected.answer is None or (expected.may_be_empty and answers == []):
        return True
    if expected.tolerance:
        return (
            isinstance(answers, list)
            and len(answers) == 1
            and isinstance(answers[0], int | float)
            and abs(answers[0] - expected.answer[0]) <= expected.tolerance
        )
    return bool(answers == orjson.loads(orjson.dumps(expected.answer)))
