"""The process of an agent in Python: makes its agents and passes their actions on.

The agent's prints go to standard error; standard output is for messages.
"""

import asyncio
import os
import pickle
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from wardround.agents.isolated.messages import (
    OPENING,
    action_message,
    ask_message,
    briefing_of,
    error_fields,
    observation_of,
    reply_of,
)
from wardround.core import plugins
from wardround.core.actions import Action, Observation
from wardround.core.agent_options import agent_options
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.declared import agent_declaration
from wardround.core.environment import Agent
from wardround.core.errors import UserError, WardroundError
from wardround.core.serialization import checked_action, to_line
from wardround.core.trajectory import Ledger
from wardround.models.client import LanguageModel
from wardround.models.exchange import Answer, Request
from wardround.models.model import ModelSettings
from wardround.sandbox.line_process import MOST_BYTES

# The trial whose agent is acting.
_trial: ContextVar[int] = ContextVar("trial")


def main() -> None:
    """Serves trials until the standard input closes."""
    requests, answers = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    asyncio.run(_Host(answers).serve(requests))
    sys.stderr.flush()
    os._exit(0)  # whatever threads the agent has left


@dataclass(eq=False, slots=True)
class _Trial:
    agent: Agent
    cleanup: AsyncExitStack
    acting: "asyncio.Task[None] | None" = None
    asked: dict[int, "asyncio.Future[Mapping[str, Any]]"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _BrokenAgent:
    """An agent that could not be made."""

    error: BaseException

    async def act(self, observation: Observation) -> Action:
        raise self.error


class _Host:
    """The trials of one process."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._make: AgentMaker
        self._trials: dict[int, _Trial] = {}
        self._ending: set[asyncio.Task[None]] = set()  # an event loop holds tasks weakly
        self._asks = 0

    async def serve(self, requests: int) -> None:
        """Takes each message until the other side closes."""
        reader = asyncio.StreamReader(MOST_BYTES)
        loop = asyncio.get_running_loop()
        protocol = asyncio.StreamReaderProtocol(reader)
        await loop.connect_read_pipe(lambda: protocol, os.fdopen(requests, "rb"))
        while line := await reader.readline():
            self._take(orjson.loads(line))

    def _take(self, message: dict[str, Any]) -> None:
        trial = message["trial"]
        match message["type"]:
            case "describe":
                self._say(OPENING, self._described(message))
            case "open":
                self._say(OPENING, self._opened(message))
            case "train":
                self._say(OPENING, self._trained(message))
            case "start":
                self._start(trial, message)
            case "observe" if trial in self._trials:
                acting = asyncio.create_task(self._act(trial, message))
                self._trials[trial].acting = acting
            case "answer" if trial in self._trials:
                waiting = self._trials[trial].asked.pop(message["ask"], None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
            case "end" if trial in self._trials:
                ending = asyncio.create_task(self._end(self._trials.pop(trial)))
                self._ending.add(ending)
                ending.add_done_callback(self._ending.discard)

    def _described(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The training that the agent declares, once its options have been checked."""
        try:
            declared = agent_declaration(message["agent"])
            options = _options(message)
        except UserError as error:
            return _refused(error)
        training = {"train": declared.train, "format": declared.trained_format}
        pairs = options.get("pairs", "") if declared.train else ""
        return {"type": "described", **training, "pairs": pairs}

    def _opened(self, message: Mapping[str, Any]) -> dict[str, Any]:
        try:
            self._make = self._maker(message)
        except WardroundError as error:
            return _refused(error)
        except BaseException as error:
            return {"type": "refused", "reason": f"{type(error).__name__}: {error}"}
        return {"type": "opened"}

    def _trained(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Trains the agent and says how it ended; the steps are said meanwhile."""
        try:
            train = plugins.implementation(message["train"])
            pairs = pickle.loads(Path(message["pairs"]).read_bytes())  # noqa: S301 - wardround's own
            train(message["database"], pairs, message["seed"], self._say_step, Path(message["to"]))
        except WardroundError as error:
            return _refused(error)
        except BaseException as error:
            return {"type": "refused", "reason": f"{type(error).__name__}: {error}"}
        return {"type": "trained"}

    def _say_step(self, text: str) -> None:
        self._say(OPENING, {"type": "step", "text": f"{text} …"})

    def _maker(self, message: Mapping[str, Any]) -> AgentMaker:
        """The maker that the agent's function returns, or the agent's class itself.

        Raises:
            WardroundError: an option does not fit, or there is no such agent.
            TypeError: it is not a maker.
        """
        declared = agent_declaration(message["agent"])
        keywords = _options(message)
        if declared.train:
            del keywords["pairs"]
            keywords["trained"] = {n: Path(file) for n, file in message["trained"].items()}
        model = None
        if message["model"] is not None:
            model = LanguageModel(ModelSettings(**message["model"]), self._ask)
        opener: Any = plugins.implementation(declared.implementation)
        if isinstance(opener, type) and hasattr(opener, "act"):
            agent_class: AgentMaker = partial(opener, **keywords)
            return agent_class
        make: AgentMaker = opener(model, **keywords)
        if not callable(make):
            raise TypeError(f"it returned {type(make).__name__}")
        return make

    def _start(self, trial: int, message: Mapping[str, Any]) -> None:
        cleanup = AsyncExitStack()
        context = AgentContext(message["seed"], Ledger(), cleanup)
        try:
            agent = self._make(briefing_of(message), context)
        except BaseException as error:
            agent = _BrokenAgent(error)
        self._trials[trial] = _Trial(agent, cleanup)

    async def _end(self, trial: _Trial) -> None:
        if trial.acting is not None and not trial.acting.done():
            trial.acting.add_done_callback(lambda task: self._say(OPENING, {"type": "ended"}))
            trial.acting.cancel()
        await trial.cleanup.aclose()

    async def _act(self, trial: int, message: Mapping[str, Any]) -> None:
        _trial.set(trial)
        try:
            action = await self._trials[trial].agent.act(observation_of(message))
            self._say(trial, action_message(trial, checked_action(action)))
        except BaseException as error:
            if trial in self._trials:  # else it was cancelled, since its trial is over
                self._say(trial, {"type": "error", **error_fields(error)})

    async def _ask(self, request: Request) -> Answer:
        """Has wardround ask the model, on behalf of the trial that is acting."""
        trial = _trial.get()
        self._asks += 1
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._trials[trial].asked[self._asks] = answer
        self._say(trial, ask_message(trial, self._asks, request))
        return Answer(reply_of(await answer))

    def _say(self, trial: int, message: Mapping[str, Any]) -> None:
        line = memoryview(to_line({**message, "trial": trial}) + b"\n")
        while line:
            line = line[os.write(self._answers, line) :]


def _refused(error: WardroundError) -> dict[str, Any]:
    missing = isinstance(error.__cause__, ImportError)
    return {"type": "refused", "message": str(error), "missing": missing}


def _options(message: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that the agent is opened with.

    Raises:
        UserError: an option does not fit.
    """
    trained = Path(message["agent_model"]) if message["agent_model"] else None
    return agent_options(agent_declaration(message["agent"]), trained, message["settings"])
