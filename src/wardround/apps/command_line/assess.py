"""`wardround assess DATABASE`: tells if an agent can be trusted with a database."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wardround.apps.command_line.common_options import (
    AGENT_OPTIONS,
    LIMIT_OPTIONS,
    MODEL_OPTIONS,
    TEMPERATURE,
)
from wardround.apps.command_line.parameters import CommandOption, options_command, with_defaults
from wardround.core.errors import UserError
from wardround.core.limits import MOST, MOST_SEED

if TYPE_CHECKING:
    from wardround.assessment.assessed import Assessed
    from wardround.assessment.play import Part
    from wardround.assessment.policy import Policy
    from wardround.assessment.suites import BenchmarkSuite
    from wardround.core.work import MadeSuite
    from wardround.runs.settings import RunSettings

_POLICY = Path("policy.toml")

_OPTIONS = (
    CommandOption("database", str, "A database, by file or URL.", argument=True),
    CommandOption(
        "map",
        Path,
        "A record map of the database's tables, as `wardround data map` proposes. "
        "[that of its layout]",
    ),
    CommandOption(
        "tasks", int, "The number of tasks, over all benchmarks.", 180, at_least=1, at_most=MOST
    ),
    CommandOption("trials", int, "The number of trials of each task.", 3, at_least=1, at_most=99),
    CommandOption("minutes", float, "The time that trials may take. [no limit]", at_least=0),
    CommandOption("dollars", float, "The money that models may cost. [no limit]", at_least=0),
    CommandOption(
        "seed",
        int,
        "Same seed, same tasks. [drawn from your key, so that no agent's makers know it]",
        None,
        at_least=-MOST_SEED,
        at_most=MOST_SEED,
    ),
    CommandOption(
        "policy",
        Path,
        "The limits that the agent must keep: exit 0 if it does, 1 if it does not, 3 if these "
        "tasks cannot tell. [none]",
    ),
    CommandOption(
        "beside",
        list[Path],
        "The folder of another agent's assessment with the same tasks; may be repeated.",
    ),
    CommandOption(
        "also",
        list[str],
        "A benchmark and a file of more tasks of this database, as NAME=FILE; may be repeated. "
        "They are a group of their own.",
    ),
    CommandOption("init", bool, f"Write a policy to start from, {_POLICY}, and do no more.", False),
    CommandOption(
        "out",
        Path,
        "The folder of the assessment; the same command goes on with it. "
        "[assessments/AGENT-DATABASE]",
    ),
    CommandOption("as_json", bool, "Print the figures as JSON.", False, typed="--json"),
)
# No trial may tell another what it saw.
_APART = "trial"
_AGENT_OPTIONS = tuple(
    option._replace(default=_APART) if option.name == "agent_process" else option
    for option in AGENT_OPTIONS
)
_OWN = {option.name for option in _OPTIONS}


def assess(typed: dict[str, Any]) -> None:
    """Makes suites of a database, runs an agent on them, and writes the page with the answer.

    Raises:
        typer.Exit: 1 if the agent breaks the policy, 3 if the tasks cannot tell.
    """
    from wardround.assessment.budget import Budget, fitted
    from wardround.assessment.play import injected_part
    from wardround.assessment.policy import read_policy, template
    from wardround.assessment.suites import suite_makers
    from wardround.core.private_files import write_whole
    from wardround.core.run_key import secret_seed

    own = with_defaults(_OPTIONS, typed)
    agent = {name: value for name, value in typed.items() if name not in _OWN}
    if own["init"]:
        _write_template(template(), write_whole)
        return
    if own["database"] is None:
        raise UserError("Name a database: wardround assess DATABASE --agent NAME (or --model).")
    _check_database(own["database"])
    _check_agent(agent.get("agent"))
    policy = read_policy(own["policy"], suite_makers()) if own["policy"] else None
    _check_trials(policy, own["trials"])
    _check_beside(own["beside"] or ())
    if own["seed"] is None:
        own["seed"] = secret_seed("assess")
        typer.echo(f"These tasks are of --seed {own['seed']}, drawn from your key.", err=True)
    folder = own["out"] or Path("assessments") / _folder_name(agent, own["database"])
    with _stoppable(folder):
        suites = _suites(own, agent, folder)
        parts = _parts(own, agent, suites, folder)
        budget = Budget(own["minutes"], own["dollars"])
        watch = partial(_watched, quiet=own["as_json"])
        parts = fitted(parts, budget, folder / "pilot", watch)
        parts += [injected_part(part) for part in parts]
        _play(parts, watch)
    _bind(own["database"], folder)
    assessed = _assessed(own, parts, suites, policy)
    _show(assessed, parts, folder, as_json=own["as_json"])
    if assessed.state is not None and assessed.state.exit_status:
        raise typer.Exit(assessed.state.exit_status)


command = options_command(
    "assess",
    "Tell if an agent can be trusted with a database: make tasks of it, run the agent on them, "
    "and write one page with the answer.",
    {
        "Options": _OPTIONS,
        "Agent": _AGENT_OPTIONS,
        "Models": (*MODEL_OPTIONS, TEMPERATURE),
        "Limits": LIMIT_OPTIONS,
    },
    assess,
)


def _write_template(text: str, write: Any) -> None:
    if _POLICY.exists():
        raise UserError(f"{_POLICY} exists already; edit it, or remove it first.")
    write(_POLICY, text.encode())
    typer.echo(f"Written to {_POLICY}: edit it, then wardround assess DATABASE --policy {_POLICY}.")


def _check_database(location: str) -> None:
    """Reports a database that cannot be opened before any suite is made."""
    from wardround.ehr.database import open_database

    open_database(location).close()


def _check_agent(name: str | None) -> None:
    """Reports an agent that does not exist before any suite is made."""
    from wardround.core.confinement import ORACLE
    from wardround.core.declared import agent_declaration

    if name and name != ORACLE:
        agent_declaration(name)


def _check_trials(policy: "Policy | None", trials: int) -> None:
    if policy is not None and policy.trials > trials:
        raise UserError(
            f"A rule is about pass^{policy.trials}, which takes that many trials of each task; "
            f"add --trials {policy.trials}."
        )


def _check_beside(folders: Sequence[Path]) -> None:
    for folder in folders:
        if not (folder / "runs").is_dir():
            raise UserError(f"{folder} holds no assessment that was run; check --beside.")


def _folder_name(agent: Mapping[str, Any], database: str) -> str:
    import re

    named = agent.get("agent") or agent.get("model") or "own"
    return re.sub(r"[^\w.-]+", "-", f"{named}-{Path(database.rpartition('/')[2]).stem}")


@contextmanager
def _stoppable(folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Stopped; the same command goes on with {folder}.", err=True)
        raise typer.Exit(130) from None


def _suites(
    own: Mapping[str, Any], agent: Mapping[str, Any], folder: Path
) -> "list[BenchmarkSuite]":
    from wardround.assessment.folder_checks import check_request, forget_request
    from wardround.assessment.suites import make_suites, named_suite
    from wardround.core.work import SuiteRequest

    also = [_named_tasks(each) for each in own["also"] or ()]
    if len({benchmark for benchmark, _ in also}) < len(also):
        raise UserError("--also names a benchmark twice; put its tasks into one file.")
    named = {name: own[name] for name in ("database", "map", "tasks", "trials", "seed", "also")}
    check_request(folder, {**named, **agent})
    request = SuiteRequest(
        own["database"], own["map"], folder / "suites", own["tasks"], own["seed"]
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


def _parts(
    own: Mapping[str, Any],
    agent: Mapping[str, Any],
    suites: "Sequence[BenchmarkSuite]",
    folder: Path,
) -> "list[Part]":
    from wardround.assessment.answer import beforehand, reason_not_tested
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
        for settings in [_settings(own, agent, each.benchmark, each.suite)]
    ]
    for each in suites:
        typer.echo(
            f"{each.name}: {each.suite.count:,} task{'' if each.suite.count == 1 else 's'}"
            if each.suite
            else f"{each.benchmark}: not tested, since {reason_not_tested(each)}.",
            err=True,
        )
    count = sum(each.suite.count for each in suites if each.suite is not None)
    typer.echo(beforehand(count), err=True)
    return parts


def _settings(
    own: Mapping[str, Any], agent: Mapping[str, Any], benchmark: str, suite: "MadeSuite"
) -> "RunSettings":
    """The settings of a run on a suite, graded strictly where the benchmark can be."""
    from wardround.apps.command_line.choices import chosen_settings
    from wardround.core.declared import benchmark_declaration, installed_agent

    gradings = [grading.name for grading in benchmark_declaration(benchmark).gradings]
    typed = {
        "agent_process": _APART,
        **agent,
        "tasks": suite.tasks,
        "database": [f"{suite.layout}={suite.record or own['database']}"],
        "trials": own["trials"],
        "seed": own["seed"],
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


@contextmanager
def _watched(*, quiet: bool) -> Iterator[Any]:
    from wardround.apps.command_line.progress import watched

    with watched(quiet=quiet) as listener:
        yield listener


def _play(parts: "Sequence[Part]", watch: Any) -> None:
    from wardround.assessment.play import play

    for number, part in enumerate(parts, 1):
        typer.echo(f"{part.name} ({number} of {len(parts)})", err=True)
        play(part, watch)


def _bind(location: str, folder: Path) -> None:
    """Notes what was assessed, so that nothing else is served by it."""
    from contextlib import closing

    from wardround.assistant.binding import bind
    from wardround.ehr.database import open_database

    with closing(open_database(location)) as database:
        bind(folder, database)


def _assessed(
    own: Mapping[str, Any],
    parts: "Sequence[Part]",
    suites: "Sequence[BenchmarkSuite]",
    policy: "Policy | None",
) -> "Assessed":
    from wardround.assessment.assessed import Assessed
    from wardround.assessment.decision import decide
    from wardround.assessment.play import (
        databases_of,
        notices_of,
        notices_on_others,
        played_suite,
    )

    played = [played_suite(part) for part in parts]
    state, rules = decide(policy, played) if policy is not None else (None, [])
    beside = {
        str(other): [
            played_suite(part, folder)
            for part in parts
            if (folder := other / "runs" / part.name).is_dir()
        ]
        for other in own["beside"] or ()
    }
    return Assessed(
        agent=_agent_label(parts[0].settings),
        database=Path(own["database"].rpartition("/")[2]).stem,
        fingerprints=databases_of(parts),
        date=f"{datetime.now(UTC):%-d %B %Y}",
        trials=own["trials"],
        suites=suites,
        played=played,
        rules=rules,
        state=state,
        beside=beside,
        notices=(*notices_of(parts), *notices_on_others(own["beside"] or ())),
    )


def _agent_label(settings: "RunSettings") -> str:
    model = settings.models.get("agent")
    return f"Agent {settings.agent}{f', model {model.name}' if model else ''}"


def _show(assessed: "Assessed", parts: "Sequence[Part]", folder: Path, *, as_json: bool) -> None:
    from wardround.apps.command_line.output import print_json, print_summary
    from wardround.assessment.answer import sentences
    from wardround.assessment.page import as_values, write_pages
    from wardround.assessment.tables import tables
    from wardround.core.benchmark import Summary

    page = write_pages(assessed, parts, folder)
    if as_json:
        print_json(as_values(assessed))
    else:
        for line in (assessed.title, *sentences(assessed), *assessed.notices):
            typer.echo(line)
        print_summary(Summary(tables(assessed)), as_json=False, whole=True)
    typer.echo(f"Page: {page}", err=True)
