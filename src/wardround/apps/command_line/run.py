"""`wardround run`: starts a run or resumes one, and shows how it goes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from wardround.apps.command_line.options import BaseUrl, Cache, ReasoningEffort, Record, Replay

HEADLINE = 2
BESIDE_RESUME = {"resume", "retry", "html", "force", "as_json"}
NO_SETTINGS = BESIDE_RESUME | {"out"}
OF_BENCHMARKS = {
    "user",
    "mode",
    "patience",
    "free",
    "documents",
    "graft",
    "own_actions",
    "reset",
    "current_time",
    "web_search",
    "embedder",
}


def run(
    context: typer.Context,
    benchmark: Annotated[
        str | None, typer.Argument(help="Which benchmark, such as chatqa; see `wardround list`.")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(help="A task file in the published form. [the shipped suite]")
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(help="A database, or NAME=DATABASE with the name that the tasks use."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help="The agent: a name from `wardround list`, module:function, or oracle. "
            "[parser; with --model: tools; with --base-url: json]"
        ),
    ] = None,
    agent_model: Annotated[
        Path | None, typer.Option(help="What the agent has learned, of `wardround train`.")
    ] = None,
    agent_setting: Annotated[
        list[str] | None,
        typer.Option(help="A setting of the agent's own, as NAME=VALUE; may be repeated."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The language model, as provider:name.")] = None,
    base_url: BaseUrl = None,
    temperature: Annotated[
        str, typer.Option(help="The agent's temperature; none leaves it to the provider.")
    ] = "0",
    reasoning_effort: ReasoningEffort = None,
    role_model: Annotated[
        list[str] | None,
        typer.Option(
            help="A role's own model, as ROLE=PROVIDER:NAME[,SETTING=VALUE...]; roles are agent, "
            "user, verifier and validator. [--model for all]"
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            help="Who plays the user: script or model; in interact also model-free (as script), "
            "function-driven (as model) or baseline. [model if one is named]"
        ),
    ] = None,
    mode: Annotated[
        str,
        typer.Option(help="Which room of BIRD-Interact: c (conversation), a (actions) or clear."),
    ] = "c",
    documents: Annotated[
        Path | None,
        typer.Option(help="A folder of knowledge bases and column meanings. [wardround's own]"),
    ] = None,
    graft: Annotated[
        Path | None,
        typer.Option(help="A run whose questions and answers the agent is given, task by task."),
    ] = None,
    patience: Annotated[
        int, typer.Option(min=0, help="What the user bears beyond the questions that are needed.")
    ] = 3,
    free: Annotated[bool, typer.Option("--free", help="Actions cost nothing.")] = False,
    own_actions: Annotated[
        str | None,
        typer.Option(help="The agent's own actions beside BIRD-Interact's nine, module:function."),
    ] = None,
    reset: Annotated[
        str,
        typer.Option(help="When a trial's database goes back: on each submit, or execute too."),
    ] = "submit",
    trials: Annotated[int, typer.Option(min=1, help="How often each task is run.")] = 1,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Run only the first so many tasks.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The run's seed.")] = 0,
    actions: Annotated[
        int | None, typer.Option(min=1, help="Agent actions in a trial. [30; interact: 100]")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds in a trial. [600]")] = None,
    statement_seconds: Annotated[
        float | None, typer.Option(help="Seconds for a database statement. [60]")
    ] = None,
    current_time: Annotated[
        str | None,
        typer.Option(help="The time that everybody in a trial takes for now. [the tasks' own]"),
    ] = None,
    attempts: Annotated[
        int, typer.Option(min=1, help="How often a trial is run when its user broke the rules.")
    ] = 3,
    concurrency: Annotated[int, typer.Option(min=1, help="Trials at once.")] = 8,
    processes: Annotated[
        int, typer.Option(min=1, help="Processes that share the trials, for busy processors.")
    ] = 1,
    web_search: Annotated[
        str, typer.Option(help="Where web_search looks: reference, or NAME=ADDRESS.")
    ] = "reference",
    embedder: Annotated[
        str, typer.Option(help="What similarity search compares meanings with.")
    ] = "wordllama",
    cache: Cache = None,
    record: Record = None,
    replay: Replay = None,
    out: Annotated[
        Path | None, typer.Option(help="The run's folder. [runs/BENCHMARK-AGENT-NUMBER]")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    retry: Annotated[
        list[str] | None,
        typer.Option(help="With --resume: run trials of this outcome again, e.g. infra_error."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report to this file too.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the run in --out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Put an agent through a benchmark; every trial is on disk as soon as it has ended."""
    from wardround.apps.command_line.choices import chosen_settings
    from wardround.apps.command_line.progress import watched
    from wardround.core.errors import UserError
    from wardround.core.record import Outcome
    from wardround.report.run_report import check_free
    from wardround.runs.resume import resume_run
    from wardround.runs.start import next_folder, start_run

    if html is not None:
        check_free(html, force=force)
    if resume is not None:
        _check_options(context)
        again = frozenset(_outcome(name, Outcome) for name in retry or [])
        with interruptible(resume), watched(quiet=as_json) as listener:
            resume_run(resume, listener, again=again)
        _conclude(resume, html, as_json)
        return
    if benchmark is None:
        raise UserError("Name a benchmark, such as chatqa, or a run with --resume.")
    given = {
        name: value
        for name, value in context.params.items()
        if name not in NO_SETTINGS | OF_BENCHMARKS
    }
    own = {name: context.params[name] for name in _typed(context) if name in OF_BENCHMARKS}
    settings = chosen_settings(**given, options=own)
    folder = out or next_folder(settings)
    with interruptible(folder), watched(quiet=as_json) as listener:
        start_run(settings, folder, listener, force=force)
    _conclude(folder, html, as_json)


def _check_options(context: typer.Context) -> None:
    """A resumed run has its settings; another one given beside --resume would be ignored."""
    from wardround.core.errors import UserError

    if wrong := [name for name in _typed(context) if name not in BESIDE_RESUME]:
        raise UserError(
            f"A resumed run keeps its settings, so {', '.join(wrong)} cannot be given with "
            "--resume; leave it out, or start a new run."
        )


def _typed(context: typer.Context) -> list[str]:
    """The options that were given on the command line."""
    return [
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) and source.name == "COMMANDLINE"
    ]


@contextmanager
def interruptible(folder: Path) -> Iterator[None]:
    """Tells how to go on with a run that the user stops."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Stopped; go on with: wardround run --resume {folder}", err=True)
        raise typer.Exit(130) from None


def _outcome(name: str, outcomes: Any) -> Any:
    from wardround.core.errors import UserError

    if name not in list(outcomes):
        raise UserError(f"{name!r} is no outcome; --retry takes {', '.join(outcomes)}.")
    return outcomes(name)


def _conclude(folder: Path, html: Path | None, as_json: bool) -> None:
    """Shows the first tables, and writes the HTML report if it was asked for."""
    from wardround.apps.command_line.output import print_summary
    from wardround.report.run_report import read_report, write_html

    found = read_report(folder)
    left = print_summary(found.summary, as_json=as_json, first=HEADLINE)
    if left:
        typer.echo(f"More with: wardround report {folder} ({', '.join(left)})", err=True)
    if html is not None:
        write_html(found, html, force=True)
        typer.echo(f"Report: {html}", err=True)
