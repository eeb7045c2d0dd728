"""Opens an assistant: the benchmark on its database, the agent, the models and the record."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from wardround import __version__
from wardround.assistant.assistant import Assistant
from wardround.assistant.parts import Parts
from wardround.assistant.pinned_sessions import PinnedConsultation, PinnedRecordSession
from wardround.assistant.record_tools import RecordTools
from wardround.assistant.served_agent import Serving, current_notice
from wardround.assistant.served_record import opened_record, spent_on
from wardround.assistant.users import Allowances, User, today
from wardround.assistant.worker_handle import WorkerHandle
from wardround.assistant.worker_pool import WorkerPool
from wardround.core.errors import UserError, WardroundError
from wardround.core.run_document import OF_PEOPLE
from wardround.ehr.fhir.interaction import FhirServer
from wardround.ehr.ingest.patient_scope import Scope
from wardround.runs.open_run import use_threads
from wardround.runs.settings import RunSettings

# A person waits for each statement, so that it may take less time than in a trial.
STATEMENT_SECONDS = 10.0
DAY = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Opened:
    """The open assistant, and the tools of its record for clients with an agent of their own.

    Attributes:
        renew: copies the rows of people who may not see all of them again.
    """

    assistant: Assistant
    tools: RecordTools
    renew: Callable[[], Awaitable[None]]


@asynccontextmanager
async def opened_assistant(
    serving: Serving,
    folder: Path,
    users: Mapping[str, User],
    progress: Callable[[str], None] = lambda line: None,
    fhir: FhirServer | None = None,
    processes: int = 1,
) -> AsyncIterator[Opened]:
    """Opens an assistant and the record's tools, and ends its conversations after the block.

    Args:
        serving: the assessed agent and database.
        folder: where the record is kept.
        users: the people who may ask; empty for the person at this machine alone.
        progress: called with each step of training the agent.
        fhir: the same record as FHIR; None without one.
        processes: the number of worker processes.

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
    start = partial(WorkerHandle.start, settings, folder, limits)
    workers = WorkerPool(start, processes, progress)
    parts = Parts(serving.database, scopes, workers)
    async with AsyncExitStack() as stack:
        # It is closed last, so that answers which the end breaks off are on it.
        record = opened_record(folder, _described(serving), has_values=serving.rules.record_values)
        written = stack.enter_context(record)
        stack.push_async_callback(parts.close)
        await stack.enter_async_context(workers.running())
        await parts.open()

        async def consultation(person: str) -> PinnedConsultation:
            part = await parts.of(person)
            process = await workers.idlest(part.number)
            return PinnedConsultation(process, part.number, limits.seconds)

        async def session(person: str) -> PinnedRecordSession:
            part = await parts.of(person)
            process = await workers.idlest(part.number)
            opened = PinnedRecordSession(process, part.number, limits.seconds)
            await opened.open()
            return opened

        allowances = Allowances(users, spent_on(folder, today()))
        tools = RecordTools(session, written, allowances, fhir)
        assistant = Assistant(
            consultation,
            tools,
            written,
            allowances,
            settings.concurrency,
            serving.notice,
            scopes,
        )

        async def renew() -> None:
            await parts.renew()
            await tools.reopen()

        watching = asyncio.create_task(keep_current(serving, assistant, renew))
        try:
            yield Opened(assistant, tools, renew)
        finally:
            watching.cancel()
            await asyncio.wait({watching})
            await assistant.close()
            await tools.close()


def _check_scopes(settings: RunSettings, fhir: FhirServer | None) -> None:
    """Refuses to bind people to patients, units or columns where something else shows the others.

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
                f"The users' file binds people to patients, units or columns, but {problem}; leave "
                "one of the two out."
            )


async def keep_current(
    serving: Serving,
    assistant: Assistant,
    renew: Callable[[], Awaitable[None]],
    seconds: float = DAY,
) -> None:
    """Checks periodically that the served agent is the assessed one, and renews copies.

    Args:
        serving: what is served.
        assistant: gets the sentence of caution, or is stopped.
        renew: renews the copies of people who may not see all rows.
        seconds: the time between two measurements.
    """
    while True:
        await asyncio.sleep(seconds)
        try:
            assistant.notice = await asyncio.to_thread(current_notice, serving)
            await renew()
            assistant.stop("")
        except (WardroundError, OSError) as error:
            assistant.stop(f"No question is answered any more: {error}")


def _described(serving: Serving) -> dict[str, Any]:
    """The content of the record's `run.json`."""
    return {
        "settings": serving.settings.as_json(),
        "versions": {"wardround": __version__},
        "tasks": {"source": OF_PEOPLE, "count": 0, "digest": "", "defects": []},
        "databases": {},
        "assessment": str(serving.assessment or ""),
    }
