"""`wardround resume RUN`: finishes an interrupted run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wardround.apps.command_line.run_options import FailUnder, Trust

if TYPE_CHECKING:
    from wardround.core.record import Outcome


def resume(
    run: Annotated[Path, typer.Argument(help="A run's folder.", show_default=False)],
    retry: Annotated[
        list[str] | None,
        typer.Option(help="Repeat trials with this outcome, such as infra_error; may be repeated."),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Another Ray cluster, or none for this machine. [the run's]"),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write the report to this file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file of --html.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
    trust: Trust = False,
    fail_under: FailUnder = None,
) -> None:
    """Finish an interrupted run with the settings that it was started with."""
    from wardround.apps.command_line.progress import watched
    from wardround.apps.command_line.run_result import interruptible, show_result
    from wardround.core.run_check import check_run
    from wardround.report.run_report import check_free
    from wardround.runs.resume import resume_run

    if html is not None:
        check_free(html, force=force)
    again = frozenset(map(_outcome, retry or []))
    for mismatch in check_run(run).mismatches:
        typer.echo(f"Changed: {mismatch}.", err=True)
    with interruptible(run), watched(quiet=as_json) as listener:
        resume_run(run, listener, again=again, trust=trust, cluster=cluster)
    show_result(run, html, as_json=as_json, fail_under=fail_under)


def _outcome(name: str) -> "Outcome":
    from wardround.core.errors import UserError
    from wardround.core.record import Outcome

    if name not in list(Outcome):
        raise UserError(f"{name!r} is not an outcome; --retry takes {', '.join(Outcome)}.")
    return Outcome(name)
