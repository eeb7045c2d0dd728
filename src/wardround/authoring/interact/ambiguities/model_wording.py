"""Wording by a language model of what rules could not word; what it writes is checked."""

from dataclasses import replace
from functools import cache
from importlib.resources import files

from pydantic import BaseModel

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.hidden_terms import given_away
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous
from wardround.core.errors import MalformedAnswerError
from wardround.models import Message, Model

# More than that of a request is no place in it.
_LARGEST_PART = 0.6


class Wording(BaseModel):
    """What the model answers."""

    said: str
    becomes: str
    meaning: str


async def reworded(task: ClearTask, one: Proposal, model: Model) -> Proposal:
    """The proposal with a model's words; as it was where they do not hide what they should.

    Args:
        task: The clear task.
        one: A proposal that has no words.
        model: Asked once, with repairs of the answer's form.

    Raises:
        InfraError: The provider failed.
    """
    asked = f"Request: {task.request}\nCondition: {one.fragment}"
    messages = [Message("system", _instructions()), Message("user", asked)]
    try:
        found = await model.structured(messages, Wording)
    except MalformedAnswerError:
        return one
    words = replace(
        one, said=found.said, becomes=found.becomes, term=found.becomes, meaning=found.meaning
    )
    return words if _hides(words, task) else one


def _hides(words: Proposal, task: ClearTask) -> bool:
    """Whether a part of the request goes, and with it all that tells what is meant."""
    if not (words.said.strip() and words.becomes.strip() and words.meaning.strip()):
        return False
    if words.said not in task.request or len(words.said) > _LARGEST_PART * len(task.request):
        return False
    return not given_away(words.ambiguity(), ambiguous(task.request, [words]))


@cache
def _instructions() -> str:
    return (files(__package__) / "rewording.md").read_text("utf-8")
