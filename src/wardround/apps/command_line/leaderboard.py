"""`wardround leaderboard`: a page that ranks runs of all benchmarks."""

from pathlib import Path
from typing import Annotated

import typer


def leaderboard(
    runs: Annotated[list[Path], typer.Argument(help="Folders of runs.", show_default=False)],
    to: Annotated[Path, typer.Option(help="The folder of the page, index.html.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a page that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Rank runs on a static page; every figure is computed again from their trajectories.

    The page has no task, no answer and no value of a database.
    """
    from wardround.apps.command_line.output import print_json
    from wardround.core.run_check import check_run
    from wardround.core.run_reader import read_settings
    from wardround.core.task import digest
    from wardround.report.html import templates
    from wardround.report.leaderboard import Entry, check_entry
    from wardround.report.leaderboard import leaderboard as tables_of
    from wardround.report.run_report import check_free
    from wardround.report.tables import formatted, to_json
    from wardround.runs.scoring import records_by, tasks_of

    page = to / "index.html"
    check_free(page, force=force)
    entries = []
    for folder in dict.fromkeys(path.resolve() for path in runs):
        document, trials = read_settings(folder), records_by(folder)
        played = {trial.task for trial in trials}
        tasks = [digest(task) for id, task in tasks_of(folder).items() if id in played]
        entry = Entry(folder.name, document, trials, digest(tasks), check_run(folder))
        check_entry(entry, folder)
        entries.append(entry)
    tables = tables_of(entries)
    html = (
        templates()
        .get_template("leaderboard.html.j2")
        .render(tables=[formatted(table) for table in tables])
    )
    to.mkdir(parents=True, exist_ok=True)
    page.write_text(html, encoding="utf-8")
    typer.echo(f"Leaderboard: {page}", err=True)
    if as_json:
        print_json({table.title: to_json(table) for table in tables})
