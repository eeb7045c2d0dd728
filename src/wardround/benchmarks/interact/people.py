"""Who plays the user of BIRD-Interact (3.3)."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.environments.questions import Questions, RecordedUser
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.benchmark import TrialContext
from wardround.core.seeds import derive_seed
from wardround.models.client import LanguageModel
from wardround.models.model import Model
from wardround.models.roles import RoleModels
from wardround.people.clarifying import Baseline, FunctionDriven, ModelFree
from wardround.people.clarifying.model import Clarifier, Secret

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
        return Questions(RecordedUser(context.recorded), context.trajectory.record)
    return Questions(users(secret_of(task, schema), context), context.trajectory.record)


def secret_of(task: InteractTask, schema: str) -> Secret:
    """What the user of a task knows."""
    hidden = task.hidden
    gold = hidden.first.gold
    return Secret(task.public.request, hidden.clear, gold, hidden.ambiguities, schema)


def _function_driven(model: LanguageModel, secret: Secret, context: TrialContext) -> Clarifier:
    return FunctionDriven(secret, _bound(model, "reader", context), _bound(model, "user", context))


def _baseline(model: LanguageModel, secret: Secret, context: TrialContext) -> Clarifier:
    return Baseline(secret, _bound(model, "user", context))


def _bound(model: LanguageModel, role: str, context: TrialContext) -> Model:
    return model.bind(role, context.trajectory.record, derive_seed(context.seed, role))
