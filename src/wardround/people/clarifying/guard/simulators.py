"""The simulated users that guard questions can be put to, by name."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, get_args

from wardround.core.errors import UserError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models.model import Model
from wardround.models.roles import Models
from wardround.people.clarifying import Baseline, FunctionDriven, ModelFree
from wardround.people.clarifying.guard.evaluation import OpenUser
from wardround.people.clarifying.secret import Clarifier, Secret

Simulator: TypeAlias = Literal["function-driven", "baseline", "model-free"]
SIMULATORS: tuple[Simulator, ...] = get_args(Simulator)


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
