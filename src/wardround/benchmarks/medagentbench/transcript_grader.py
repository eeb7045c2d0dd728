"""The published grading: the messages of the trial alone, whether or not a write happened."""

from collections.abc import Iterator, Mapping
from typing import Any

from wardround.benchmarks.medagentbench.environment import ENDED
from wardround.benchmarks.medagentbench.expected_writes import NEAR, Field, Path, Write
from wardround.benchmarks.medagentbench.protocol import Post, parse_message, parse_post, read_json
from wardround.benchmarks.medagentbench.references import Reference
from wardround.core.actions import Call, Say
from wardround.core.trajectory import Noted, Trajectory

_MISSING = object()


def paper_failure(trajectory: Trajectory, expected: Reference) -> str:
    """The reason why a trial fails as published; "" if it passes."""
    result = final_result(trajectory)
    if result is None:
        return "the agent did not finish"
    if reason := _posts_failure(agent_messages(trajectory), expected):
        return reason
    if expected.answer is None:
        return ""
    try:
        answers = read_json(result)
    except ValueError:
        return "its answers are not JSON"
    return "" if _answers_match(answers, expected) else "its answers are not the expected ones"


def final_result(trajectory: Trajectory) -> str | None:
    """The text of the agent's answers; None if it did not finish."""
    for note in notes(trajectory, ENDED):
        if "result" in note:
            return str(note["result"])
    return None


def notes(trajectory: Trajectory, subject: str) -> list[Mapping[str, Any]]:
    """The environment's notes on a subject, in order."""
    return [e.data for e in trajectory.events if isinstance(e, Noted) and e.subject == subject]


def agent_messages(trajectory: Trajectory) -> list[str]:
    """The agent's messages as it wrote them; tool calls as the equivalent messages."""
    return [_message(action) for action in trajectory.actions()]


def published_posts(messages: list[str]) -> Iterator[Post]:
    """The writes that the published grader finds.

    The loop reads a message without fences and surrounding space, and accepts what is JSON; the
    grader reads the message raw, and leaves out what is then not JSON.
    """
    for message in messages:
        if "POST" in message and isinstance(parse_message(message), Post):
            try:
                yield parse_post(message)
            except ValueError:
                continue


def value_at(resource: Any, path: Path) -> Any:
    """The value at a path; a marker equal to nothing if there is none."""
    for step in path:
        try:
            resource = resource[step]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return resource


def _message(action: Say | Call) -> str:
    match action:
        case Say(text):
            return text
        case Call("get", arguments):
            return f"GET {arguments.get('url')}"
        case Call("post", arguments):
            return f"POST {arguments.get('url')}\n{arguments.get('body')}"
        case Call(tool, arguments):
            return f"FINISH({arguments.get('answers')})" if tool == "finish" else ""


def _posts_failure(messages: list[str], expected: Reference) -> str:
    """The reason why the posts fail; where none is expected, any message with "POST" counts."""
    if not expected.writes:
        return "something was posted" if any("POST" in each for each in messages) else ""
    if "POST" in messages[-1]:
        return "the last message has the word POST, on which the published grader fails"
    posts = list(published_posts(messages))
    if len(posts) != len(expected.writes):
        return f"{len(posts)} posts instead of {len(expected.writes)}"
    for post, write in zip(posts, expected.writes, strict=True):
        if post.url != write.url:
            return f"a post to another address than {write.type}"
        if wrong := _wrong_field(post.payload, write):
            return f"{write.type}: {wrong} is not as expected"
    return ""


def _wrong_field(payload: Any, write: Write) -> str:
    for field in write.fields:
        if not _fits(value_at(payload, field.path), field):
            return ".".join(map(str, field.path))
    return ""


def _fits(value: Any, field: Field) -> bool:
    """True if the published comparison is; one that raises an exception fails."""
    try:
        match field.test:
            case "equal":
                return bool(value == field.value)
            case "has":
                return all(value[name] == wanted for name, wanted in field.value.items())
            case "single":
                return len(value) == 1
            case "near":
                return bool(abs(value - field.value) <= NEAR)
            case "contains":
                return field.value in value
            case "lowered":
                return bool(value.strip().lower() == field.value)
    except (TypeError, KeyError, AttributeError, OverflowError):
        return False


def _answers_match(answers: Any, expected: Reference) -> bool:
    if expected.may_be_empty and answers == []:
        return True
    gold = list(expected.answer or ())
    if not expected.tolerance:
        return bool(answers == gold)
    try:
        return len(answers) == 1 and abs(answers[0] - gold[0]) < expected.tolerance
    except (TypeError, KeyError, OverflowError):
        return False
