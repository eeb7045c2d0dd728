"""The database, knowledge base and grader for making and checking tasks."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wardround.authoring.findings import Finding
from wardround.authoring.interact.ambiguities.chains import transitions
from wardround.authoring.interact.ambiguities.checks import Judge, Judged, check_task
from wardround.benchmarks.interact.declaration import Mode
from wardround.benchmarks.interact.gold.check import check_gold
from wardround.benchmarks.interact.open_databases import SHIPPED, open_named_or_shipped
from wardround.benchmarks.interact.submission_grader import Grader
from wardround.benchmarks.interact.tasks import InteractTask, load_tasks, shipped_tasks
from wardround.benchmarks.kit.databases import close_databases
from wardround.core.errors import UserError
from wardround.ehr.database import Database, Workspace
from wardround.ehr.database.postgres.statements import SECONDS, Start
from wardround.ehr.knowledge import KnowledgeBase

# The name of the check that the grader accepts all golds.
GOLD = "gold"


@dataclass(frozen=True, slots=True)
class Workshop:
    """A database to read, a copy to write to, and a grader.

    Attributes:
        database: the database, read only.
        workspace: a copy to run statements on.
        base: the unmasked knowledge base.
        grader: grades alternative readings.
    """

    database: Database
    workspace: Workspace
    base: KnowledgeBase
    grader: Grader

    def judge(self, task: InteractTask) -> Judge:
        """Makes a judge of statements for a task's first request."""
        start = Start(self.workspace, task.hidden.before, SECONDS)

        def judge(sql: str, mode: Mode) -> Judged:
            start.restore()
            grade = self.grader.grade(task.hidden.first, sql, start, mode)
            if grade.passed:
                return "right"
            return "wrong" if grade.outcome in ("wrong", "empty") else "fails"

        return judge

    def gold_findings(self, task: InteractTask) -> tuple[Finding, ...]:
        """Returns a finding for the first gold that the grader rejects, if any."""
        fault = check_gold(task, self.workspace, self.grader)
        return (Finding(task.id, GOLD, problem=fault),) if fault else ()

    def findings(self, task: InteractTask) -> tuple[Finding, ...]:
        """Returns the failed checks of a task: of its golds or, if these pass, its ambiguities."""
        return self.gold_findings(task) or check_task(task, self.base, self.judge(task))


class Checked(NamedTuple):
    """A task, its failed checks, and the transitions of its ambiguities (H.3)."""

    task: InteractTask
    findings: tuple[Finding, ...]
    transitions: tuple[str, ...]


def checked_tasks(
    source: Path | None, databases: Mapping[str, str], documents: Path | None = None
) -> Iterator[Checked]:
    """Checks each task of a file.

    Args:
        source: the task file; None for the shipped suite.
        databases: files or URLs by the names that tasks use; empty for the shipped hospital.
        documents: a folder with the databases' documents; None for wardround's own.

    Raises:
        UserError: the file or a database cannot be read, or a task's database is missing.
    """
    suite = load_tasks(source) if source else shipped_tasks()
    if suite.defects:
        first = suite.defects[0]
        raise UserError(f"{first.where}: {first.reason}; fix the task.")
    if missing := {task.public.database for task in suite.tasks} - set(databases or [SHIPPED]):
        name = sorted(missing)[0]
        raise UserError(f"Tasks need the database {name}; add --database {name}=postgresql:NAME.")
    opened = open_named_or_shipped(databases, documents)
    try:
        with closing(Grader()) as grader:
            for task in suite.tasks:
                database = opened[task.public.database]
                with closing(database.database.writable()) as workspace:
                    workshop = Workshop(database.database, workspace, database.knowledge, grader)
                    findings = workshop.findings(task)
                yield Checked(task, findings, tuple(transitions(task, database.knowledge)))
    finally:
        close_databases(opened)
