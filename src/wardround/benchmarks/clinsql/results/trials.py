"""Submissions of published models and of runs, graded and recorded alike."""

from asyncio import Semaphore, gather
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.checks.leaf_verdicts import CHECKS, COMPARED, QUERY, RESULT
from wardround.benchmarks.clinsql.checks.program_verdicts import CHECKS_VERSION
from wardround.benchmarks.clinsql.checks.results import decide_beside_gold
from wardround.benchmarks.clinsql.declaration import BENCHMARK
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.failures.error_classifier import ErrorClassifier
from wardround.benchmarks.clinsql.gold.result_comparison import (
    asked_form,
    compared_result,
)
from wardround.benchmarks.clinsql.items.checks import AllOf, LeafCheck
from wardround.benchmarks.clinsql.items.item import ClinTask, leaf_item
from wardround.benchmarks.clinsql.items.result_files import PLACEHOLDER, write_csv
from wardround.benchmarks.clinsql.results.models import (
    PublishedModel,
    trial_record,
)
from wardround.benchmarks.clinsql.results.runs import PublishedAttempt, Submission
from wardround.benchmarks.clinsql.tools import attempts, final_sql
from wardround.benchmarks.kit.checks import Finding, all_of
from wardround.benchmarks.kit.compared_runs import run_settings
from wardround.core.benchmark import Benchmark, JudgeContext
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trajectory, read_trials, read_verdicts
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, latest, verdict_key

_AT_ONCE = 8  # submissions that are judged at once, as in a run


class PublishedResults:
    """Decides results leaves of published submissions; a task's checks are compiled once."""

    def __init__(self) -> None:
        self._checks: dict[str, Mapping[str, LeafCheck]] = {}

    def verdicts(self, task: ClinTask, submission: Submission) -> Iterator[Verdict]:
        """Yields a verdict on each decided results leaf, and on the whole result of a made task.

        Items stay undecided if the query gave rows and its result is missing.
        """
        if submission.gave_rows and submission.result.is_placeholder:
            return
        if task.id not in self._checks:
            self._checks[task.id] = task_checks(task)
        result, gold = _facts(submission), task.hidden.result
        of_gold = ResultFacts(gold.columns, gold.rows)
        text = write_csv(submission.result)
        if task.hidden.is_made and result.rows:
            compared = compared_result(result, of_gold, asked_form(task))
            key = verdict_key(COMPARED, CHECKS_VERSION, task.id, text)
            yield Verdict(RESULT, COMPARED, compared.state, reason=compared.reason, key=key)
        for leaf in task.hidden.results_rubric.leaves():
            item = leaf_item("results", leaf.id)
            check = self._checks[task.id].get(item)
            finding = _decided(check, result, of_gold) if check else None
            if check and finding and finding.state != "undecided":
                key = verdict_key(CHECKS, CHECKS_VERSION, item, check.stored(), text)
                yield Verdict(item, CHECKS, finding.state, reason=finding.reason, key=key)


def _facts(submission: Submission) -> ResultFacts:
    if not submission.gave_rows:
        return ResultFacts((), ())
    return ResultFacts(submission.result.columns, submission.result.rows)


def _decided(check: LeafCheck, result: ResultFacts, gold: ResultFacts) -> Finding:
    if isinstance(check, AllOf):
        return all_of([_decided(each, result, gold) for each in check.checks])
    return decide_beside_gold(check, result, gold)


@dataclass(frozen=True, slots=True)
class GradedSubmission:
    """A submission with its verdicts and its record.

    Attributes:
        at_hand: false if only its grades are at hand.
    """

    task: ClinTask
    submission: Submission
    verdicts: Sequence[Verdict]
    record: TrialRecord
    at_hand: bool = True


@dataclass(frozen=True, slots=True)
class GradedModel:
    """A model or run: its settings as in `run.json`, and its submissions."""

    name: str
    settings: Mapping[str, Any]
    graded: tuple[GradedSubmission, ...]

    @property
    def items(self) -> set[str]:
        """The items that it has submissions for."""
        return {each.task.id for each in self.graded}

    @property
    def records(self) -> list[TrialRecord]:
        """The records of its trials."""
        return [each.record for each in self.graded]

    def with_items(self, items: Iterable[str]) -> "GradedModel":
        """The model with some items only."""
        wanted = set(items)
        return replace(self, graded=tuple(e for e in self.graded if e.task.id in wanted))


