"""`wardround assess DATABASE`: tells if an agent can be trusted with a database."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wardround.apps.command_line.assessed_parts import AGENT_PROCESS, parts_of, suites_of
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
_AGENT_OPTIONS = tuple(
    option._replace(default=AGENT_PROCESS) if option.name == "agent_process" else option
    for option in AGENT_OPTIONS
)
_OWN = {option.name for option in _OPTIONS}


def assess(typed: dict[str, Any]) -> None:
    """Makes suites of a database, runs an agent on them, and writes the page with the answer.

    Raises:
        typer.Exit: 1 if the agent breaks the policy, 3 if the tasks cannot tell.
    """
    from wardround.assessment.answer import beforehand
    from wardround.assessment.budget import Budget, fitted
    from wardround.assessment.play import ids_of, injected_part
    from wardround.assessment.policy import read_policy, template
    from wardround.assessment.suites import suite_makers
    from wardround.core.private_files import write_whole
    from wardround.core.run_key import secret_seed

    options = with_defaults(_OPTIONS, typed)
    agent = {name: value for name, value in typed.items() if name not in _OWN}
    if options["init"]:
        _write_template(template(), write_whole)
        return
    if options["database"] is None:
        raise UserError("Name a database: wardround assess DATABASE --agent NAME (or --model).")
    _check_database(options["database"])
    _check_agent(agent.get("agent"))
    policy = read_policy(options["policy"], suite_makers()) if options["policy"] else None
    _check_trials(policy, options["trials"])
    _check_beside(options["beside"] or ())
    if options["seed"] is None:
        options["seed"] = secret_seed("assess")
        typer.echo(f"These tasks are of --seed {options['seed']}, drawn from your key.", err=True)
    folder = options["out"] or Path("assessments") / _folder_name(agent, options["database"])
    with _stoppable(folder):
        suites = suites_of(options, agent, folder)
        parts = parts_of(options, agent, suites, folder)
        budget = Budget(options["minutes"], options["dollars"])
        watch = partial(_watched, quiet=options["as_json"])
        parts = fitted(parts, budget, folder / "pilot", watch)
        typer.echo(beforehand(sum(len(ids_of(part)) for part in parts)), err=True)
        parts += [injected_part(part) for part in parts]
        _play(parts, watch)
    _bind(options["database"], folder, policy)
    assessed = _assessed(options, parts, suites, policy)
    _show(assessed, parts, folder, as_json=options["as_json"])
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


def _bind(location: str, folder: Path, policy: "Policy | None") -> None:
    """Records what was assessed, so that nothing else can be served under it."""
    from contextlib import closing

    from wardround.assistant.binding import bind
    from wardround.ehr.database import open_database

    with closing(open_database(location)) as database:
        bind(folder, database, policy)


def _assessed(
    options: Mapping[str, Any],
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
        for other in options["beside"] or ()
    }
    return Assessed(
        agent=_agent_label(parts[0].settings),
        database=Path(options["database"].rpartition("/")[2]).stem,
        fingerprints=databases_of(parts),
        date=f"{datetime.now(UTC):%-d %B %Y}",
        trials=options["trials"],
        suites=suites,
        played=played,
        rules=rules,
        state=state,
        beside=beside,
        notices=(*notices_of(parts), *notices_on_others(options["beside"] or ())),
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
