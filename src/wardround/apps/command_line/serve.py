"""`wardround serve`: an assessed agent answers people in a browser and in chat clients."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
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
from wardround.apps.command_line.extras import needs_extra
from wardround.apps.command_line.parameters import CommandOption, options_command, with_defaults
from wardround.core.errors import UserError

if TYPE_CHECKING:
    from wardround.assistant.open_assistant import Opened
    from wardround.assistant.served_agent import Serving
    from wardround.assistant.users import User
    from wardround.ehr.fhir.interaction import FhirServer

SERVED_OPTIONS = (
    CommandOption("assessment", Path, "The folder of an assessment.", argument=True),
    CommandOption("policy", Path, "The policy that the agent must have passed."),
    CommandOption(
        "unassessed",
        str,
        "A database, to serve an agent that was not assessed on it; each page says so.",
    ),
    CommandOption(
        "out", Path, "The folder of the record of questions and answers. [ASSESSMENT/served]"
    ),
    CommandOption(
        "processes",
        int,
        "The processes that answer; each conversation stays with one of them.",
        2,
        at_least=1,
        at_most=64,
    ),
)
# `--processes` of a run shares trials, and of a server answers.
SERVED_LIMITS = tuple(option for option in LIMIT_OPTIONS if option.name != "processes")
USERS = CommandOption(
    "users",
    Path,
    "A file of the people who may ask, with their tokens' digests and limits. "
    "[the person at this machine]",
)
USER_HEADER = CommandOption(
    "user_header",
    str,
    "The header in which a sign-in proxy on this machine names the person; with --users, only "
    "those in the file.",
    "",
)
HOST = CommandOption("host", str, "The address to listen on.", "127.0.0.1")
_OPTIONS = (
    *SERVED_OPTIONS,
    USERS,
    USER_HEADER,
    HOST,
    CommandOption("port", int, "The port to listen on.", 8767, at_least=1, at_most=65535),
)
_OWN = {option.name for option in _OPTIONS}


def serve(typed: dict[str, Any]) -> None:
    """Serves an agent until it is interrupted."""
    options = with_defaults(_OPTIONS, typed)
    users = people_of(options)
    serving = chosen_serving(options, {k: v for k, v in typed.items() if k not in _OWN})
    with needs_extra("web"):
        import wardround.apps.web.chat  # noqa: F401
        from wardround.apps.web.bounded_server import run_until_interrupted
    if serving.notice:
        typer.echo(f"Note: {serving.notice}", err=True)
    run_until_interrupted(_serve(options, serving, users))


async def _serve(
    options: Mapping[str, Any], serving: "Serving", users: "Mapping[str, User]"
) -> None:
    from wardround.apps.web.bounded_server import serve_app
    from wardround.apps.web.chat import make_chat
    from wardround.apps.web.signed_in import SignedIn

    async with opened_by(serving, options, users) as opened:
        signed_in = SignedIn(users, options["user_header"])
        app = make_chat(opened.assistant, signed_in, title_of(serving))
        address = f"http://{options['host']}:{options['port']}"
        announced = f"Open {address} in a browser; stop with Ctrl+C. Chat clients: {address}/v1"
        await serve_app(app, options["host"], options["port"], partial(typer.echo, announced))


command = options_command(
    "serve",
    "Let people ask an assessed agent, in a browser or in a chat client.",
    {
        "Options": _OPTIONS,
        "Agent": AGENT_OPTIONS,
        "Models": (*MODEL_OPTIONS, TEMPERATURE),
        "Limits": SERVED_LIMITS,
    },
    serve,
)


def chosen_serving(options: Mapping[str, Any], agent: Mapping[str, Any]) -> "Serving":
    """The agent to serve: that of an assessment, or one that was not assessed.

    Raises:
        UserError: options are missing or contradict each other, or the agent may not be served.
    """
    from wardround.assessment.policy import read_policy
    from wardround.assessment.suites import suite_makers
    from wardround.assistant.served_agent import assessed

    folder, database = options["assessment"], options["unassessed"]
    if folder is not None and database is not None:
        raise UserError("Name an assessment or --unassessed DATABASE, not both.")
    if database is not None:
        return _unassessed(database, agent)
    if folder is None:
        raise UserError("Name the folder of an assessment, as wardround assess writes it.")
    if agent:
        raise UserError(
            f"--{next(iter(agent)).replace('_', '-')} is for --unassessed; the agent of an "
            "assessment is served as it was assessed."
        )
    if options["policy"] is None:
        raise UserError("Name the policy that the agent must have passed, with --policy FILE.")
    return assessed(folder, read_policy(options["policy"], suite_makers()))


def opened_by(
    serving: "Serving",
    options: Mapping[str, Any],
    users: Mapping[str, Any],
    fhir: "FhirServer | None" = None,
) -> "AbstractAsyncContextManager[Opened]":
    """The assistant, with its record and its processes as the options have it."""
    from wardround.assistant.open_assistant import opened_assistant
    from wardround.assistant.served_record import FOLDER

    folder = options["out"] or (serving.assessment or Path("assessments")) / FOLDER
    progress = partial(typer.echo, err=True)
    return opened_assistant(serving, folder, users, progress, fhir, options["processes"])


def title_of(serving: "Serving") -> str:
    """The agent and its database."""
    model = serving.settings.models.get("agent")
    name = f"{serving.settings.agent}{f' ({model.name})' if model else ''}"
    return f"{name} on {Path(serving.database.rpartition('/')[2]).stem}"


def _unassessed(database: str, agent: Mapping[str, Any]) -> "Serving":
    """An agent with its settings, for the first benchmark that serves people and that it plays."""
    from wardround.apps.command_line.choices import chosen_settings
    from wardround.assistant.served_agent import unassessed
    from wardround.core import plugins
    from wardround.core.capabilities import Consultable
    from wardround.core.declared import benchmark_class
    from wardround.ehr.database import open_database

    open_database(database).close()
    names = [
        name
        for name in plugins.names(plugins.BENCHMARKS)
        if issubclass(benchmark_class(name), Consultable)
    ]
    if not names:
        raise UserError("No installed benchmark serves people in conversation.")
    settings = chosen_settings(names[0], {**agent, "database": [f"ward={database}"]})
    return unassessed(settings)


def people_of(options: Mapping[str, Any]) -> "dict[str, User]":
    """The people who may ask over the network.

    Raises:
        UserError: someone could not sign in, or other machines would reach a server that does not
            know who asks.
    """
    from wardround.assistant.users import check_tokens, read_users

    users = read_users(options["users"]) if options["users"] else {}
    if not options["user_header"]:
        check_tokens(users)
    _check_named(options["host"], is_named=bool(users or options["user_header"]))
    _check_header(options)
    return users


def _check_named(host: str, *, is_named: bool) -> None:
    """Refuses to serve people on other machines who are not known.

    Raises:
        UserError: other machines reach the address, and nobody is named.
    """
    from wardround.apps.web.access import is_loopback

    if not is_named and not is_loopback(host):
        raise UserError(
            f"Other machines reach {host}; name the people who may ask with --users, or leave out "
            "--host."
        )


def _check_header(options: Mapping[str, Any]) -> None:
    from wardround.apps.web.access import is_loopback

    if options["user_header"] and not is_loopback(options["host"]):
        raise UserError(
            "--user-header trusts what it is told, so it goes with no other --host than this "
            "machine; let the proxy run here."
        )
