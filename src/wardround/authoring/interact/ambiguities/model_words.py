"""Words ambiguities with a language model where rules cannot, and checks its words."""

from collections.abc import Mapping
from dataclasses import replace

from pydantic import BaseModel

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous
from wardround.authoring.interact.ambiguities.spoken_values import given_away
from wardround.authoring.rewording.pipeline import Check, Pipeline
from wardround.core.errors import MalformedAnswerError
from wardround.core.packaged_data import read_text
from wardround.models import Message, Model

# The largest share of a request that a vaguer word may replace.
_LARGEST_PART = 0.6


# The name and docstring are sent to the model: recordings are found by them.
class Wording(BaseModel):
    """What the model answers."""

    said: str
    becomes: str
    meaning: str


async def with_model_words(
    task: ClearTask, proposal: Proposal, model: Model
) -> tuple[Proposal, Mapping[str, str]]:
    """Words a proposal by a model; returns it with the faults of its words by check.

    The proposal is unchanged if the model's answer is malformed or fails a check.

    Args:
        task: the clear task.
        proposal: a proposal without words.
        model: the model.

    Raises:
        InfraError: the provider fails.
    """
    request = f"Request: {task.first.request}\nCondition: {proposal.fragment}"
    messages = [
        Message("system", read_text(__package__, "model_words.md")),
        Message("user", request),
    ]
    try:
        wording = await model.structured(messages, Wording)
    except MalformedAnswerError:
        return proposal, {"form": "the model gave no words"}
    [rewording] = await Pipeline(_checks(task, proposal)).run([wording])
    return (_worded(proposal, wording) if rewording.passes else proposal), rewording.checks


def _checks(task: ClearTask, proposal: Proposal) -> dict[str, Check[Wording]]:
    request = task.first.request
    return {
        "form": lambda wording, before: _form_fault(wording),
        "place": lambda wording, before: _place_fault(wording, request),
        "hidden": lambda wording, before: _leak_fault(_worded(proposal, wording), request),
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
