"""How a simulated user fares on guard questions: by reference action, or by judges (O.2)."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

from wardround.authoring.interact.guard.model import CATEGORIES, STYLES, GuardQuestion
from wardround.authoring.interact.guard.prompts import judge_prompt
from wardround.core.benchmark import Table
from wardround.core.errors import MalformedAnswerError
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.clarifying.gold_parser import DIALECT, piece
from wardround.people.clarifying.model import (
    Answer,
    Choice,
    Clarifier,
    Labelled,
    Located,
    Refused,
)

Rating: TypeAlias = Literal["A", "B", "C"]
OpenUser: TypeAlias = Callable[[str], Clarifier]


class Rated(BaseModel):
    """A judge's opinion: perfect, acceptable or incorrect."""

    thought: str
    rating: Rating


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question and what the user said.

    Attributes:
        right: Whether that was right; None where the user chose nothing that could be compared.
        ratings: The judges', if there were any.
    """

    question: GuardQuestion
    answer: Answer
    right: bool | None
    ratings: tuple[Rating, ...] = ()


async def by_reference(
    questions: Iterable[GuardQuestion], user: OpenUser
) -> AsyncIterator[Outcome]:
    """Asks a user that chooses, and compares what it chose with the reference.

    Args:
        questions: What is asked.
        user: Opens the user of a task, by the task's id.

    Raises:
        InfraError: The user's model failed.
    """
    for one in questions:
        answer = await user(one.task).clarify(one.question, frozenset())
        yield Outcome(one, answer, meets(one, answer.choice))


async def by_judges(
    questions: Iterable[GuardQuestion], user: OpenUser, judges: Sequence[Model]
) -> AsyncIterator[Outcome]:
    """Asks any user, and has each reply judged; it is right if every judge says A or B.

    Args:
        questions: What is asked.
        user: Opens the user of a task, by the task's id.
        judges: Models that judge apart from each other; the paper has two.

    Raises:
        InfraError: A model failed.
    """
    for one in questions:
        answer = await user(one.task).clarify(one.question, frozenset())
        ratings = [await _rating(judge, one.question, answer.text) for judge in judges]
        yield Outcome(one, answer, "C" not in ratings, tuple(ratings))


def meets(question: GuardQuestion, choice: Choice | None) -> bool | None:
    """Whether a choice is the reference action; a piece of SQL may hold the other or be in it.

    Of a user who does not choose, as in a single pass, only judges can tell.
    """
    match choice:
        case Refused():
            return question.category == "UNA"
        case Labelled(ambiguity):
            return question.category == "AMB" and ambiguity.term == question.reference
        case Located(fragment):
            one, other = _comparable(fragment), _comparable(question.reference)
            return question.category == "LOC" and (one in other or other in one)
        case None:
            return None


def recorded(outcome: Outcome) -> dict[str, Any]:
    """A question with what was said to it, as a JSON-like record."""
    answer = outcome.answer
    return {
        **asdict(outcome.question),
        "reply": answer.text,
        "action": _action(answer.choice),
        "leaks_taken_out": list(answer.leaks),
        "ratings": list(outcome.ratings),
        "right": outcome.right,
    }


def accuracy(outcomes: Sequence[Outcome], simulator: str) -> Table:
    """Right answers in percent, by category and style, and how many replies had leaks."""
    rows = [
        (category, *(_percent(outcomes, category, style) for style in (*STYLES, "")))
        for category in CATEGORIES
    ]
    counted = [
        (
            sum(one.question.category == category for one in outcomes),
            sum(bool(one.answer.leaks) for one in outcomes if one.question.category == category),
        )
        for category in CATEGORIES
    ]
    return Table(
        f"UserSim-Guard: {simulator}, right answers in %",
        ("category", *STYLES, "all", "questions", "leaks taken out"),
        tuple((*row, *count) for row, count in zip(rows, counted, strict=True)),
    )


def _action(choice: Choice | None) -> str | None:
    """What a user took a question for; None where it does not choose."""
    match choice:
        case Labelled(ambiguity):
            return f"AMB {ambiguity.term}"
        case Located(fragment):
            return f"LOC {fragment}"
        case Refused():
            return "UNA"
    return None


def _percent(outcomes: Sequence[Outcome], category: str, style: str) -> float | None:
    found = [
        one.right
        for one in outcomes
        if one.question.category == category
        and one.question.style.startswith(style)
        and one.right is not None
    ]
    return round(100 * sum(found) / len(found), 1) if found else None


async def _rating(judge: Model, question: str, reply: str) -> Rating:
    """A judge's rating; one that gives none finds nothing acceptable."""
    prompt = judge_prompt(question, reply)
    try:
        return (await judge.structured([Message("user", prompt)], Rated)).rating
    except MalformedAnswerError:
        return "C"


def _comparable(fragment: str) -> str:
    trees = piece(fragment)
    text = " ".join(tree.sql(dialect=DIALECT, comments=False) for tree in trees) or fragment
    return " ".join(text.lower().split())
