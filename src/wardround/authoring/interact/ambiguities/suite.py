"""Makes a review file and a task file of clear tasks; a person's decisions stay."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from wardround.authoring.findings import Finding
from wardround.authoring.interact.ambiguities.assembly import assembled, chosen
from wardround.authoring.interact.ambiguities.candidates import (
    TaskCandidate,
    begin_candidates,
    candidate_of,
    follow_ups_of,
    is_worded,
    proposals_of,
)
from wardround.authoring.interact.ambiguities.checks import check_task, judge_of
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.follow_ups import FollowUp
from wardround.authoring.interact.ambiguities.proposal_search import (
    Workshop,
    ambiguities,
    follow_ups,
)
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous
from wardround.authoring.interact.task_writer import dump_tasks
from wardround.authoring.review_file import merged, write_review
from wardround.benchmarks.interact.gold_check import check_gold
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.errors import UserError
from wardround.ehr.database.postgres.statements import SECONDS

REVIEW = "review.jsonl"
TASKS = "tasks.jsonl"

# The check that a clear task fails.
GOLD = "gold"

# The most ambiguities of a task, as in the paper (Table 1).
MOST = 5

# Words a proposal, and says what the checks of its words found.
Reworded: TypeAlias = Callable[[ClearTask, Proposal], tuple[Proposal, Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Made:
    """Tasks that were made.

    Attributes:
        tasks: The tasks of the task file.
        candidates: The candidates of the review file.
        findings: Why tasks that could have been made are not in the file.
    """

    tasks: tuple[InteractTask, ...]
    candidates: tuple[TaskCandidate, ...]
    findings: tuple[Finding, ...]


def make_tasks(
    clear: Sequence[ClearTask],
    workshop: Workshop,
    to: Path,
    *,
    reworded: Reworded = lambda task, proposal: (proposal, {}),
    unreviewed: bool = False,
    on_task: Callable[[], None] = lambda: None,
) -> Made:
    """Writes both files into a folder.

    Args:
        clear: The clear tasks.
        workshop: The database and grader that they are made with.
        to: The folder. A review file in it is gone on with.
        reworded: Words what rules could not word.
        unreviewed: True to use candidates that nobody has decided too, of each task as many as
            go together.
        on_task: Called after each task.

    Raises:
        UserError: The folder holds a task file that was not made here, or a review file that
            cannot be read.
    """
    if (to / TASKS).exists() and not (to / REVIEW).exists():
        raise UserError(f"{to / TASKS} was not made here; name another folder with --to.")
    to.mkdir(parents=True, exist_ok=True)
    old = begin_candidates(to / REVIEW)
    settled = {c.id for c in old if c.decision != "open" or is_worded(c)}
    new: list[TaskCandidate] = []
    usable: list[ClearTask] = []
    broken: list[Finding] = []
    for task in clear:
        if wrong := check_gold(assembled(task, (), None), workshop.workspace, workshop.grader):
            broken.append(Finding(task.id, GOLD, problem=wrong))
        else:
            usable.append(task)
            new += _candidates(task, workshop, reworded, settled)
        on_task()
    candidates = merged(old, new, lambda candidate: not is_worded(candidate))
    write_review(to / REVIEW, candidates)
    tasks, findings = _made(usable, candidates, workshop, unreviewed=unreviewed)
    (to / TASKS).write_bytes(dump_tasks(tasks))
    return Made(tasks, candidates, (*broken, *findings))


def _candidates(
    task: ClearTask, workshop: Workshop, reworded: Reworded, settled: Collection[str]
) -> Iterator[TaskCandidate]:
    for proposal in ambiguities(task, workshop):
        bare = candidate_of(task.id, proposal, ambiguous(task.request, [proposal]))
        if proposal.worded or bare.id in settled:
            yield bare
        else:
            worded, checks = reworded(task, proposal)
            request = ambiguous(task.request, [worded])
            yield candidate_of(task.id, worded, request).model_copy(update={"checks": checks})
    for follow_up in follow_ups(task, workshop):
        yield candidate_of(task.id, follow_up)


def _made(
    clear: Sequence[ClearTask],
    candidates: Sequence[TaskCandidate],
    workshop: Workshop,
    *,
    unreviewed: bool,
) -> tuple[tuple[InteractTask, ...], tuple[Finding, ...]]:
    tasks: list[InteractTask] = []
    findings: list[Finding] = []
    for place, task in enumerate(clear):
        mine = [candidate for candidate in candidates if candidate.changes == task.id]
        proposals, after = _decided(task, mine, place, unreviewed=unreviewed)
        if proposals:
            made, problems = _checked(task, proposals, after, workshop, unreviewed=unreviewed)
            findings += problems
            tasks += [made] if made else []
    return tuple(tasks), tuple(findings)


def _decided(
    task: ClearTask, candidates: Sequence[TaskCandidate], place: int, *, unreviewed: bool
) -> tuple[tuple[Proposal, ...], FollowUp | None]:
    """The accepted candidates; with `unreviewed`, undecided ones where none is accepted."""
    accepted = [candidate for candidate in candidates if candidate.decision == "accept"]
    proposals, after = tuple(proposals_of(accepted)), follow_ups_of(accepted)
    if unreviewed:
        undecided = [candidate for candidate in candidates if candidate.decision == "open"]
        proposals = proposals or chosen(proposals_of(undecided), task, MOST)
        after = after or _in_turn(follow_ups_of(undecided), place)
    return proposals, after[0] if after else None


def _in_turn(found: Sequence[FollowUp], place: int) -> list[FollowUp]:
    """One follow-up, of another type with each task."""
    kinds = list(dict.fromkeys(one.kind for one in found))
    return [one for one in found if one.kind == kinds[place % len(kinds)]][:1]


def _checked(
    task: ClearTask,
    proposals: tuple[Proposal, ...],
    after: FollowUp | None,
    workshop: Workshop,
    *,
    unreviewed: bool,
) -> tuple[InteractTask | None, tuple[Finding, ...]]:
    """The task if it passes both checks; unreviewed ambiguities are dropped until it does."""
    made = assembled(task, proposals, after)
    first = findings = _findings(made, workshop)
    while findings and unreviewed and len(proposals) > 1:
        proposals = _fewer(proposals, {finding.part for finding in findings})
        made = assembled(task, proposals, after)
        findings = _findings(made, workshop) if proposals else first
    return (None, first) if findings else (made, ())


def _fewer(proposals: tuple[Proposal, ...], bad: set[str]) -> tuple[Proposal, ...]:
    """Removes the proposals of some terms; the last one if there are none."""
    left = tuple(one for one in proposals if one.ambiguity().term not in bad)
    return left if len(left) < len(proposals) else proposals[:-1]


def _findings(made: InteractTask, workshop: Workshop) -> tuple[Finding, ...]:
    wrong = check_gold(made, workshop.workspace, workshop.grader)
    if wrong:
        return (Finding(made.id, GOLD, problem=wrong),)
    judge = judge_of(made, workshop.grader, workshop.workspace, SECONDS)
    return check_task(made, workshop.base, judge)
