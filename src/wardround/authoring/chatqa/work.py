"""Makes EHR-ChatQA tasks for `tasks make`."""

from collections import Counter
from contextlib import closing
from datetime import datetime
from typing import NamedTuple

from wardround.authoring.chatqa.asked_records import open_records
from wardround.authoring.chatqa.declaration import MakeOptions
from wardround.authoring.chatqa.suite import Checked, made_tasks
from wardround.benchmarks.chatqa.declaration import CURRENT_TIME
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.option_types import TIME_FORMAT
from wardround.core.private_files import write_whole
from wardround.core.work import Progress, WorkContext, WorkResult
from wardround.ehr.database import open_database
from wardround.ehr.records import records_of
from wardround.ehr.times.record_end import current_time

_LAYOUTS = ("mimic_iv_star", "eicu_star")


class Written(NamedTuple):
    """A file of tasks that was written.

    Attributes:
        tasks: the tasks.
        checked: the counts of drafts.
        layout: the database's name in the tasks.
        current_time: the current time of the questions.
    """

    tasks: list[PublishedTask]
    checked: Checked
    layout: str
    current_time: str


def make(options: MakeOptions, context: WorkContext[object]) -> WorkResult:
    """Makes tasks about a database.

    Raises:
        UserError: the file exists, or the records do not serve questions.
    """
    return _result(options, write_tasks(options, context.progress))


def write_tasks(options: MakeOptions, progress: Progress) -> Written:
    """Makes tasks about a database and writes them to a file.

    Raises:
        UserError: the file exists, or the records do not serve questions.
    """
    if options.to.exists():
        raise UserError(f"{options.to} exists already; name another file with --to.")
    with closing(open_database(options.database)) as database:
        records = records_of(database, options.map)
        now = options.current_time or current_time(database, CURRENT_TIME, _LAYOUTS).time
        asked = open_records(database, records, datetime.strptime(now, TIME_FORMAT))
        wanted = options.incre + options.adapt
        tasks, checked = made_tasks(
            asked,
            records.layout,
            (options.incre, options.adapt),
            options.depth,
            options.seed,
            lambda made: progress(made, wanted, "tasks"),
        )
    if not tasks:
        raise UserError(f"{options.database} serves no task; name a database with more records.")
    write_whole(options.to, json_lines(t.model_dump(exclude_defaults=True) for t in tasks))
    return Written(tasks, checked, records.layout, now)


def _result(options: MakeOptions, written: Written) -> WorkResult:
    counts = Counter(task.category or "IncreQA" for task in written.tasks)
    table = Table("Tasks", ("tasks", "number"), tuple(sorted(counts.items())))
    made, wanted = len(written.tasks), options.incre + options.adapt
    short = f"{made} of {wanted} tasks could be made; name a larger database, or fewer tasks."
    database = f"{written.layout}={options.database}"
    run = f"wardround run chatqa --tasks {options.to} --database {database}"
    return WorkResult(
        Summary({"tasks": table, "checks": written.checked.table()}),
        (
            f"{made} tasks written to {options.to}.",
            f'Run them: {run} --current-time "{written.current_time}"',
        ),
        (short,) if made < wanted else (),
    )
