"""Puts guard questions to a simulated user and tells how often it answered as it should."""

from collections.abc import Callable
from pathlib import Path

from wardround.benchmarks.interact.files import load_tasks, shipped_suite
from wardround.benchmarks.interact.guard.build import guard_set
from wardround.benchmarks.interact.guard.evaluate import accuracy, by_judges, by_reference
from wardround.benchmarks.interact.guard.model import GuardQuestion, read_guard, shipped_guard
from wardround.benchmarks.interact.guard.simulators import Simulator, users_of
from wardround.benchmarks.interact.people import secret_of
from wardround.core.benchmark import Table
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
        limit: How many questions are asked.
        seed: Of the questions that are made, and of the models.

    Raises:
        UserError: A file cannot be read, or a model is missing.
        InfraError: A model failed.
    """
    suite = load_tasks(tasks) if tasks else shipped_suite()
    secrets = {task.id: secret_of(task, "") for task in suite.tasks}
    asked = _questions(tasks, questions, lambda: guard_set(secrets, seed))[:limit]
    user = users_of(simulator, secrets, models, record, seed)
    judges = [found for role in JUDGES if (found := models.find(role))]
    if len(judges) < len(JUDGES):
        return accuracy(await by_reference(asked, user), simulator)
    bound = [
        judge.bind(role, record, derive_seed(seed, role))
        for role, judge in zip(JUDGES, judges, strict=True)
    ]
    return accuracy(await by_judges(asked, user, bound), simulator)


def _questions(
    tasks: Path | None, questions: Path | None, made: Callable[[], list[GuardQuestion]]
) -> list[GuardQuestion]:
    if questions:
        return read_guard(questions)
    return made() if tasks else shipped_guard()
