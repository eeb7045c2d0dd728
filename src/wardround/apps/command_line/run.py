"""`wardround run NAME`: runs an agent on a benchmark and shows the progress."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import typer

from wardround.apps.command_line.common_options import RESULT_OPTIONS, RUN_OPTIONS
from wardround.apps.command_line.parameters import (
    CommandOption,
    OptionsCommand,
    option_name,
    options_command,
    options_of,
    with_defaults,
)
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.core import plugins
from wardround.core.declaration import BenchmarkDeclaration
from wardround.core.declared import benchmark_declaration

if TYPE_CHECKING:
    from wardround.runs.settings import RunSettings


def run_command(name: str) -> OptionsCommand:
    """The command that runs a benchmark."""
    return benchmark_command(name, RUN_OPTIONS, partial(start, name), _notes(name))


def benchmark_command(
    name: str,
    options: Iterable[CommandOption],
    action: Callable[[dict[str, Any]], None],
    notes: Mapping[str, str] = MappingProxyType({}),
) -> OptionsCommand:
    """A command for one benchmark, with its own options after those of the command.

    Args:
        name: the benchmark.
        options: the command's options.
        action: called with the typed values by name.
        notes: additions to the help of options.
    """
    declared = benchmark_declaration(name)
    groups = {"Options": options, f"Options of {declared.name}": options_of(declared.options)}
    command = options_command(name, declared.summary, groups, action, notes)
    command.elsewhere = partial(option_owners, name)
    return command


command = PluginGroup(
    "run",
    "Run an agent on a benchmark; each trial is written to disk as soon as it ends.",
    "NAME",
    plugins.BENCHMARKS,
    run_command,
)


def start(name: str, typed: dict[str, Any]) -> None:
    """Starts a run and shows its first tables."""
    from wardround.apps.command_line.choices import chosen_settings
    from wardround.apps.command_line.progress import watched
    from wardround.apps.command_line.run_result import interruptible, show_result
    from wardround.runs.start import next_folder, start_run

    result = with_defaults(RESULT_OPTIONS, typed)
    html, quiet = result["html"], result["as_json"]
    if html is not None:
        from wardround.report.run_report import check_free

        check_free(html, force=result["force"])
    settings = chosen_settings(name, {k: v for k, v in typed.items() if k not in result})
    if settings.tasks is not None and not settings.databases:
        _warn_of_golds(settings)
    folder = result["out"] or next_folder(settings)
    with interruptible(folder), watched(quiet=quiet) as listener:
        start_run(settings, folder, listener, force=result["force"])
    show_result(folder, html, as_json=quiet, fail_under=result["fail_under"])


def _warn_of_golds(settings: "RunSettings") -> None:
    """Prints how many of the tasks fit the shipped database."""
    from wardround.runs.validation import count_passing_golds

    passed, tried = count_passing_golds(settings)
    share = f", {passed / tried:.0%}" if tried else ""
    typer.echo(
        f"No --database is named for {settings.tasks}: {passed} of {tried} of its golds{share}, "
        "hold on the database that comes with wardround.",
        err=True,
    )


def option_owners(name: str, option: str) -> str:
    """Names the other benchmarks that have an option; empty if none has it."""
    owners = [
        declared.name
        for _, declared in plugins.load_all(plugins.BENCHMARKS)
        if isinstance(declared, BenchmarkDeclaration)
        and declared.name != name
        and option in map(option_name, declared.options.model_fields)
    ]
    return f"is an option of {' and '.join(owners)} and means nothing in {name}" if owners else ""


def _notes(name: str) -> dict[str, str]:
    """Additions to the help of common options, from a benchmark's declaration."""
    declared = benchmark_declaration(name)
    limits = declared.limits
    gradings = "; ".join(f"{grading.name}: {grading.summary}" for grading in declared.gradings)
    return {
        "actions": f"[{limits.actions}]",
        "seconds": f"[{limits.seconds:g}]",
        "statement_seconds": f"[{limits.statement_seconds:g}]",
        "grading": f"{gradings}. [{declared.gradings[0].name}]" if gradings else "",
        "role_model": "Roles: " + ", ".join(["agent", *(role.name for role in declared.roles)]),
    }
