"""Judges a run's trials again, by its programs or by other models."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from wardround.core.benchmark import Benchmark
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter
from wardround.core.trial import judge_trial
from wardround.core.verdict import Verdict
from wardround.models.model import ModelSettings
from wardround.models.roles import Models, UnusedModels
from wardround.runs.components import open_benchmark, open_models
from wardround.runs.open_run import settings_of
from wardround.runs.played import Unjudged, judge_and_write, scored_record
from wardround.runs.scoring import Rescored, changes
from wardround.runs.settings import RunSettings
from wardround.runs.stored import StoredRun

PROGRAM = "program:"

# Returns the verdicts on a trial that are not requested again.
Known: TypeAlias = Callable[[StoredRun, TrialRecord], list[Verdict]]
# A judged trial, and the reason why judging stopped early, or "".
Judged: TypeAlias = tuple[Unjudged, str]


@dataclass(frozen=True, slots=True)
class Added:
    """A set of verdicts added to a run.

    Attributes:
        judge: the set's name, for `report --judge`.
        trials: the number of judged trials.
        problems: a line for each trial that could not be judged completely.
    """

    judge: str
    trials: int
    problems: tuple[str, ...]


def judge_by_programs(folder: Path, *, trust: bool = False) -> Rescored:
    """Repeats the verdicts of programs with the current graders and databases, and scores.

    Args:
        folder: the run.
        trust: judge a run that cannot be verified, too.

    Raises:
        UserError: the folder is not a run, is being written to or does not verify, or its database
            is missing.
    """
    settings = settings_of(folder)
    models = UnusedModels(settings.models)
    with (
        RunWriter(folder, trust=trust) as writer,
        closing(open_benchmark(settings, models)) as benchmark,
    ):
        before = read_trials(folder)
        judged = asyncio.run(_judge_all(benchmark, models, settings, writer, _without_programs))
        records = {
            trial.record.key: scored_record(benchmark.score, trial, settings.grading, problem)
            for trial, problem in judged
        }
        after = [records.get(record.key, record) for record in before]
        writer.rewrite_trials(after)
    return changes(before, after, folder)


def judge_by_models(
    folder: Path, named: Mapping[str, ModelSettings], name: str = "", *, trust: bool = False
) -> Added:
    """Adds a set of verdicts by other models to a run; its own verdicts and scores stay.

    Args:
        folder: the run.
        named: the models by role.
        name: the set's name; by default the names of its models.
        trust: judge a run that cannot be verified, too.

    Raises:
        UserError: the folder is not a run, is being written to or does not verify, or a model
            cannot be used.
    """
    if not named:
        raise UserError("Name the model that judges, with --role-model judge=PROVIDER:NAME.")
    judge = name or "+".join(dict.fromkeys(model.name for model in named.values()))
    before = settings_of(folder)
    settings = before.model_copy(update={"models": {**before.models, **named}})
    sources = {f"model:{role}" for role in named}

    def known(stored: StoredRun, record: TrialRecord) -> list[Verdict]:
        verdicts = [v for v in stored.verdicts(record) if v.source not in sources]
        return [*verdicts, *stored.verdicts_of_set(record, judge)]

    models = open_models(settings)
    with (
        RunWriter(folder, trust=trust) as writer,
        closing(open_benchmark(settings, models)) as benchmark,
    ):
        judged = asyncio.run(_judge_all(benchmark, models, settings, writer, known, judge))
    problems = (f"{t.record.task}:{t.record.trial}: {why}" for t, why in judged if why)
    return Added(judge, len(judged), tuple(problems))


async def _judge_all(
    benchmark: Benchmark,
    models: Models,
    settings: RunSettings,
    writer: RunWriter,
    known: Known,
    judge: str = "",
) -> list[Judged]:
    """Judges all trials that count, with the run's concurrency."""
    suite = benchmark.load(settings.tasks, settings.tasks_chosen)
    tasks = {task.id: task for task in suite.tasks}
    stored, free = StoredRun(writer.folder), asyncio.Semaphore(settings.judged_at_once)

    async def judged(record: TrialRecord) -> Judged:
        async with free:
            played = stored.unjudged(tasks[record.task], record)
            trial = replace(played, known=known(stored, record))
            return trial, await judge_and_write(
                partial(judge_trial, benchmark), trial, writer, judge
            )

    counting = (r for r in read_trials(writer.folder) if r.task in tasks and stored.counts(r))
    try:
        return await asyncio.gather(*map(judged, counting))
    finally:
        await models.close()


def _without_programs(stored: StoredRun, record: TrialRecord) -> list[Verdict]:
    return [v for v in stored.verdicts(record) if not v.source.startswith(PROGRAM)]
