"""Candidate ambiguities and follow-ups in a review file of ambiguous tasks."""

from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import orjson
from pydantic import Discriminator, Tag

from wardround.authoring.interact.ambiguities.follow_ups import FollowUp
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.review_file import Candidate, Detail, begin_review
from wardround.benchmarks.interact.tasks import Category


class AmbiguityDetail(Detail):
    """The fields of a `Proposal` without its kind."""

    fragment: str
    meaning: str = ""
    otherwise: tuple[str, ...] = ()
    said: str = ""
    becomes: str = ""
    term: str = ""
    critical: bool = True
    knowledge: int | None = None
    transition: str = ""


class FollowUpDetail(Detail):
    """The fields of a `FollowUp` without its kind and request."""

    gold: str
    category: Category = "BI"
    first: str = ""
    made: str = ""
    held: str = ""


def _tag(detail: Any) -> str:
    is_follow_up = isinstance(detail, FollowUpDetail) or (
        isinstance(detail, dict) and "gold" in detail
    )
    return "follow-up" if is_follow_up else "ambiguity"


_Either: TypeAlias = Annotated[
    Annotated[AmbiguityDetail, Tag("ambiguity")] | Annotated[FollowUpDetail, Tag("follow-up")],
    Discriminator(_tag),
]
TaskCandidate: TypeAlias = Candidate[_Either]


def candidate_of(task: str, source: Proposal | FollowUp, request: str = "") -> TaskCandidate:
    """Makes an undecided candidate; `request` is the resulting text of a proposal."""
    fields = asdict(source)
    kind = fields.pop("kind")
    if isinstance(source, FollowUp):
        request = fields.pop("request")
        detail: AmbiguityDetail | FollowUpDetail = FollowUpDetail(**fields)
        identity: tuple[object, ...] = (source.gold,)
    else:
        detail = AmbiguityDetail(**fields | {"term": source.term or source.becomes.strip()})
        identity = (source.fragment, source.knowledge, source.transition)
    return TaskCandidate(
        id=f"{task}/{kind.replace(' ', '-')}/{_digest(identity)}",
        kind=kind,
        changes=task,
        text=request,
        detail=detail,
    )


def proposals_of(candidates: Iterable[TaskCandidate]) -> list[Proposal]:
    """Returns the proposals among candidates."""
    return [
        Proposal(candidate.kind, **dict(candidate.detail))
        for candidate in candidates
        if isinstance(candidate.detail, AmbiguityDetail)
    ]


def follow_ups_of(candidates: Iterable[TaskCandidate]) -> list[FollowUp]:
    """Returns the follow-ups among candidates."""
    return [
        FollowUp(candidate.kind, candidate.text, **dict(candidate.detail))
        for candidate in candidates
        if isinstance(candidate.detail, FollowUpDetail)
    ]


def is_worded(candidate: TaskCandidate) -> bool:
    """True for a follow-up, or an ambiguity with a meaning; a model may word the others."""
    return isinstance(candidate.detail, FollowUpDetail) or bool(candidate.detail.meaning)


def begin_candidates(path: Path) -> tuple[TaskCandidate, ...]:
    """Reads the candidates of a review file; creates a missing file.

    Raises:
        UserError: the file cannot be written, or has damaged lines or accepted candidates
            without a meaning.
    """
    return begin_review(path, TaskCandidate, _fault)


def _fault(candidate: TaskCandidate) -> str:
    if candidate.decision != "accept" or is_worded(candidate):
        return ""
    return "accepted without a meaning; write what the user means, or strike it"


def _digest(parts: object) -> str:
    return sha256(orjson.dumps(parts)).hexdigest()[:10]
