"""The accuracy of a simulated user on guard questions."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import orjson

from wardround.authoring.interact.declaration import GuardOptions
from wardround.authoring.interact.guard.questions import guard_set, shipped_guard
from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.published import load_tasks, shipped_suite
from wardround.core.benchmark import Summary
from wardround.core.errors import UserError
from wardround.core.private_files import open_private
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models.roles import Models
from wardround.people.clarifying.guard import (
    GuardQuestion,
    Outcome,
    accuracy,
    judged,
    read_guard,
    recorded,
    referenced,
    users_of,
)
from wardround.people.clarifying.secret import Secret

JUDGES = ("judge", "second_judge")


async def guard_user(
    options: GuardOptions, models: Models, record: Callable[[Requested], None]
) -> Summary:
    """Asks a simulated user guard questions and counts right replies (Huo et al. 2025, O).

    Two judges rate the replies if both have a model; otherwise the user's choice of action is
    compared with the reference, which needs a user that chooses one.

    Args:
        options: the user, its tasks, and the questions.
        models: the roles "user", "judge" and "second_judge".
        record: called with each request to a model.

    Raises:
        UserError: a file cannot be read or already exists, or a model is missing.
        InfraError: a model fails.
    """
    suite = load_tasks(options.tasks) if options.tasks else shipped_suite()
    secrets = {task.id: secret_of(task, "") for task in suite.tasks}
    questions = _questions(options, secrets)[: options.limit]
    user = users_of(options.simulator, secrets, models, record, options.seed)
    judges = [
        model.bind(role, record, derive_seed(options.seed, role))
        for role in JUDGES
        if (model := models.find(role))
    ]
    has_judges = len(judges) == len(JUDGES)
    answered = judged(questions, user, judges) if has_judges else referenced(questions, user)
    outcomes = []
    with _writer(options.replies) as write:
        async for outcome in answered:
            write(outcome)
            outcomes.append(outcome)
    return Summary({"guard": accuracy(outcomes, options.simulator)})


def _questions(options: GuardOptions, secrets: Mapping[str, Secret]) -> list[GuardQuestion]:
    if options.questions:
        return read_guard(options.questions)
    return guard_set(secrets, options.seed) if options.tasks else shipped_guard()


@contextmanager
def _writer(replies: Path | None) -> Iterator[Callable[[Outcome], None]]:
    """Opens a new file and yields a function that appends outcomes as lines."""
    if replies is None:
        yield lambda outcome: None
        return
    try:
        file = open_private(replies, "xb")
    except OSError as error:
        why = "already exists" if isinstance(error, FileExistsError) else "cannot be written"
        raise UserError(f"{replies} {why}; name a new file with --replies.") from None
    with file:

        def write(outcome: Outcome) -> None:
            file.write(orjson.dumps(recorded(outcome), option=orjson.OPT_APPEND_NEWLINE))
            file.flush()

        yield write
