"""The suites and the parts of an assessment, by the options that were typed."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wardround.core.errors import UserError

if TYPE_CHECKING:
    from wardround.assessment.play import Part
    from wardround.assessment.suites import BenchmarkSuite
    from wardround.core.work import MadeSuite
    from wardround.runs.settings import RunSettings

# No trial may tell another what it saw.
AGENT_PROCESS = "trial"


def suites_of(
    options: Mapping[str, Any], agent: Mapping[str, Any], folder: Path
) -> "list[BenchmarkSuite]":
    """Makes the suites of a database, and adds the tasks that a person named.

    Args:
        options: the options of `assess`.
        agent: the options of its agent, models and limits.
        folder: the assessment's folder.

    Raises:
        UserError: the folder holds another assessment, or no suite can be made.
    """
    from wardround.assessment.folder_checks import check_request, forget_request
    from wardround.assessment.suites import make_suites, named_suite
    from wardround.core.work import SuiteRequest

    also = [_named_tasks(each) for each in options["also"] or ()]
    if len({benchmark for benchmark, _ in also}) < len(also):
        raise UserError("--also names a benchmark twice; put its tasks into one file.")
    named = {name: options[name] for name in ("database", "map", "tasks", "trials", "seed", "also")}
    check_request(folder, {**named, **agent})
    request = SuiteRequest(
        options["database"], options["map"], folder / "suites", options["tasks"], options["seed"]
    )
    try:
        made = make_suites(request, partial(_why_not_played, agent), partial(typer.echo, err=True))
        return [*made, *(named_suite(benchmark, file, made) for benchmark, file in also)]
    except UserError:
        forget_request(folder)
        raise


def _named_tasks(typed: str) -> tuple[str, Path]:
    """The benchmark and the file of `--also NAME=FILE`."""
    benchmark, equals, file = typed.partition("=")
    if not equals or not Path(file).is_file():
        raise UserError(f"--also {typed} names no file of tasks; write it as NAME=FILE.")
    return benchmark, Path(file).absolute()


def _why_not_played(agent: Mapping[str, Any], benchmark: str) -> str:
    """The reason why the agent does not play a benchmark; "" if it does."""
    from wardround.apps.command_line.choices import chosen_settings

    try:
        chosen_settings(benchmark, agent)
    except UserError as error:
        return str(error)
    return ""


def parts_of(
    options: Mapping[str, Any],
    agent: Mapping[str, Any],
    suites: "Sequence[BenchmarkSuite]",
    folder: Path,
) -> "list[Part]":
    """The part of each suite, with a line on each benchmark on standard error.

    Args:
        options: the options of `assess`.
        agent: the options of its agent, models and limits.
        suites: the suites.
        folder: the assessment's folder.
    """
    from wardround.assessment.answer import reason_not_tested
    from wardround.assessment.play import Part

    parts = [
        Part(
            settings,
            folder / "runs" / each.run,
            _has_learned(settings, each.suite),
            each.group,
        )
        for each in suites
        if each.suite is not None
        for settings in [_settings(options, agent, each.benchmark, each.suite)]
    ]
    for each in suites:
        typer.echo(
            f"{each.name}: {each.suite.count:,} task{'' if each.suite.count == 1 else 's'}"
            if each.suite
            else f"{each.benchmark}: not tested, since {reason_not_tested(each)}.",
            err=True,
        )
    return parts


def _settings(
    options: Mapping[str, Any], agent: Mapping[str, Any], benchmark: str, suite: "MadeSuite"
) -> "RunSettings":
    """The settings of a run on a suite, graded strictly where the benchmark can be."""
    from wardround.apps.command_line.choices import chosen_settings
    from wardround.core.declared import benchmark_declaration, installed_agent

    gradings = [grading.name for grading in benchmark_declaration(benchmark).gradings]
    typed = {
        "agent_process": AGENT_PROCESS,
        **agent,
        "tasks": suite.tasks,
        "database": [f"{suite.layout}={suite.record or options['database']}"],
        "trials": options["trials"],
        "seed": options["seed"],
        **({"grading": "strict"} if "strict" in gradings else {}),
        **suite.options,
    }
    settings = chosen_settings(benchmark, typed)
    declared = installed_agent(settings.agent)
    learns = declared is not None and declared.train and settings.agent_model is None
    if suite.pairs and learns and "pairs" not in settings.agent_settings:
        learned = {**settings.agent_settings, "pairs": suite.pairs}
        return settings.model_copy(update={"agent_settings": learned})
    return settings


def _has_learned(settings: "RunSettings", suite: "MadeSuite") -> bool:
    """True if the agent learns from pairs that are made as the suite's questions are."""
    return bool(suite.pairs) and settings.agent_settings.get("pairs") == suite.pairs