async def graded_model(
    model: PublishedModel,
    tasks: Mapping[str, ClinTask],
    results: PublishedResults,
    benchmark: Benchmark | None,
    grading: str = "",
    classifier: ErrorClassifier | None = None,
) -> GradedModel:
    """A published model, with its published verdicts, or those of a benchmark if it has none.

    Args:
        model: the model.
        tasks: the items by id; submissions for others are left out.
        results: decides leaves by the published results.
        benchmark: judges submissions without verdicts; None leaves them undecided.
        grading: the grading that decides what passes.
        classifier: classes failed leaves of published verdicts; a benchmark classes its own.
    """
    limit = Semaphore(_AT_ONCE)

    async def graded(item: str) -> GradedSubmission:
        task, submission = tasks[item], model.submission(item)
        sample, verdicts = model.samples.get(item), model.verdicts(task)
        at_hand = item in model.submissions
        if at_hand:
            verdicts += results.verdicts(task, submission)
        if benchmark is not None and not (sample and sample.grades):
            async with limit:
                judged = benchmark.judge(task, submission.trajectory(), JudgeContext())
                verdicts = with_others(verdicts, [verdict async for verdict in judged])
        elif classifier is not None and at_hand and submission.gave_rows:
            async with limit:
                context = JudgeContext()
                classes = classifier.verdicts(task, submission.sql, verdicts, context)
                verdicts += [verdict async for verdict in classes]
        published = model.published_scores(item)
        record = trial_record(
            task, submission, verdicts, grading, at_hand=at_hand, published=published
        )
        return GradedSubmission(task, submission, verdicts, record, at_hand)

    # An item that nobody graded counts in no published mean.
    items = model.graded_items if benchmark is None else model.items
    trials = await gather(*(graded(item) for item in items if item in tasks))
    return GradedModel(model.name, {"agent": model.name, "models": {}}, tuple(trials))


def with_others(published: Sequence[Verdict], judged: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts on a published submission, and those of its query run elsewhere.

    Findings of programs on results of other databases do not count: the published result is of
    MIMIC-IV.
    """
    ours = (v for v in judged if not (v.source == CHECKS and v.item.startswith("results:")))
    return [*published, *(verdict for verdict in ours if verdict.item != QUERY)]


def graded_run(
    folder: Path, tasks: Mapping[str, ClinTask], executions: Executions | None = None
) -> GradedModel:
    """A run of wardround's as submissions, the first trial of each item.

    Args:
        folder: the run.
        tasks: the items by id; trials of others are left out.
        executions: runs the queries again for their results; None leaves the results out.

    Raises:
        UserError: the folder is not a run of this benchmark.
    """
    settings = run_settings(folder, BENCHMARK.name)
    lines = read_verdicts(folder)
    graded = []
    for record in read_trials(folder):
        if record.task in tasks and record.trial == 0:
            trajectory = read_trajectory(folder, record.trajectory)
            published = [v for v in lines if v.trajectory == record.trajectory and not v.judge]
            verdicts = latest(line.verdict for line in published)
            submission = _submission(tasks[record.task], record, trajectory, executions)
            graded.append(GradedSubmission(tasks[record.task], submission, verdicts, record))
    return GradedModel(str(folder), settings, tuple(graded))


def _submission(
    task: ClinTask, record: TrialRecord, trajectory: Trajectory, executions: Executions | None
) -> Submission:
    made, split = attempts(trajectory), record.labels.get("split", "")
    ran = executions.of(made[-1].sql) if executions and made else Execution()
    rows = [0] * (len(made) - 1) + [len(ran.rows)]
    listed = tuple(
        PublishedAttempt(attempt.succeeded, attempt.error, count, attempt.sql)
        for attempt, count in zip(made, rows if made else [], strict=True)
    )
    result = ran.csv if made else PLACEHOLDER
    return Submission(task.id, split, final_sql(trajectory), result, listed)
