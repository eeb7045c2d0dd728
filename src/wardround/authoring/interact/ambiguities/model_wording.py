"""Wording by a language model where rules have no words; its words are checked."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files

from pydantic import BaseModel

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.hidden_terms import given_away
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous
from wardround.authoring.rewording.pipeline import Check, Pipeline
from wardround.core.errors import MalformedAnswerError
from wardround.models import Message, Model

# The largest share of a request that a vaguer word may replace.
_LARGEST_PART = 0.6


# The name and docstring are sent to the model: recordings are found by them.
class Wording(BaseModel):
    """What the model answers."""

    said: str
    becomes: str
    meaning: str


async def reworded(
    task: ClearTask, proposal: Proposal, model: Model
) -> tuple[Proposal, Mapping[str, str]]:
    """The proposal with a model's words, and what the checks of these found.

    Where the model gives none, or none that hide what they should, the proposal stays as it was.

    Args:
        task: The clear task.
        proposal: A proposal that has no words.
        model: Asked once, with repairs of the answer's form.

    Raises:
        InfraError: The provider fails.
    """
    request = f"Request: {task.request}\nCondition: {proposal.fragment}"
    messages = [Message("system", _instructions()), Message("user", request)]
    try:
        wording = await model.structured(messages, Wording)
    except MalformedAnswerError:
        return proposal, {"form": "the model gave no words"}
    [found] = await Pipeline(_checks(task, proposal)).run([wording])
    return (_worded(proposal, wording) if found.passes else proposal), found.checks


def _checks(task: ClearTask, proposal: Proposal) -> dict[str, Check[Wording]]:
    return {
        "form": lambda wording, before: _form_fault(wording),
        "place": lambda wording, before: _place_fault(wording, task.request),
        "hidden": lambda wording, before: _leak_fault(_worded(proposal, wording), task.request),
    }


def _form_fault(wording: Wording) -> str:
    empty = (name for name, text in wording if not text.strip())
    return next((f"the model left {name!r} empty" for name in empty), "")


def _place_fault(wording: Wording, request: str) -> str:
    if wording.said not in request:
        return f"{wording.said!r} is not in the request"
    too_long = len(wording.said) > _LARGEST_PART * len(request)
    return f"{wording.said!r} is too large a part of the request" if too_long else ""


def _leak_fault(proposal: Proposal, request: str) -> str:
    leaks = given_away(proposal.ambiguity(), ambiguous(request, [proposal]))
    return f"the request would still say {', '.join(leaks)}" if leaks else ""


def _worded(proposal: Proposal, wording: Wording) -> Proposal:
    return replace(
        proposal,
        said=wording.said,
        becomes=wording.becomes,
        term=wording.becomes,
        meaning=wording.meaning,
    )


@cache
def _instructions() -> str:
    return (files(__package__) / "rewording.md").read_text("utf-8")
