"""Turn-level verification and chained reflection (Lee et al. 2025, A.3.4)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, StringConstraints
from pydantic.config import JsonDict

from wardround.core.errors import MalformedAnswerError
from wardround.core.trajectory import Noted
from wardround.models.messages import Message
from wardround.models.model import Model

Note: TypeAlias = Callable[[Noted], None]
# Descriptions of schemas are part of requests: other words would make recordings stale.
_VERDICT: JsonDict = {"description": "What the verifier makes of a message."}
_REVISION: JsonDict = {"description": "What reflection makes of a rejected message."}


class Verdict(BaseModel):
    """The verifier's decision on a message."""

    model_config = ConfigDict(defer_build=True, json_schema_extra=_VERDICT)

    explanation: str
    verdict: Literal["accepted", "rejected"]


class Revision(BaseModel):
    """The result of reflection on a rejected message."""

    model_config = ConfigDict(defer_build=True, json_schema_extra=_REVISION)

    issue: str
    message: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@dataclass(frozen=True, slots=True)
class Draft:
    """A message before it is sent.

    Attributes:
        talk: the conversation so far, as text.
        message: the proposed message.
        issue: the problem found by the previous reflection; empty for a first draft.
        objection: the verifier's reason for rejecting this message; empty before.
    """

    talk: str
    message: str
    issue: str = ""
    objection: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Settings for verifying a person's messages before they are sent.

    Attributes:
        verifier: judges a draft; bound at temperature 0 to the role "verifier".
        reflector: revises a rejected draft; bound to the person's own role.
        verifier_prompt: makes the verifier's prompt for a draft.
        reflection_prompt: makes the reflector's prompt for a rejected draft.
        note: records verdicts and revisions.
        rounds: the maximum number of drafts to judge.
    """

    verifier: Model
    reflector: Model
    verifier_prompt: Callable[[Draft], str]
    reflection_prompt: Callable[[Draft], str]
    note: Note
    rounds: int = 3


async def verified_message(talk: str, message: str, check: Check) -> str:
    """Returns the message once the verifier accepts it, revised as often as that takes.

    After the last round the last revision is used. If the verifier or the reflector gives no
    valid answer, the draft is used as it is, so that their failure does not end the trial. All
    of this is noted.

    Raises:
        InfraError: a provider failed.
    """
    draft = Draft(talk, message)
    for _ in range(check.rounds):
        try:
            verdict = await _judge(draft, check)
            if verdict.verdict == "accepted":
                return draft.message
            draft = await _revise(replace(draft, objection=verdict.explanation), check)
        except MalformedAnswerError as error:
            check.note(Noted("unverified", {"reason": str(error), "message": draft.message}))
            return draft.message
    reason = f"still rejected after {check.rounds} rounds"
    check.note(Noted("unverified", {"reason": reason, "message": draft.message}))
    return draft.message


async def _judge(draft: Draft, check: Check) -> Verdict:
    prompt = check.verifier_prompt(draft)
    verdict = await check.verifier.structured([Message("user", prompt)], Verdict)
    check.note(Noted("verdict", {"message": draft.message, **verdict.model_dump()}))
    return verdict


async def _revise(draft: Draft, check: Check) -> Draft:
    prompt = check.reflection_prompt(draft)
    revision = await check.reflector.structured([Message("user", prompt)], Revision)
    check.note(Noted("revision", revision.model_dump()))
    return Draft(draft.talk, revision.message, revision.issue)
