"""Opens an assistant: the benchmark on its database, the agent, the models and the record."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from wardround import __version__
from wardround.assistant.assistant import Assistant
from wardround.assistant.consultation import Consultation, UngradedTrial
from wardround.assistant.record_tools import RecordTools
from wardround.assistant.served_record import opened_record
from wardround.assistant.serving import Serving, current_notice
from wardround.assistant.users import User
from wardround.core.capabilities import Consultable
from wardround.core.errors import UserError, WardroundError
from wardround.core.task import Task
from wardround.ehr.fhir.interaction import FhirServer
from wardround.runs.components import AgentSource, open_benchmark, open_models, train_agent
from wardround.runs.open_run import use_threads

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
    limits = replace(
        settings.limits,
        statement_seconds=min(settings.limits.statement_seconds, STATEMENT_SECONDS),
    )
    use_threads(settings.concurrency)
    models = open_models(settings)
    benchmark = await asyncio.to_thread(open_benchmark, settings, models)
    try:
        if not isinstance(benchmark, Consultable):
            raise UserError(f"{settings.benchmark} serves no people in conversation.")
        trained = await asyncio.to_thread(train_agent, settings, folder, benchmark, progress)
        agents = AgentSource(settings, folder, benchmark, models, trained)
        make_agent = agents.for_task(Task("consultation", None, None))
        consult = partial(Consultation, benchmark, make_agent, limits)
        record = opened_record(folder, _described(serving), has_values=serving.rules.record_values)
        async with agents.open():
            with record as written:
                silent = partial(UngradedTrial, benchmark, "", _nothing_said)
                tools = RecordTools(silent, limits, written, fhir)
                assistant = Assistant(
                    consult, tools, written, users, settings.concurrency, serving.notice
                )
                watching = asyncio.create_task(keep_current(serving, assistant))
                try:
                    yield Opened(assistant, tools)
                finally:
                    watching.cancel()
                    await assistant.close()
                    await tools.close()
    finally:
        benchmark.close()
        await models.close()


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
            assistant.stopped = ""
        except WardroundError as error:
            assistant.stopped = f"No question is answered any more: {error}"


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
