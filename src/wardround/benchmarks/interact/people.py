"""The simulated users of BIRD-Interact (3.3), and what another run's users answered (5.2)."""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.tasks import STAGES, InteractTask
from wardround.core.benchmark import TrialContext
from wardround.core.errors import UserError
from wardround.core.run_reader import read_settings, read_trajectory, read_trials
from wardround.core.seeds import derive_seed
from wardround.models.client import LanguageModel
from wardround.models.model import Model
from wardround.models.roles import Models
from wardround.people import clarifying
from wardround.people.clarifying.questions.recorded import Questions, RecordedUser, exchanges
from wardround.people.clarifying.secret import Clarifier, Secret

log = logging.getLogger(__name__)

LIMITED = (
    "The model-free user answers about half of the questions about other points of the solution "
    "than ambiguities; use --user function-driven with a model where every answer matters."
)

Users: TypeAlias = Callable[[Secret, TrialContext], Clarifier]


def open_users(options: InteractOptions, models: Models) -> Users:
    """The users as a run is set: without a model, in two stages on one, or in a single pass.

    Raises:
        UserError: A model-played user was asked for and there is no model.
    """
    if options.user == "model-free":
        log.warning("%s", LIMITED)
        return lambda secret, context: clarifying.ModelFree(
            secret, derive_seed(context.seed, "user")
        )
    model = models.open("user")
    if options.user == "baseline":
        return lambda secret, context: clarifying.Baseline(secret, _bound(model, "user", context))
    return lambda secret, context: clarifying.FunctionDriven(
        secret, _bound(model, "reader", context), _bound(model, "user", context)
    )


def questions_to(users: Users, task: InteractTask, schema: str, context: TrialContext) -> Questions:
    """The user of one attempt: the recorded one when a trial is replayed."""
    if context.recorded is not None:
        people: dict[str, Clarifier] = dict.fromkeys(STAGES, RecordedUser(context.recorded))
    else:
        second = task.hidden.second
        secrets = {"first": secret_of(task, schema)}
        if second:  # the user then knows the follow-up and its SQL only
            secrets["second"] = Secret(second.request, second.request, second.gold, (), schema)
        people = {stage: users(secret, context) for stage, secret in secrets.items()}
    return Questions(people, context.trajectory.record)


def secret_of(task: InteractTask, schema: str) -> Secret:
    """The user's knowledge during the first request."""
    hidden = task.hidden
    return Secret(task.public.request, hidden.clear, hidden.first.gold, hidden.ambiguities, schema)


def grafts_of(run: Path) -> Mapping[str, str]:
    """The questions and answers of a run's first trial of each task, as text, by task id.

    Raises:
        UserError: The folder is not a run, or its agent asked no question.
    """
    read_settings(run)  # raises an error unless it is a run
    talks: dict[str, str] = {}
    for record in read_trials(run):
        pairs = exchanges(read_trajectory(run, record.trajectory))
        talk = "\n".join(f"Question: {question}\nAnswer: {reply}" for question, reply in pairs)
        if talk:
            talks.setdefault(record.task, talk)
    if not talks:
        raise UserError(
            f"The agent of {run} asked no question; give --graft a run whose agent did."
        )
    return talks


def _bound(model: LanguageModel, role: str, context: TrialContext) -> Model:
    return model.bind(role, context.trajectory.record, derive_seed(context.seed, role))
