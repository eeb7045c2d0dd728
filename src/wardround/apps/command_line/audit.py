"""`wardround audit BENCHMARK`: tells if agents that solve nothing pass its tasks."""

from functools import partial
from typing import Any

import typer

from wardround.apps.command_line.common_options import AUDIT_OPTIONS
from wardround.apps.command_line.parameters import OptionsCommand
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.run import benchmark_command
from wardround.core import plugins


def audit_command(name: str) -> OptionsCommand:
    """The command that audits a benchmark."""
    return benchmark_command(name, AUDIT_OPTIONS, partial(audit, name))


def audit(name: str, typed: dict[str, Any]) -> None:
    """Plays agents that solve nothing; exits 1 if they pass more than they may."""
    from wardround.apps.command_line.choices import chosen_settings
    from wardround.apps.command_line.output import print_json, print_summary
    from wardround.assessment.audit.audited import audited
    from wardround.assessment.audit.page import is_sound, sentences, tables
    from wardround.core.benchmark import Summary
    from wardround.core.confinement import ORACLE
    from wardround.report.tables import to_json

    as_json = typed.pop("as_json", False)
    result = audited(chosen_settings(name, {**typed, "agent": ORACLE}), _say)
    if as_json:
        named = {title: to_json(table) for title, table in tables(result).items()}
        print_json({"sound": is_sound(result), "sentences": sentences(result), "tables": named})
    else:
        for line in sentences(result):
            typer.echo(line)
        print_summary(Summary(tables(result)), as_json=False, whole=True)
    if not is_sound(result):
        raise typer.Exit(1)


def _say(number: int, total: int, probe: str) -> None:
    typer.echo(f"{min(number + 1, total)} of {total}: an agent that {probe[:60]}", err=True)


command = PluginGroup(
    "audit",
    "Play agents that solve nothing on a benchmark; exit 1 if they pass more than they may.",
    "NAME",
    plugins.BENCHMARKS,
    audit_command,
)
