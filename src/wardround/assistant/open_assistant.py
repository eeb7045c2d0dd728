"""Opens an assistant: the benchmark on its database, the agent, the models and the record."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wardround import __version__
from wardround.assistant.assistant import Assistant
from wardround.assistant.consultation import Consultation, UngradedTrial
from wardround.assistant.record_tools import RecordTools
from wardround.assistant.served_agent import Serving, current_notice
from wardround.assistant.served_record import opened_record
from wardround.assistant.users import User
from wardround.core.benchmark import AgentMaker
from wardround.core.capabilities import Consultable
from wardround.core.errors import UserError, WardroundError
from wardround.core.scratch_folder import ScratchFolder
from wardround.core.task import Task
from wardround.ehr.fhir.interaction import FhirServer
from wardround.ehr.ingest.patient_scope import Scope, scoped_copy
from wardround.models.roles import RoleModels
from wardround.runs.components import AgentSource, open_benchmark, open_models, train_agent
from wardround.runs.open_run import use_threads
from wardround.runs.settings import RunSettings

# A person waits for each statement, so that it may take less time than in a trial.
STATEMENT_SECONDS = 10.0
DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Opened:
    """The open assistant, and the tools of its record for clients with an agent of their own."""

    assistant: Assistant
    tools: RecordTools


@asynccontextmanager
async def opened_assistant(
    serving: Serving,
    folder: Path,
    users: Mapping[str, User],
    progress: Callable[[str], None] = lambda line: None,
    fhir: FhirServer | None = None,
) -> AsyncIterator[Opened]:
    """Opens an assistant and the record's tools, and ends its conversations after the block.

    Args:
        serving: what is served.
        folder: where the record is kept.
        users: the people who may ask; empty for the person at this machine alone.
        progress: called with each step of training the agent.
        fhir: the same record as FHIR; None without one.

    Raises:
        UserError: a part cannot be opened, or another server writes to the record.
    """
    settings = serving.settings
    scopes = {name: user.scope for name, user in users.items() if user.scope != Scope()}
    if scopes:
        _check_scopes(settings, fhir)
    limits = replace(
        settings.limits,
        statement_seconds=min(settings.limits.statement_seconds, STATEMENT_SECONDS),
    )
    use_threads(settings.concurrency)
    models = open_models(settings)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(models.close)
        wards = {
            scope: await stack.enter_async_context(
                _opened_ward(serving, scope, folder, models, progress)
            )
            for scope in {Scope(), *scopes.values()}
        }

        def consultation(person: str) -> Consultation:
            ward = wards[scopes.get(person, Scope())]
            return Consultation(ward.benchmark, ward.make_agent, limits)

        def silent(person: str) -> UngradedTrial:
            return UngradedTrial(wards[scopes.get(person, Scope())].benchmark, "", _nothing_said)

        record = opened_record(folder, _described(serving), has_values=serving.rules.record_values)
        written = stack.enter_context(record)
        tools = RecordTools(silent, limits, written, fhir)
        assistant = Assistant(
            consultation, tools, written, users, settings.concurrency, serving.notice
        )
        watching = asyncio.create_task(keep_current(serving, assistant))
        try:
            yield Opened(assistant, tools)
        finally:
            watching.cancel()
            await assistant.close()
            await tools.close()


@dataclass(frozen=True, slots=True)
class _Ward:
    """The benchmark on a database, and what makes agents for it."""

    benchmark: Consultable
    make_agent: AgentMaker


@asynccontextmanager
async def _opened_ward(
    serving: Serving,
    scope: Scope,
    folder: Path,
    models: RoleModels,
    progress: Callable[[str], None],
) -> AsyncIterator[_Ward]:
    """Opens benchmark and agent on the part of the database that some people may see."""
    with ExitStack() as opened:
        settings = serving.settings
        if scope != Scope():
            private = opened.enter_context(ScratchFolder()).path
            copy = await asyncio.to_thread(scoped_copy, serving.database, private, scope)
            databases = dict.fromkeys(settings.databases, copy)
            settings = settings.model_copy(update={"databases": databases})
        benchmark = await asyncio.to_thread(open_benchmark, settings, models)
        opened.callback(benchmark.close)
        if not isinstance(benchmark, Consultable):
            raise UserError(f"{settings.benchmark} serves no people in conversation.")
        trained = await asyncio.to_thread(train_agent, settings, folder, benchmark, progress)
        agents = AgentSource(settings, folder, benchmark, models, trained)
        make_agent = agents.for_task(Task("consultation", None, None))
        async with agents.open():
            yield _Ward(benchmark, make_agent)


def _check_scopes(settings: RunSettings, fhir: FhirServer | None) -> None:
    """Refuses to bind people to patients or columns where something else shows the others.

    Raises:
        UserError: there is a FHIR record, a trained file, or an agent that is not confined.
    """
    problems = {
        "--fhir reads all patients": fhir is not None,
        "the agent's trained file was made from all patients": settings.agent_model is not None,
        "an unconfined agent reads every file": settings.unconfined,
    }
    for problem, holds in problems.items():
        if holds:
            raise UserError(
                f"The users' file binds people to patients or columns, but {problem}; leave one "
                "of the two out."
            )


async def keep_current(serving: Serving, assistant: Assistant, seconds: float = DAY) -> None:
    """Measures again and again if what is served is still what was assessed.

    Args:
        serving: what is served.
        assistant: gets the sentence of caution, or is stopped.
        seconds: the time between two measurements.
    """
    while True:
        await asyncio.sleep(seconds)
        try:
            assistant.notice = await asyncio.to_thread(current_notice, serving)
            assistant.stop("")
        except WardroundError as error:
            assistant.stop(f"No question is answered any more: {error}")


async def _nothing_said(message: str) -> str | None:
    """The side of a person who calls tools and does not speak."""
    return None


def _described(serving: Serving) -> dict[str, Any]:
    """The content of the record's `run.json`."""
    return {
        "settings": serving.settings.as_json(),
        "versions": {"wardround": __version__},
        "tasks": {"source": "questions of people", "count": 0, "digest": "", "defects": []},
        "databases": {},
        "assessment": str(serving.assessment or ""),
    }
