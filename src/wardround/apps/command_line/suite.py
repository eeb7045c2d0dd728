"""`wardround suite`: packs a suite to share, and unpacks one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wardround.runs.suite_package import Hospital

app = typer.Typer(
    help="Share suites of tasks.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
def options() -> None:
    """Share suites of tasks."""


@app.command()
def pack(
    benchmark: Annotated[str, typer.Argument(help="The benchmark.", show_default=False)],
    tasks: Annotated[Path, typer.Option(help="The file or folder of tasks.")],
    to: Annotated[Path, typer.Option(help="The new folder.")],
    licence: Annotated[str, typer.Option(help="The licence of the tasks, such as cc-by-4.0.")],
    hospital: Annotated[
        str | None,
        typer.Option(help="The synthetic hospital of its tasks, as LAYOUT,PATIENTS,SEED."),
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="A database of your own; only its fingerprint is packed.")
    ] = None,
    record_map: Annotated[
        Path | None, typer.Option("--map", help="The record map of its tables.")
    ] = None,
) -> None:
    """Write tasks, map and licence as a folder to share, which holds no records.

    Without --hospital and --database the tasks are about the benchmark's own records.
    """
    from wardround.core.errors import UserError
    from wardround.ehr.database import Limits, open_database
    from wardround.runs.suite_package import pack as write

    if hospital is not None and database is not None:
        raise UserError("Name --hospital LAYOUT,PATIENTS,SEED or --database, not both.")
    fingerprint = ""
    if database is not None:
        opened = open_database(database, Limits())
        try:
            fingerprint = opened.fingerprint()
        finally:
            opened.close()
    suite = write(
        benchmark,
        tasks,
        to,
        licence=licence,
        hospital=_hospital(hospital, benchmark) if hospital else None,
        fingerprint=fingerprint,
        record_map=record_map,
    )
    typer.echo(f"{suite.size}: {to}", err=True)


@app.command()
def unpack(
    package: Annotated[Path, typer.Argument(help="The packed folder.", show_default=False)],
    to: Annotated[Path, typer.Option(help="The new folder.")],
    benchmark: Annotated[
        str, typer.Option(help="Its benchmark, if it is your own code, as module:attribute.")
    ] = "",
) -> None:
    """Check a package, copy its tasks, and make its hospital if it has one."""
    from wardround.ehr.hospital.build import build_hospital
    from wardround.runs.suite_package import MAP
    from wardround.runs.suite_package import unpack as read

    suite = read(package, to, benchmark)
    line = f"wardround run {suite.benchmark} --tasks {to / Path(suite.tasks).name}"
    if (made := suite.hospital) is not None:
        database = str(to / "hospital.duckdb")
        build_hospital(database, patients=made.patients, seed=made.seed, schema=made.layout)
        line += f" --database {made.layout}={database}"
    elif suite.fingerprint:
        line += " --database DATABASE"
    typer.echo(f"{suite.size}, licence {suite.licence}. Run them with:\n  {line}")
    if suite.has_map:
        typer.echo(f"Its record map is {to / MAP}.", err=True)


def _hospital(text: str, benchmark: str) -> "Hospital":
    from wardround.core.declared import benchmark_declaration
    from wardround.core.errors import UserError
    from wardround.ehr.hospital.batches import schemas
    from wardround.ehr.schema import schema_names
    from wardround.runs.suite_package import Hospital as Made

    layout, _, numbers = text.partition(",")
    patients, _, seed = numbers.partition(",")
    if not (layout and patients.isdigit() and seed.removeprefix("-").isdigit()):
        raise UserError(f"--hospital {text} is not of the form LAYOUT,PATIENTS,SEED.")
    if layout not in schemas():
        raise UserError(f"No hospital is made in {layout!r}; choose one of {', '.join(schemas())}.")
    served = [each.name for each in benchmark_declaration(benchmark).layouts]
    if served and not set(served) & set(schema_names()):
        raise UserError(
            f"{benchmark} runs on no tables, but on {', '.join(served)}; leave --hospital out if "
            "its tasks are about its own records."
        )
    return Made(layout, int(patients), int(seed))
