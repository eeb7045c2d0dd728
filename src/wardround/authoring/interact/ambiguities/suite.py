"""Makes a review file and a task file from clear tasks, keeping a person's decisions."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import orjson
from pydantic import Discriminator, Tag

from wardround.authoring.findings import Finding, left_out
from wardround.authoring.interact.ambiguities.assembly import assembled, compatible
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.follow_ups import FollowUp
from wardround.authoring.interact.ambiguities.proposal_search import ambiguities, follow_ups
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous
from wardround.authoring.interact.ambiguities.workshop import Workshop
from wardround.authoring.interact.task_writer import dump_tasks
from wardround.authoring.review_file import Candidate, Detail, begin_review, merged, write_review
from wardround.benchmarks.interact.tasks import Category, InteractTask
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.work import WorkResult
from wardround.people.clarifying.kinds import in_order


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


REVIEW = "review.jsonl"
TASKS = "tasks.jsonl"

# The largest number of ambiguities of a task, as in the paper (Table 1).
MOST = 5

# Words a proposal; returns it with the faults of its words by check.
Reword: TypeAlias = Callable[[ClearTask, Proposal], tuple[Proposal, Mapping[str, str]]]


def make_tasks(
    clear: Sequence[ClearTask],
    workshop: Workshop,
    to: Path,
    *,
    reword: Reword = lambda task, proposal: (proposal, {}),
    unreviewed: bool = False,
    on_task: Callable[[], None] = lambda: None,
) -> WorkResult:
    """Writes both files into a folder.

    Args:
        clear: the clear tasks.
        workshop: the database and grader.
        to: the folder, whose review file, if any, is continued.
        reword: words proposals that rules could not word.
        unreviewed: True to use undecided candidates too, as many as are compatible.
        on_task: called after each task.

    Raises:
        UserError: the folder holds a task file without a review file, or an invalid review
            file.
    """
    if (to / TASKS).exists() and not (to / REVIEW).exists():
        raise UserError(
            f"{to / TASKS} was not written by this command; name another folder with --to."
        )
    make_folder(to)
    old = begin_candidates(to / REVIEW)
    settled = {known.id for known in old if known.decision != "open" or is_worded(known)}
    new: list[TaskCandidate] = []
    usable: list[ClearTask] = []
    findings: list[Finding] = []
    for task in clear:
        faults = workshop.gold_findings(assembled(task))
        findings += faults
        if not faults:
            usable.append(task)
            new += _candidates(task, workshop, reword, settled)
        on_task()
    candidates = merged(old, new, lambda candidate: not is_worded(candidate))
    write_review(to / REVIEW, candidates)
    tasks: list[InteractTask] = []
    for number, task in enumerate(usable):
        own_candidates = [each for each in candidates if each.changes == task.id]
        proposals, follow_up = _decided(task, own_candidates, number, unreviewed=unreviewed)
        if proposals:
            made, faults = _checked(task, proposals, follow_up, workshop, unreviewed=unreviewed)
            findings += faults
            tasks += [made] if made else []
    write_whole(to / TASKS, dump_tasks(tasks))
    return _result(tasks, candidates, findings, to, unreviewed=unreviewed)


def _candidates(
    task: ClearTask, workshop: Workshop, reword: Reword, settled: Collection[str]
) -> Iterator[TaskCandidate]:
    for proposal in ambiguities(task, workshop):
        request = ambiguous(task.first.request, [proposal])
        candidate = candidate_of(task.id, proposal, request)
        if not proposal.worded and candidate.id not in settled:
            worded, checks = reword(task, proposal)
            request = ambiguous(task.first.request, [worded])
            candidate = candidate_of(task.id, worded, request).model_copy(update={"checks": checks})
        yield candidate
    for follow_up in follow_ups(task, workshop):
        yield candidate_of(task.id, follow_up)


def _decided(
    task: ClearTask, candidates: Sequence[TaskCandidate], number: int, *, unreviewed: bool
) -> tuple[tuple[Proposal, ...], FollowUp | None]:
    """The accepted candidates; with `unreviewed`, the undecided ones if none is accepted."""
    accepted = [each for each in candidates if each.decision == "accept"]
    proposals, after = tuple(proposals_of(accepted)), follow_ups_of(accepted)
    if unreviewed:
        undecided = [each for each in candidates if each.decision == "open"]
        proposals = proposals or compatible(proposals_of(undecided), task, MOST)
        after = after or _of_rotating_type(follow_ups_of(undecided), number)
    return proposals, after[0] if after else None


def _of_rotating_type(follow_ups: Sequence[FollowUp], number: int) -> list[FollowUp]:
    """The follow-ups of one type, in rotation over tasks."""
    kinds = list(dict.fromkeys(follow_up.kind for follow_up in follow_ups))
    return [new for new in follow_ups if new.kind == kinds[number % len(kinds)]]


def _checked(
    task: ClearTask,
    proposals: tuple[Proposal, ...],
    follow_up: FollowUp | None,
    workshop: Workshop,
    *,
    unreviewed: bool,
) -> tuple[InteractTask | None, tuple[Finding, ...]]:
    """The task if it passes both checks; unreviewed ambiguities are dropped until it does."""
    made = assembled(task, proposals, follow_up)
    first = findings = workshop.findings(made)
    while findings and unreviewed and len(proposals) > 1:
        proposals = _fewer(proposals, {finding.part for finding in findings})
        made = assembled(task, proposals, follow_up)
        findings = workshop.findings(made) if proposals else first
    return (None, first) if findings else (made, ())


def _fewer(proposals: tuple[Proposal, ...], bad: set[str]) -> tuple[Proposal, ...]:
    """Removes the proposals of bad terms; the last one if no term matches."""
    remaining = tuple(each for each in proposals if each.ambiguity().term not in bad)
    return remaining if len(remaining) < len(proposals) else proposals[:-1]


def _result(
    tasks: Sequence[InteractTask],
    candidates: Sequence[TaskCandidate],
    findings: Sequence[Finding],
    to: Path,
    *,
    unreviewed: bool,
) -> WorkResult:
    """Counts of both files, and findings for the tasks and wordings left out."""
    in_review = Counter(each.kind for each in candidates)
    in_tasks = Counter(point.kind for task in tasks for point in task.hidden.ambiguities)
    in_tasks += Counter(task.hidden.second.follow_up for task in tasks if task.hidden.second)
    rows = tuple((kind, in_review[kind], in_tasks[kind]) for kind in in_order(in_review))
    table = Table("Ambiguities", ("type", "in the review file", "in the task file"), rows)
    undecided = sum(each.decision == "open" for each in candidates)
    pruned = filter(None, (each.finding for each in candidates))
    return WorkResult(
        Summary({"made": table, **left_out([*findings, *pruned])}),
        (
            f"{to / REVIEW}: {len(candidates):,} lines, {undecided:,} undecided.",
            f"{to / TASKS}: {len(tasks):,} tasks.",
        ),
        tuple(map(str, findings)),
        int(bool(findings) and not unreviewed),
    )
