"""`wardround tasks make interact` and `wardround tasks check`: ambiguous tasks made and checked."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wardround.apps.command_line.options import BaseUrl
from wardround.core.errors import UserError

if TYPE_CHECKING:
    from wardround.authoring.findings import Finding
    from wardround.authoring.interact.ambiguities.suite import Made


def interact(
    source: Annotated[Path, typer.Option("--from", help="A file of clear tasks.")],
    database: Annotated[str, typer.Option(help="The database, as NAME=DATABASE.")],
    to: Annotated[Path, typer.Option(help="The folder to make, or to go on with.")],
    documents: Annotated[
        Path | None, typer.Option(help="A folder with the knowledge base. [the clinical one]")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A language model that words what rules cannot.")
    ] = None,
    base_url: BaseUrl = None,
    unreviewed: Annotated[
        bool, typer.Option("--unreviewed", help="Use lines too that nobody has decided.")
    ] = False,
) -> None:
    """Make ambiguous tasks of clear ones, with a review file."""
    from rich.console import Console
    from rich.progress import Progress

    from wardround.apps.command_line.choices import named_database
    from wardround.authoring.interact.ambiguities.opening import make_ambiguous
    from wardround.models import ModelSettings

    settings = None if model is None else ModelSettings(name=model, base_url=base_url)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("tasks", total=None)
        made = make_ambiguous(
            source,
            named_database(database),
            to,
            documents=documents,
            model=settings,
            unreviewed=unreviewed,
            on_task=lambda count: progress.update(bar, advance=1, total=count),
        )
    _show(made, to)
    for one in made.findings:
        typer.echo(str(one), err=True)
    if made.findings and not unreviewed:
        raise typer.Exit(1)


def check(
    benchmark: Annotated[str, typer.Argument(help="Which benchmark: interact.")],
    tasks: Annotated[
        Path | None, typer.Option(help="A task file in the published form. [the shipped suite]")
    ] = None,
    database: Annotated[
        list[str] | None, typer.Option(help="A database, as NAME=DATABASE. [the shipped hospital]")
    ] = None,
    documents: Annotated[
        Path | None, typer.Option(help="A folder with knowledge bases. [the clinical one]")
    ] = None,
) -> None:
    """Check that tasks cannot be solved without clarification and can be with it; else exit 1."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from wardround.apps.command_line.choices import named_database
    from wardround.authoring.interact.ambiguities.checks import COMPLETE, NECESSARY
    from wardround.authoring.interact.ambiguities.task_checks import checked_tasks

    if benchmark != "interact":
        raise UserError(f"Tasks of {benchmark!r} have no ambiguities to check; only interact's do.")
    table = Table("task", "ambiguities", "clarified by", NECESSARY, COMPLETE, box=SIMPLE_HEAD)
    failed: list[Finding] = []
    places = dict(map(named_database, database or []))
    for task, findings, flows in checked_tasks(tasks, places, documents):
        failed += findings
        wrong = {one.check for one in findings}
        answers = ("no" if name in wrong else "yes" for name in (NECESSARY, COMPLETE))
        table.add_row(task.id, str(len(task.hidden.ambiguities)), ", ".join(flows), *answers)
    Console().print(table)
    typer.echo(f"{table.row_count} tasks, {len({one.item for one in failed})} fail.")
    for one in failed:
        typer.echo(str(one), err=True)
    if failed:
        raise typer.Exit(1)


def _show(made: "Made", to: Path) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from wardround.authoring.interact.ambiguities.suite import REVIEW, TASKS
    from wardround.benchmarks.interact.kinds import in_order

    proposed = Counter(candidate.kind for candidate in made.candidates)
    used = Counter(one.kind for task in made.tasks for one in task.hidden.ambiguities)
    used += Counter(task.hidden.second.follow_up for task in made.tasks if task.hidden.second)
    table = Table("type", "in the review file", "in the task file", box=SIMPLE_HEAD)
    for kind in in_order(proposed):
        table.add_row(kind, f"{proposed[kind]:,}", f"{used[kind]:,}")
    Console().print(table)
    undecided = sum(candidate.decision == "open" for candidate in made.candidates)
    typer.echo(f"{to / REVIEW}: {len(made.candidates):,} lines, {undecided:,} undecided.")
    typer.echo(f"{to / TASKS}: {len(made.tasks):,} tasks.")
