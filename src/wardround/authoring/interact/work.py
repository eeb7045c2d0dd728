"""Makes and checks ambiguous tasks, and asks guard questions, for the command line."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from wardround.authoring.findings import Finding
from wardround.authoring.interact.ambiguities.checks import COMPLETE, NECESSARY
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask, read_clear
from wardround.authoring.interact.ambiguities.model_words import with_model_words
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.suite import Reword, make_tasks
from wardround.authoring.interact.ambiguities.workshop import GOLD, Workshop, checked_tasks
from wardround.authoring.interact.declaration import CheckOptions, GuardOptions, MakeOptions
from wardround.authoring.interact.guard.accuracy import guard_user
from wardround.benchmarks.interact.open_databases import open_with_documents
from wardround.benchmarks.interact.submission_grader import Grader
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.trajectory import Requested
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.named_database import named_database
from wardround.models.roles import Models


def make(options: MakeOptions, context: WorkContext[Models]) -> WorkResult:
    """Makes a review file and a task file from clear tasks.

    Raises:
        UserError: a file or the database cannot be read, or a task has another database.
    """
    name, location = named_database(options.database)
    clear = read_clear(options.source, name)
    if stranger := next((task for task in clear if task.database != name), None):
        raise UserError(
            f"Task {stranger.id} is of the database {stranger.database!r}, not of {name!r}; give "
            f"the database that name, as --database {stranger.database}={location}."
        )
    done = -1

    def advance() -> None:
        nonlocal done
        done += 1
        context.progress(done, len(clear), "tasks")

    opened = open_with_documents(name, location, options.documents)
    with (
        closing(opened.database) as database,
        closing(database.writable()) as workspace,
        closing(Grader()) as grader,
        _model_words(context.models) as reword,
    ):
        advance()
        workshop = Workshop(database, workspace, opened.knowledge, grader)
        return make_tasks(
            clear,
            workshop,
            options.to,
            reword=reword,
            unreviewed=options.unreviewed,
            on_task=advance,
        )


@contextmanager
def _model_words(models: Models) -> Iterator[Reword]:
    """Yields a function that words proposals by the paraphraser's model, if it has one."""
    language = models.find("paraphraser")
    with asyncio.Runner() as runner:

        def reword(task: ClearTask, proposal: Proposal) -> tuple[Proposal, Mapping[str, str]]:
            if language is None:
                return proposal, {}
            model = language.bind("paraphraser", lambda requested: None, seed=0)
            return runner.run(with_model_words(task, proposal, model))

        try:
            yield reword
        finally:
            runner.run(models.close())


def check(options: CheckOptions, context: WorkContext[object]) -> WorkResult:
    """Checks that tasks cannot be solved without clarification and can be with it.

    Raises:
        UserError: the tasks or a database cannot be read.
    """
    failed: list[Finding] = []
    rows: list[tuple[str | int, ...]] = []
    databases = dict(map(named_database, options.database))
    for task, findings, flows in checked_tasks(options.tasks, databases, options.documents):
        failed += findings
        checks = {finding.check for finding in findings}
        necessary = "no" if NECESSARY in checks else "yes"
        complete = "no" if checks & {COMPLETE, GOLD} else "yes"
        ambiguities = len(task.hidden.ambiguities)
        rows.append((task.id, ambiguities, ", ".join(flows), necessary, complete))
    columns = ("task", "ambiguities", "clarified by", NECESSARY, COMPLETE)
    note = f"{len(rows)} tasks, {len({finding.item for finding in failed})} fail."
    table = Table("Ambiguous tasks", columns, tuple(rows))
    problems = tuple(map(str, failed))
    return WorkResult(Summary({"checked": table}), (note,), problems, int(bool(failed)))


def guard(options: GuardOptions, context: WorkContext[Models]) -> WorkResult:
    """Asks a simulated user guard questions.

    Raises:
        UserError: a file cannot be read or already exists, or a model is missing.
    """
    requests: list[Requested] = []

    async def ask() -> Summary:
        try:
            return await guard_user(options, context.models, requests.append)
        finally:
            await context.models.close()

    summary = asyncio.run(ask())
    spent = (f"{len(requests):,} requests to models.",) if requests else ()
    return WorkResult(summary, problems=spent)
