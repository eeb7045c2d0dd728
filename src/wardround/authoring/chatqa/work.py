"""Makes EHR-ChatQA tasks for `tasks make`."""

from collections import Counter
from contextlib import closing
from datetime import datetime

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
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import open_database
from wardround.ehr.records import records_of
from wardround.ehr.times.record_end import current_time

_LAYOUTS = ("mimic_iv_star", "eicu_star")


def make(options: MakeOptions, context: WorkContext[object]) -> WorkResult:
    """Makes tasks about a database.

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
            lambda made: context.progress(made, wanted, "tasks"),
        )
    if not tasks:
        raise UserError(f"{options.database} serves no task; name a database with more records.")
    write_whole(options.to, json_lines(t.model_dump(exclude_defaults=True) for t in tasks))
    return _result(options, records.layout, tasks, checked, now)


def _result(
    options: MakeOptions, name: str, tasks: list[PublishedTask], checked: Checked, now: str
) -> WorkResult:
    counts = Counter(task.category or "IncreQA" for task in tasks)
    table = Table("Tasks", ("tasks", "number"), tuple(sorted(counts.items())))
    made, wanted = len(tasks), options.incre + options.adapt
    short = f"{made} of {wanted} tasks could be made; name a larger database, or fewer tasks."
    run = f"wardround run chatqa --tasks {options.to} --database {name}={options.database}"
    return WorkResult(
        Summary({"tasks": table, "checks": checked.table()}),
        (f"{made} tasks written to {options.to}.", f'Run them: {run} --current-time "{now}"'),
        (short,) if made < wanted else (),
    )
