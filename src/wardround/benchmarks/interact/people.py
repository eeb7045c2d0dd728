"""The simulated users of BIRD-Interact (3.3)."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.prices import STAGES
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.benchmark import TrialContext
from wardround.core.seeds import derive_seed
from wardround.models.client import LanguageModel
from wardround.models.model import Model
from wardround.models.roles import RoleModels
from wardround.people.clarifying import Baseline, FunctionDriven, ModelFree
from wardround.people.clarifying.questions import Questions, RecordedUser
from wardround.people.clarifying.secret import Clarifier, Secret

Users: TypeAlias = Callable[[Secret, TrialContext], Clarifier]


def open_users(options: InteractOptions, models: RoleModels) -> Users:
    """The users as a run is set: without a model, in two stages on one, or in a single pass.

    Raises:
        UserError: A model-played user was asked for and there is no model.
    """
    if options.user == "model-free":
        return lambda secret, context: ModelFree(secret, derive_seed(context.seed, "user"))
    play = _baseline if options.user == "baseline" else _function_driven
    return partial(play, models.open("user"))


def questions_to(users: Users, task: InteractTask, schema: str, context: TrialContext) -> Questions:
    """The user of one attempt: the recorded one when a trial is replayed."""
    if context.recorded is not None:
        people: dict[str, Clarifier] = dict.fromkeys(STAGES, RecordedUser(context.recorded))
    else:
        secrets = zip(STAGES, secrets_of(task, schema), strict=False)
        people = {stage: users(secret, context) for stage, secret in secrets}
    return Questions(people, context.trajectory.record)


def secrets_of(task: InteractTask, schema: str) -> tuple[Secret, ...]:
    """The user's knowledge at each stage: in the second, the follow-up and its SQL only."""
    second = task.hidden.second
    follow_up = Secret(second.request, second.request, second.gold, (), schema) if second else None
    return (secret_of(task, schema), *([follow_up] if follow_up else []))


def secret_of(task: InteractTask, schema: str) -> Secret:
    """The user's knowledge during the first request."""
    hidden = task.hidden
    gold = hidden.first.gold
    return Secret(task.public.request, hidden.clear, gold, hidden.ambiguities, schema)


def _function_driven(model: LanguageModel, secret: Secret, context: TrialContext) -> Clarifier:
    return FunctionDriven(secret, _bound(model, "reader", context), _bound(model, "user", context))


def _baseline(model: LanguageModel, secret: Secret, context: TrialContext) -> Clarifier:
    return Baseline(secret, _bound(model, "user", context))


def _bound(model: LanguageModel, role: str, context: TrialContext) -> Model:
    return model.bind(role, context.trajectory.record, derive_seed(context.seed, role))
