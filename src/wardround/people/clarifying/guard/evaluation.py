"""Evaluates a simulated user on guard questions (Huo et al. 2025, O.2).

Its action is compared with a reference, or judges rate its reply.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from pydantic import BaseModel

from wardround.core.benchmark import Table
from wardround.core.errors import MalformedAnswerError, UserError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.models.roles import Models
from wardround.people.clarifying import Baseline, FunctionDriven, ModelFree
from wardround.people.clarifying.gold_parser import DIALECT, parse_fragment
from wardround.people.clarifying.guard.prompts import judge_prompt
from wardround.people.clarifying.guard.question_file import CATEGORIES, STYLES, GuardQuestion
from wardround.people.clarifying.secret import (
    Answer,
    Choice,
    Clarifier,
    Labelled,
    Located,
    Refused,
    Secret,
)

Rating: TypeAlias = Literal["A", "B", "C"]
OpenUser: TypeAlias = Callable[[str], Clarifier]

Simulator: TypeAlias = Literal["function-driven", "baseline", "model-free"]
SIMULATORS: tuple[Simulator, ...] = get_args(Simulator)


# The name and docstring are sent to the model: recordings are found by them.
class Rated(BaseModel):
    """A judge's opinion: perfect, acceptable or incorrect."""

    thought: str
    rating: Rating


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question and the user's answer.

    Attributes:
        question: The question.
        answer: The user's.
        right: True if it is right; None if the user chose no action to compare.
        ratings: The judges' ratings, if any.
    """

    question: GuardQuestion
    answer: Answer
    right: bool | None
    ratings: tuple[Rating, ...] = ()


async def referenced(questions: Iterable[GuardQuestion], user: OpenUser) -> AsyncIterator[Outcome]:
    """Puts the questions to a user and compares its actions with the reference.

    Args:
        questions: The guard questions.
        user: Opens the user of a task, by the task's id.

    Raises:
        InfraError: The user's model fails.
    """
    for question in questions:
        answer = await user(question.task).clarify(question.question, frozenset())
        yield Outcome(question, answer, matches(question, answer))


async def judged(
    questions: Iterable[GuardQuestion], user: OpenUser, judges: Sequence[Model]
) -> AsyncIterator[Outcome]:
    """Puts the questions to any user; a reply is right if every judge says A or B.

    Args:
        questions: The guard questions.
        user: Opens the user of a task, by the task's id.
        judges: Models that judge independently; the paper has two.

    Raises:
        InfraError: A model fails.
    """
    for question in questions:
        answer = await user(question.task).clarify(question.question, frozenset())
        ratings = [await _rating(judge, question.question, answer.text) for judge in judges]
        yield Outcome(question, answer, "C" not in ratings, tuple(ratings))


def matches(question: GuardQuestion, answer: Answer) -> bool | None:
    """True if an answer's choice is the reference action and the reply does not refuse it.

    Either SQL fragment may contain the other.

    None for a single-pass user, which chooses no action: only judges can rate it.
    """
    if answer.refused and question.category != "UNA":
        return False
    match answer.choice:
        case Refused():
            return question.category == "UNA"
        case Labelled(ambiguity):
            return question.category == "AMB" and ambiguity.term == question.reference
        case Located(fragment):
            answered, reference = _comparable(fragment), _comparable(question.reference)
            return question.category == "LOC" and (answered in reference or reference in answered)
        case None:
            return None


def recorded(outcome: Outcome) -> dict[str, Any]:
    """A question with its answer, as a JSON-like record."""
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
    """Right answers in percent, by category and style, and the number of replies with leaks."""
    rows = []
    for category in CATEGORIES:
        of_category = [outcome for outcome in outcomes if outcome.question.category == category]
        percents = (_percent(of_category, style) for style in (*STYLES, ""))
        rows.append(
            (category, *percents, len(of_category), sum(bool(o.answer.leaks) for o in of_category))
        )
    return Table(
        f"UserSim-Guard: {simulator}, right answers in %",
        ("category", *STYLES, "all", "questions", "leaks taken out"),
        tuple(rows),
    )


def _action(choice: Choice | None) -> str | None:
    """Formats the chosen action; None for a user that does not choose."""
    match choice:
        case Labelled(ambiguity):
            return f"AMB {ambiguity.term}"
        case Located(fragment):
            return f"LOC {fragment}"
        case Refused():
            return "UNA"
    return None


def _percent(outcomes: Sequence[Outcome], style: str) -> float | None:
    """Returns the percentage of right answers in a style, "" for all."""
    shares = [
        outcome.right
        for outcome in outcomes
        if outcome.question.style.startswith(style) and outcome.right is not None
    ]
    return round(100 * sum(shares) / len(shares), 1) if shares else None


async def _rating(judge: Model, question: str, reply: str) -> Rating:
    """A judge's rating; a judge that gives none accepts nothing."""
    prompt = judge_prompt(question, reply)
    try:
        return (await judge.structured([Message("user", prompt)], Rated)).rating
    except MalformedAnswerError:
        return "C"


def _comparable(fragment: str) -> str:
    parse_statements = parse_fragment(fragment)
    text = (
        " ".join(tree.sql(dialect=DIALECT, comments=False) for tree in parse_statements) or fragment
    )
    return " ".join(text.lower().split())


def users_of(
    simulator: Simulator,
    secrets: Mapping[str, Secret],
    models: Models,
    record: Callable[[Requested], None],
    seed: int = 0,
) -> OpenUser:
    """Opens the users of tasks.

    Args:
        simulator: Which simulated user.
        secrets: The users' secrets, by task id.
        models: Where the role "user" has its model; the one without a model needs none.
        record: Called once for each request that a model answered.
        seed: Of the models.

    Raises:
        UserError: The user has no model. When a user is opened: there is no such task.
    """

    def bound(role: str) -> Model:
        return models.open("user").bind(role, record, derive_seed(seed, role))

    play: dict[Simulator, Callable[[], Callable[[Secret], Clarifier]]] = {
        "model-free": lambda: ModelFree,
        "baseline": lambda: _baseline(bound("user")),
        "function-driven": lambda: _function_driven(bound("reader"), bound("user")),
    }
    opened = play[simulator]()
    return lambda task: opened(_secret(secrets, task))


def _baseline(model: Model) -> Callable[[Secret], Clarifier]:
    return lambda secret: Baseline(secret, model)


def _function_driven(parser: Model, generator: Model) -> Callable[[Secret], Clarifier]:
    return lambda secret: FunctionDriven(secret, parser, generator)


def _secret(secrets: Mapping[str, Secret], task: str) -> Secret:
    if task not in secrets:
        raise UserError(
            f"The guard set asks about the task {task!r}, which is not among the tasks; name the "
            "task file that it was made of."
        )
    return secrets[task]
