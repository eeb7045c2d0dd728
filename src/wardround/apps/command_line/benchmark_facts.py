"""Faults of the installed benchmarks, as `wardround doctor` prints them without a database."""

import orjson
import typer

from wardround.core import plugins
from wardround.core.benchmark_check import method_faults
from wardround.core.declared import benchmark_declaration
from wardround.core.errors import UserError


def show_benchmarks(as_json: bool) -> None:
    """Prints each installed benchmark with its faults; exits 1 if one has any."""
    faults = {name: _faults(name) for name in plugins.names(plugins.BENCHMARKS)}
    if as_json:
        typer.echo(orjson.dumps({"benchmarks": faults}, option=orjson.OPT_INDENT_2).decode())
    else:
        for name, found in faults.items():
            typer.echo(f"{name}: {'; '.join(found) or 'has the methods of a benchmark'}")
    if any(faults.values()):
        raise typer.Exit(1)


def _faults(name: str) -> list[str]:
    try:
        return method_faults(plugins.implementation(benchmark_declaration(name).implementation))
    except UserError as error:
        return [str(error)]
