"""Makes agents whose code runs in a process of its own: one for each trial, or for all."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from secrets import randbelow
from typing import Any

from wardround.agents.isolated.exchange import checked_opening
from wardround.agents.isolated.launch import confinement_of, launch
from wardround.agents.isolated.messages import (
    OPENING,
    answer_message,
    error_fields,
    error_of,
    observe_message,
    request_of,
    start_message,
)
from wardround.agents.isolated.program import AgentProgram, cannot_open
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.errors import AgentError, UserError, WardroundError
from wardround.core.serialization import check_action_size
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel, answered
from wardround.sandbox.line_process import SIZE, Ended, Inbox, LineProcess
from wardround.sandbox.privileges import hide_memory

# Seconds that a process may stay silent after the time of a trial whose agent acts is up.
GRACE_SECONDS = 30.0


class IsolatedAgents:
    """A maker of agents in processes that are started on first use and replaced when they end.

    Args:
        program: What runs.
        model: The model that its agents may ask; None for none.

    Raises:
        UserError: the program is not a command, or the platform cannot confine it.
    """

    def __init__(self, program: AgentProgram, model: LanguageModel | None) -> None:
        hide_memory()
        self.model = model
        self._program = program
        self.confinement = confinement_of(program)
        self._process: LineProcess | None = None  # the shared one, or one that no trial has yet
        self._processes: set[LineProcess] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()
        self._has_opened = False

    def __call__(self, briefing: Briefing, context: AgentContext) -> "IsolatedAgent":
        """The agent of an attempt."""
        return IsolatedAgent(self, _unguessable_number(), briefing, context)

    async def process(self) -> LineProcess:
        """The next trial's process, started if there is none.

        Raises:
            UserError: the agent cannot be opened.
            AgentError: it cannot be opened any more.
        """
        async with self._starting:
            if self._process is None or self._process.ended:
                self._process = await self._started()
            return self._process

    async def take_process(self) -> LineProcess:
        """The process for an attempt, which others do not get if each trial has its own.

        Raises:
            UserError: the agent cannot be opened.
            AgentError: it cannot be opened any more.
        """
        if not self._program.per_trial:
            return await self.process()
        waiting, self._process = self._process, None
        return waiting if waiting and not waiting.ended else await self._started()

    def give_back(self, process: LineProcess) -> None:
        """Ends the process of an attempt that is over, unless it is shared."""
        if self._program.per_trial:
            self._processes.discard(process)
            ending = asyncio.create_task(process.end("its trial is over"))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """Ends all processes."""
        running, self._processes, self._process = self._processes, set(), None
        await asyncio.gather(
            *self._ending, *(process.end("the run is over") for process in running)
        )

    async def _started(self) -> LineProcess:
        try:
            process = await self._opened()
        except UserError as error:
            if self._has_opened:  # then it is the agent's failure, which must not end the run
                raise AgentError(str(error)) from None
            raise
        self._has_opened = True
        self._processes = {each for each in self._processes if not each.ended} | {process}
        return process

    async def _opened(self) -> LineProcess:
        scratch = ExitStack()
        start = scratch.enter_context(launch(self._program))
        process = await LineProcess.started(start.command, start.environment, scratch.close)
        if self._program.is_command:
            return process
        inbox = process.conversation(OPENING)
        model = None
        if self.model is not None:
            # The keys and the server of the model stay here.
            hidden = {"base_url", "api_key_env"}
            model = self.model.settings.model_dump(mode="json", exclude=hidden)
        await process.send(self._program.message("open", model))
        answer = await inbox.get()
        process.leave(OPENING)
        if isinstance(answer, Ended):
            raise cannot_open(self._program, f"its process {answer.reason}")
        try:
            checked_opening(self._program, answer)
        except UserError:
            await process.end("it was refused")
            raise
        return process


class IsolatedAgent:
    """The agent of one attempt, as wardround's side of it."""

    def __init__(
        self, agents: IsolatedAgents, number: int, briefing: Briefing, context: AgentContext
    ) -> None:
        self._agents = agents
        self._number = number
        self._briefing = briefing
        self._context = context
        self._process: LineProcess | None = None
        self._inbox: Inbox
        self._is_cut_off = False
        self._asking: set[asyncio.Task[None]] = set()
        self._told: set[str] = set()  # kinds of errors of the model that the agent has heard of

    async def act(self, observation: Observation) -> Action:
        """The agent's next action.

        Raises:
            AgentError: it failed, or its process ended.
            InfraError: its model failed.
            UserError: its model cannot be used as the run has it.
        """
        process = self._process or await self._begin()
        await process.send(observe_message(self._number, observation))
        try:
            return await self._answer()
        except asyncio.CancelledError:
            self._is_cut_off = True
            raise
        finally:
            for asking in self._asking:
                asking.cancel()

    async def _begin(self) -> LineProcess:
        self._process = await self._agents.take_process()
        self._inbox = self._process.conversation(self._number)
        self._context.cleanup.callback(self._leave, self._process)
        start = start_message(self._number, self._briefing, self._context.seed)
        await self._process.send(start)
        return self._process

    async def _answer(self) -> Action:
        """Serves requests to the model until there is an action."""
        while True:
            message = await self._inbox.get()
            if isinstance(message, Ended):
                raise AgentError(f"the agent's process {message.reason}")
            match message:
                case {"type": "say", "text": str(text)}:
                    check_action_size(message[SIZE])
                    return Say(text)
                case {"type": "call", "tool": str(tool), "arguments": dict(arguments)}:
                    check_action_size(message[SIZE])
                    return Call(tool, arguments)
                case {"type": "ask"}:
                    asking = asyncio.create_task(self._ask(message))
                    self._asking.add(asking)
                    asking.add_done_callback(self._asking.discard)
                case {"type": "error"}:
                    raise error_of(message, self._told)
                case {"type": "stopped", "error": WardroundError() as error}:
                    raise error
                case {"type": kind}:
                    raise AgentError(f"the agent's process wrote a wrong message ({kind})")

    async def _ask(self, message: Mapping[str, Any]) -> None:
        """Asks the run's model for the agent; an error of the settings ends the run."""
        try:
            answer = await self._asked(message)
        except UserError as error:
            self._inbox.put_nowait({"type": "stopped", "error": error})
            return
        except WardroundError as error:
            answer = {"type": "answer", "trial": self._number, "ask": message.get("ask")}
            answer |= error_fields(error)
            self._told.add(answer["kind"])
        if self._process is not None:
            await self._process.send(answer)

    async def _asked(self, message: Mapping[str, Any]) -> dict[str, Any]:
        model = self._agents.model
        if model is None:
            raise AgentError("the run has no language model for its agent")
        request = request_of(message, model.settings, self._context.seed)
        answer = await answered(model.source, request, "agent", self._context.ledger.record)
        return answer_message(self._number, message.get("ask"), answer.reply)

    def _leave(self, process: LineProcess) -> None:
        """Ends the attempt in the process; one that no longer listens is ended."""
        process.leave(self._number)
        process.write({"type": "end", "trial": self._number})
        self._agents.give_back(process)
        if self._is_cut_off and process.ended is None:
            _watch(process)


def _unguessable_number() -> int:
    """The number of an attempt in messages, which does not tell which trial it is."""
    return OPENING + 1 + randbelow(2**53 - OPENING - 1)


# Tasks that see whether a process still listens; an event loop holds them weakly.
_WATCHING: set[asyncio.Task[None]] = set()


def _watch(process: LineProcess) -> None:
    watching = asyncio.create_task(_end_if_silent(process))
    _WATCHING.add(watching)
    watching.add_done_callback(_WATCHING.discard)


async def _end_if_silent(process: LineProcess) -> None:
    lines = process.lines
    await asyncio.sleep(GRACE_SECONDS)
    if process.lines == lines and process.ended is None:
        await process.end(f"was silent for {GRACE_SECONDS:g} s after a trial's time was up")
