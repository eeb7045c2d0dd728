"""Makers of agents on the run's language model."""

from collections.abc import Callable

from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.environment import Agent
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel
from wardround.models.model import Model


def agents_on(
    model: LanguageModel | None, kind: Callable[[Briefing, Model], Agent], name: str
) -> AgentMaker:
    """A maker of agents of a class, each with its trial's seed and ledger.

    Raises:
        UserError: no model was named.
    """
    named = check_model(model, name)

    def make(briefing: Briefing, context: AgentContext) -> Agent:
        return kind(briefing, named.bind("agent", context.ledger.record, context.seed))

    return make


def check_model(model: LanguageModel | None, name: str) -> LanguageModel:
    """Returns the model of an agent that needs one.

    Raises:
        UserError: no model was named.
    """
    if model is None:
        raise UserError(f"The agent {name!r} needs a language model; name one with --model.")
    return model
