"""`wardround data`: commands that build and change databases, one module each."""

import typer

from wardround.apps.command_line.data import (
    build,
    fetch,
    fhir,
    hospital,
    map,
    prepare,
    remove_patient,
    rename,
)

app = typer.Typer(
    help="Build, prepare and change databases.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback()
def options() -> None:
    """Build, prepare and change databases."""


app.command("prepare")(prepare.prepare)
app.command("build")(build.build)
app.command("fetch")(fetch.fetch)
app.command("hospital")(hospital.hospital)
app.command("fhir")(fhir.fhir)
app.command("map")(map.map_tables)
app.command("rename")(rename.rename)
app.command("remove-patient")(remove_patient.remove_patient)
