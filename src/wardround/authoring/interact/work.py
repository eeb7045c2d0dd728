"""Makes and checks ambiguous tasks and guards users, as the command line asks for it."""

import asyncio
from collections import Counter
from pathlib import Path

from wardround.authoring.findings import Finding
from wardround.authoring.interact.ambiguities.checks import COMPLETE, NECESSARY
from wardround.authoring.interact.ambiguities.opening import make_ambiguous
from wardround.authoring.interact.ambiguities.suite import REVIEW, TASKS, Made
from wardround.authoring.interact.ambiguities.task_checks import checked_tasks
from wardround.authoring.interact.declaration import CheckOptions, GuardOptions, MakeOptions
from wardround.authoring.interact.guard.run import guard as ask_guard_questions
from wardround.core.benchmark import Summary, Table
from wardround.core.trajectory import Requested
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.named_database import named_database
from wardround.people.clarifying.kinds import in_order


def make(options: MakeOptions, context: WorkContext) -> WorkResult:
    """Makes a review file and a task file of clear tasks.

    Raises:
        UserError: A file or the database cannot be read, or a task is of another database.
    """
    done = -1

    def advance(total: int) -> None:
        nonlocal done
        done += 1
        context.progress(done, total, "tasks")

    model = context.models.find("paraphraser")
    made = make_ambiguous(
        options.source,
        named_database(options.database),
        options.to,
        documents=options.documents,
        model=model.settings if model else None,
        unreviewed=options.unreviewed,
        on_task=advance,
    )
    return WorkResult(
        Summary({"made": _by_kind(made)}),
        tuple(_files(made, options.to)),
        tuple(map(str, made.findings)),
        int(bool(made.findings) and not options.unreviewed),
    )


def check(options: CheckOptions, context: WorkContext) -> WorkResult:
    """Checks that tasks cannot be solved without clarification and can be with it.

    Raises:
        UserError: The tasks or a database cannot be read.
    """
    failed: list[Finding] = []
    rows: list[tuple[str | int, ...]] = []
    databases = dict(map(named_database, options.database))
    for task, findings, flows in checked_tasks(options.tasks, databases, options.documents):
        failed += findings
        wrong = {one.check for one in findings}
        answers = ["no" if name in wrong else "yes" for name in (NECESSARY, COMPLETE)]
        rows.append((task.id, len(task.hidden.ambiguities), ", ".join(flows), *answers))
    columns = ("task", "ambiguities", "clarified by", NECESSARY, COMPLETE)
    note = f"{len(rows)} tasks, {len({one.item for one in failed})} fail."
    table = Table("Ambiguous tasks", columns, tuple(rows))
    problems = tuple(map(str, failed))
    return WorkResult(Summary({"checked": table}), (note,), problems, int(bool(failed)))


def guard(options: GuardOptions, context: WorkContext) -> WorkResult:
    """Puts guard questions to a simulated user.

    Raises:
        UserError: A file cannot be read or is there already, or a model is missing.
    """
    requests: list[Requested] = []

    async def ask() -> Summary:
        try:
            return await ask_guard_questions(
                options.simulator,
                context.models,
                requests.append,
                tasks=options.tasks,
                questions=options.questions,
                replies=options.replies,
                limit=options.limit,
                seed=options.seed,
            )
        finally:
            await context.models.close()

    summary = asyncio.run(ask())
    spent = (f"{len(requests):,} requests to models.",) if requests else ()
    return WorkResult(summary, problems=spent)


def _by_kind(made: Made) -> Table:
    proposed = Counter(candidate.kind for candidate in made.candidates)
    used = Counter(one.kind for task in made.tasks for one in task.hidden.ambiguities)
    used += Counter(task.hidden.second.follow_up for task in made.tasks if task.hidden.second)
    rows = tuple((kind, proposed[kind], used[kind]) for kind in in_order(proposed))
    return Table("Ambiguities", ("type", "in the review file", "in the task file"), rows)


def _files(made: Made, to: Path) -> list[str]:
    undecided = sum(candidate.decision == "open" for candidate in made.candidates)
    return [
        f"{to / REVIEW}: {len(made.candidates):,} lines, {undecided:,} undecided.",
        f"{to / TASKS}: {len(made.tasks):,} tasks.",
    ]
