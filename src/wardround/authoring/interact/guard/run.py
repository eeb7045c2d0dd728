"""Puts guard questions to a simulated user and tells how often it answered as it should."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from wardround.authoring.interact.guard.build import guard_set
from wardround.authoring.interact.guard.evaluate import (
    Outcome,
    accuracy,
    by_judges,
    by_reference,
    recorded,
)
from wardround.authoring.interact.guard.model import GuardQuestion, read_guard, shipped_guard
from wardround.authoring.interact.guard.simulators import Simulator, users_of
from wardround.benchmarks.interact.files import load_tasks, shipped_suite
from wardround.benchmarks.interact.people import secret_of
from wardround.core.benchmark import Table
from wardround.core.errors import UserError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models.roles import RoleModels

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
) -> Table:
    """How a simulated user fares (BIRD-Interact, O).

    Two judges rate what it says where both have a model; else its choice is compared with the
    reference action, which the user in a single pass does not make.

    Args:
        simulator: Which user.
        models: The roles "user", "judge" and "second_judge".
        record: Hears of each request to a model.
        tasks: What the user knows is from here; None for the shipped tasks.
        questions: The guard set; None for the shipped one, or one made of `tasks`.
        replies: A new file that each question goes to with what was said to it, as it is said.
        limit: How many questions are asked.
        seed: Of the questions that are made, and of the models.

    Raises:
        UserError: A file cannot be read, is there already, or a model is missing.
        InfraError: A model failed.
    """
    suite = load_tasks(tasks) if tasks else shipped_suite()
    secrets = {task.id: secret_of(task, "") for task in suite.tasks}
    asked = _questions(tasks, questions, lambda: guard_set(secrets, seed))[:limit]
    user = users_of(simulator, secrets, models, record, seed)
    judges = [found for role in JUDGES if (found := models.find(role))]
    if len(judges) < len(JUDGES):
        answered = by_reference(asked, user)
    else:
        bound = [
            judge.bind(role, record, derive_seed(seed, role))
            for role, judge in zip(JUDGES, judges, strict=True)
        ]
        answered = by_judges(asked, user, bound)
    with _kept(replies) as keep:
        outcomes = []
        async for outcome in answered:
            keep(outcome)
            outcomes.append(outcome)
    return accuracy(outcomes, simulator)


@contextmanager
def _kept(replies: Path | None) -> Iterator[Callable[[Outcome], None]]:
    """What keeps outcomes in a new file, a line each."""
    if replies is None:
        yield lambda outcome: None
        return
    try:
        file = replies.open("xb")
    except OSError as error:
        why = "is there already" if isinstance(error, FileExistsError) else "cannot be written"
        raise UserError(f"{replies} {why}; name a new file with --replies.") from None
    with file:

        def keep(outcome: Outcome) -> None:
            file.write(orjson.dumps(recorded(outcome), option=orjson.OPT_APPEND_NEWLINE))
            file.flush()

        yield keep


def _questions(
    tasks: Path | None, questions: Path | None, made: Callable[[], list[GuardQuestion]]
) -> list[GuardQuestion]:
    if questions:
        return read_guard(questions)
    return made() if tasks else shipped_guard()
