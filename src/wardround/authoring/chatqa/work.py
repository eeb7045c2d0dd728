"""Makes EHR-ChatQA tasks for `tasks make`."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from typing import NamedTuple

from wardround.authoring.chatqa.asked_records import open_records
from wardround.authoring.chatqa.declaration import MakeOptions
from wardround.authoring.chatqa.rewording.instruction_wordings import (
    JUDGE,
    PARAPHRASER,
    InstructionWordings,
)
from wardround.authoring.chatqa.suite import Checked, MadeTask, made_tasks
from wardround.authoring.rewording.usage import spent
from wardround.benchmarks.chatqa.declaration import CURRENT_TIME
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.option_types import TIME_FORMAT
from wardround.core.private_files import write_whole
from wardround.core.trajectory import Requested
from wardround.core.work import Progress, WorkContext, WorkResult
from wardround.ehr.database import open_database
from wardround.ehr.records import records_of
from wardround.ehr.times.record_end import current_time
from wardround.models.roles import Models, UnusedModels

NO_MODELS = UnusedModels()
_LAYOUTS = ("mimic_iv_star", "eicu_star")


class Written(NamedTuple):
    """A file of tasks that was written.

    Attributes:
        tasks: the tasks.
        checked: the counts of drafts.
        layout: the database's name in the tasks.
        current_time: the current time of the questions.
        wordings: the sentences by wording; None without a model.
        requests: the requests to models.
    """

    tasks: list[PublishedTask]
    checked: Checked
    layout: str
    current_time: str
    wordings: Table | None
    requests: Sequence[Requested]


def make(options: MakeOptions, context: WorkContext[Models]) -> WorkResult:
    """Makes tasks about a database.

    Raises:
        UserError: the file exists, the records do not serve questions, or a paraphraser has no
            judge.
        InfraError: a provider fails.
    """
    return _result(options, write_tasks(options, context.progress, context.models))


def write_tasks(options: MakeOptions, progress: Progress, models: Models = NO_MODELS) -> Written:
    """Makes tasks about a database and writes them to a file.

    Raises:
        UserError: the file exists, the records do not serve questions, or a paraphraser has no
            judge.
        InfraError: a provider fails.
    """
    if options.to.exists():
        raise UserError(f"{options.to} exists already; name another file with --to.")
    with closing(open_database(options.database)) as database:
        records = records_of(database, options.map)
        now = options.current_time or current_time(database, CURRENT_TIME, _LAYOUTS).time
        asked = open_records(database, records, datetime.strptime(now, TIME_FORMAT))
        wanted = options.incre + options.adapt
        made, checked = made_tasks(
            asked,
            records.layout,
            (options.incre, options.adapt),
            options.depth,
            options.seed,
            lambda made: progress(made, wanted, "tasks"),
        )
    if not made:
        raise UserError(f"{options.database} serves no task; name a database with more records.")
    tasks, wordings, requests = asyncio.run(_worded(made, models, options.seed, progress))
    write_whole(options.to, json_lines(t.model_dump(exclude_defaults=True) for t in tasks))
    return Written(tasks, checked, records.layout, now, wordings, requests)


async def _worded(
    made: Sequence[MadeTask], models: Models, seed: int, progress: Progress
) -> tuple[list[PublishedTask], Table | None, Sequence[Requested]]:
    """The tasks in the words of a paraphraser, if there is one; closes the models."""
    requests: list[Requested] = []
    try:
        if (paraphraser := models.find(PARAPHRASER)) is None:
            return [each.task for each in made], None, requests
        wordings = InstructionWordings(paraphraser, models.open(JUDGE), seed, requests.append)
        tasks = []
        for task in made:
            tasks.append(await wordings.reworded(task))
            progress(len(tasks), len(made), "tasks reworded")
        return tasks, wordings.table(), requests
    finally:
        await models.close()


def _result(options: MakeOptions, written: Written) -> WorkResult:
    counts = Counter(task.category or "IncreQA" for task in written.tasks)
    table = Table("Tasks", ("tasks", "number"), tuple(sorted(counts.items())))
    made, wanted = len(written.tasks), options.incre + options.adapt
    short = f"{made} of {wanted} tasks could be made; name a larger database, or fewer tasks."
    database = f"{written.layout}={options.database}"
    run = f"wardround run chatqa --tasks {options.to} --database {database}"
    tables = {"tasks": table, "checks": written.checked.table()}
    if written.wordings:
        tables["wordings"] = written.wordings
    return WorkResult(
        Summary(tables),
        (
            *([spent(written.requests)] if written.requests else []),
            f"{made} tasks written to {options.to}.",
            f'Run them: {run} --current-time "{written.current_time}"',
        ),
        (short,) if made < wanted else (),
    )
