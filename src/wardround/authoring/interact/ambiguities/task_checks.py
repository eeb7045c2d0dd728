"""Runs the two checks of ambiguous tasks over a task file."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from wardround.authoring.findings import Finding
from wardround.authoring.interact.ambiguities.chains import transitions
from wardround.authoring.interact.ambiguities.checks import (
    COMPLETE,
    check_task,
    judge_of,
)
from wardround.benchmarks.interact.gold_check import check_gold
from wardround.benchmarks.interact.grader import Grader
from wardround.benchmarks.interact.open_databases import (
    OpenDatabase,
    open_with_documents,
    shipped_database,
)
from wardround.benchmarks.interact.published import load_tasks, shipped_suite
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.benchmarks.kit.databases import close_databases, open_databases
from wardround.core.errors import UserError
from wardround.ehr.database.postgres.statements import SECONDS


class Checked(NamedTuple):
    """A task, what is wrong with it, and the transitions of its ambiguities (H.3)."""

    task: InteractTask
    findings: tuple[Finding, ...]
    flows: tuple[str, ...]


def checked_tasks(
    source: Path | None, databases: Mapping[str, str], documents: Path | None = None
) -> Iterator[Checked]:
    """Each task of a file, with what the checks find and how its clarification flows.

    Args:
        source: The task file; None for the shipped suite.
        databases: Places of databases by the names that tasks use; none for the shipped hospital.
        documents: A folder with the databases' documents; None for wardround's own.

    Raises:
        UserError: The file or a database cannot be read, or a task names a database that is not
            among them.
    """
    suite = load_tasks(source) if source else shipped_suite()
    if suite.defects:
        first = suite.defects[0]
        raise UserError(f"{first.where}: {first.reason}; mend the task.")
    places = dict(databases or shipped_database())
    if missing := {task.public.database for task in suite.tasks} - set(places):
        name = sorted(missing)[0]
        raise UserError(f"Tasks need the database {name}; add --database {name}=postgresql:NAME.")
    opened = open_databases(places, partial(open_with_documents, documents=documents))
    try:
        with closing(Grader()) as grader:
            for task in suite.tasks:
                database = opened[task.public.database]
                flows = transitions(task, database.knowledge)
                yield Checked(task, _findings(task, database, grader), tuple(flows))
    finally:
        close_databases(opened)


def _findings(task: InteractTask, opened: OpenDatabase, grader: Grader) -> tuple[Finding, ...]:
    with closing(opened.database.writable()) as workspace:
        if wrong := check_gold(task, workspace, grader):
            return (Finding(task.id, COMPLETE, problem=wrong),)
        return check_task(task, opened.knowledge, judge_of(task, grader, workspace, SECONDS))
