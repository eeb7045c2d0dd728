"""The current time of questions, for running them and for scoring a file alike."""

from dataclasses import replace
from typing import NamedTuple

from wardround.benchmarks.ehrsql.declaration import BENCHMARK
from wardround.benchmarks.ehrsql.tasks import TIMES
from wardround.core.current_time import CurrentTime
from wardround.core.task import Suite
from wardround.ehr.database import Database
from wardround.ehr.times.record_end import current_time


class TimedSuite(NamedTuple):
    """Questions with their current time; None if the files name one for each question."""

    suite: Suite
    time: CurrentTime | None


def timed(suite: Suite, named: str | None, database: Database) -> TimedSuite:
    """Sets the current time of questions.

    Args:
        suite: the questions.
        named: the time that the user named, which holds for all questions; None if there is none.
        database: the database; its records decide where neither user nor files name a time.
    """
    undated = [task for task in suite.tasks if not task.hidden.dated]
    if named is not None:
        time, changed = CurrentTime(named), {task.id for task in suite.tasks}
    elif undated:
        layouts = [layout.name for layout in BENCHMARK.layouts]
        time = current_time(database, TIMES[undated[0].hidden.form], layouts)
        changed = {task.id for task in undated}
    else:
        return TimedSuite(suite, None)
    tasks = tuple(
        replace(task, public=replace(task.public, now=time.time)) if task.id in changed else task
        for task in suite.tasks
    )
    return TimedSuite(replace(suite, tasks=tasks), time)
