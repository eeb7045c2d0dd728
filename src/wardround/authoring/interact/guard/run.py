"""Puts guard questions to a simulated user and counts how often it answers as it should."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import orjson

from wardround.authoring.interact.guard.questions import guard_set, shipped_guard
from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.published import load_tasks, shipped_suite
from wardround.core.benchmark import Summary
from wardround.core.errors import UserError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models.roles import RoleModels
from wardround.people.clarifying.guard import (
    GuardQuestion,
    Outcome,
    Simulator,
    accuracy,
    judged,
    read_guard,
    recorded,
    referenced,
    users_of,
)
from wardround.people.clarifying.secret import Secret

JUDGES = ("judge", "second_judge")


async def guard(
    simulator: Simulator,
    models: RoleModels,
    record: Callable[[Requested], None],
    *,
    tasks: Path | None = None,
    questions: Path | None = None,
    replies: Path | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Summary:
    """Tells how a simulated user fares (Huo et al. 2025, O).

    Two judges rate what it says where both have a model; else its choice is compared with the
    reference action, which the user in a single pass does not make.

    Args:
        simulator: Which user.
        models: The roles "user", "judge" and "second_judge".
        record: Called with each request to a model.
        tasks: The tasks that the user knows; None for the shipped tasks.
        questions: The guard set; None for the shipped one, or one made of `tasks`.
        replies: A new file that each question goes to with its answer, as it is given.
        limit: The number of questions that are asked; None for all.
        seed: The same seed makes the same questions, and goes to the models.

    Raises:
        UserError: A file cannot be read, is there already, or a model is missing.
        InfraError: A model fails.
    """
    suite = load_tasks(tasks) if tasks else shipped_suite()
    secrets = {task.id: secret_of(task, "") for task in suite.tasks}
    asked = _questions(tasks, questions, secrets, seed)[:limit]
    user = users_of(simulator, secrets, models, record, seed)
    judges = [
        model.bind(role, record, derive_seed(seed, role))
        for role in JUDGES
        if (model := models.find(role))
    ]
    all_judges = len(judges) == len(JUDGES)
    answered = judged(asked, user, judges) if all_judges else referenced(asked, user)
    outcomes = []
    with _writer(replies) as write:
        async for outcome in answered:
            write(outcome)
            outcomes.append(outcome)
    return Summary({"guard": accuracy(outcomes, simulator)})


def _questions(
    tasks: Path | None, questions: Path | None, secrets: Mapping[str, Secret], seed: int
) -> list[GuardQuestion]:
    if questions:
        return read_guard(questions)
    return guard_set(secrets, seed) if tasks else shipped_guard()


@contextmanager
def _writer(replies: Path | None) -> Iterator[Callable[[Outcome], None]]:
    """Opens a new file for outcomes, a line each."""
    if replies is None:
        yield lambda outcome: None
        return
    try:
        file = replies.open("xb")
    except OSError as error:
        why = "is there already" if isinstance(error, FileExistsError) else "cannot be written"
        raise UserError(f"{replies} {why}; name a new file with --replies.") from None
    with file:

        def write(outcome: Outcome) -> None:
            file.write(orjson.dumps(recorded(outcome), option=orjson.OPT_APPEND_NEWLINE))
            file.flush()

        yield write
