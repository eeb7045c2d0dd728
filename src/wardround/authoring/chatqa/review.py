"""A review file of made conversations: a sign-off for each, with what agents made of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from wardround.authoring.chatqa.declaration import ReviewOptions
from wardround.authoring.review_file import (
    Candidate,
    Decision,
    Detail,
    Own,
    begin_review,
    merged,
    write_review,
)
from wardround.benchmarks.chatqa.declaration import BENCHMARK
from wardround.benchmarks.chatqa.tasks import ChatTask, PublishedTask, load_tasks
from wardround.benchmarks.kit.compared_runs import run_settings
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.benchmark import Summary, Table
from wardround.core.private_files import write_whole
from wardround.core.record import Outcome
from wardround.core.run_reader import read_trials
from wardround.core.work import WorkContext, WorkResult

ALWAYS_FAILED, ALWAYS_PASSED = "every agent fails it", "every agent passes it"


class TaskDetail(Detail):
    """The details that a reviewer reads beside the instruction.

    Attributes:
        gold_sql: the gold query.
        gold_answer: its result.
        category: of an AdaptQA task.
        withheld: the names that its user does not suggest before the agent.
        flag: the outcome that all agents of some runs share; "" if they differ, or without runs.
    """

    gold_sql: str
    gold_answer: tuple[tuple[object, ...], ...]
    category: str = ""
    withheld: tuple[str, ...] = ()
    flag: str = ""


ReviewedTask = Candidate[TaskDetail]


def review(options: ReviewOptions, context: WorkContext[object]) -> WorkResult:
    """Adds tasks to a review file, and writes those that a person signed.

    Raises:
        UserError: a file or run cannot be read, or an accepted task has no name of a person.
    """
    tasks = load_tasks(options.tasks).tasks
    flags = flags_of(options.run)
    old = begin_review(options.review, ReviewedTask, unsigned)
    drafts = [_candidate(task, flags.get(task.id, "")) for task in tasks]
    known = {draft.id for draft in drafts}
    candidates = tuple(
        _flagged(candidate, flags)
        for candidate in merged(old, drafts, lambda candidate: candidate.id in known)
    )
    write_review(options.review, candidates)
    signed = [task for task in tasks if _is_signed(task, candidates)]
    if options.to:
        write_whole(options.to, json_lines(map(_published, signed)))
    return _result(options, candidates, len(signed))


def flags_of(runs: Iterable[Path]) -> Mapping[str, str]:
    """Flags of tasks that all trials of some runs fail, or pass.

    Raises:
        UserError: a folder is not a run of this benchmark.
    """
    outcomes: defaultdict[str, set[Outcome]] = defaultdict(set)
    for folder in runs:
        run_settings(folder, BENCHMARK.name)
        for trial in read_trials(folder):
            if trial.outcome.scored:
                outcomes[trial.task].add(trial.outcome)
    names = {Outcome.FAILED: ALWAYS_FAILED, Outcome.PASSED: ALWAYS_PASSED}
    return {
        task: names[next(iter(outcomes_of_task))]
        for task, outcomes_of_task in outcomes.items()
        if len(outcomes_of_task) == 1
    }


def _candidate(task: ChatTask, flag: str) -> ReviewedTask:
    hidden = task.hidden
    detail = TaskDetail(
        gold_sql=hidden.gold_sql,
        gold_answer=hidden.gold_answer,
        category=hidden.category,
        withheld=hidden.withheld,
        flag=flag,
    )
    return ReviewedTask(
        id=task.id,
        kind=task.public.flow,
        changes=task.id,
        text=hidden.instruction,
        checks={"agents": flag},
        detail=detail,
    )


def _flagged(candidate: ReviewedTask, flags: Mapping[str, str]) -> ReviewedTask:
    """A candidate with what the runs say of its task; what a person decided stays."""
    if not (flag := flags.get(candidate.id)):
        return candidate
    detail = candidate.detail.model_copy(update={"flag": flag})
    checks = {**candidate.checks, "agents": flag}
    return candidate.model_copy(update={"detail": detail, "checks": checks})


def unsigned(candidate: Candidate[Own]) -> str:
    """The fault of a decision without a name."""
    is_decided = candidate.decision != "open"
    return "is decided by nobody; write a name under by" if is_decided and not candidate.by else ""


def _is_signed(task: ChatTask, candidates: Iterable[ReviewedTask]) -> bool:
    """True if a person accepted a task as it is now."""
    return any(
        each.id == task.id
        and each.decision == "accept"
        and each.text == task.hidden.instruction
        and each.detail.gold_sql == task.hidden.gold_sql
        and each.detail.gold_answer == task.hidden.gold_answer
        and each.detail.withheld == task.hidden.withheld
        for each in candidates
    )


def _published(task: ChatTask) -> dict[str, object]:
    prefix = f"{task.public.database}-{task.public.flow}-"
    return PublishedTask(
        task_id=task.id.removeprefix(prefix),
        task_type=task.public.flow,
        db_id=task.public.database,
        instruction=task.hidden.instruction,
        gold_sql=task.hidden.gold_sql,
        gold_answer=[list(row) for row in task.hidden.gold_answer],
        category=task.hidden.category,
        withheld=list(task.hidden.withheld),
    ).model_dump(exclude_defaults=True)


def _result(
    options: ReviewOptions, candidates: tuple[ReviewedTask, ...], signed: int
) -> WorkResult:
    kinds = sorted({candidate.kind for candidate in candidates})
    decided = Counter((candidate.kind, candidate.decision) for candidate in candidates)
    rows: list[tuple[str | int, ...]] = [
        (kind, *(decided[kind, decision] for decision in _DECISIONS)) for kind in kinds
    ]
    flags = [(c.id, c.detail.flag) for c in candidates if c.detail.flag]
    tables = {
        "review": Table("Review", ("flow", *_DECISIONS), tuple(rows)),
        "flags": Table("Tasks to look at", ("task", "flag"), tuple(flags)),
    }
    written = (f"{signed} signed tasks written to {options.to}.",) if options.to else ()
    return WorkResult(Summary(tables), (f"Review file: {options.review}.", *written))


_DECISIONS: tuple[Decision, ...] = ("open", "accept", "strike")
