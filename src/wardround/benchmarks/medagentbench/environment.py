"""MedAgentBench's environment: eight messages, a FHIR server that takes writes, one answer."""

from asyncio import to_thread
from typing import Any

from wardround.benchmarks.kit.agent_texts import as_json as to_text
from wardround.benchmarks.kit.agent_texts import error_text, tool_text
from wardround.benchmarks.medagentbench.protocol import (
    Finish,
    Get,
    Invalid,
    Message,
    Post,
    as_json,
    parse_message,
    path_below_base,
)
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import ToolError
from wardround.core.task import Briefing
from wardround.core.tools import Tool, Toolbox, tool
from wardround.core.trajectory import Noted, Trajectory
from wardround.ehr.fhir.interaction import FhirServer, Request
from wardround.ehr.fhir.validation import defects

WRITE, ENDED = "write", "ended"
GOT = "The server answered {status}:\n{body}"
POSTED = "The server answered {status}; the write {verb}:\n{body}"
NOT_UNDERSTOOD = (
    "This was not carried out: a message is one GET, one POST with a JSON body, or FINISH([...])."
)


class MedEnvironment:
    """Carries out an agent's messages on a trial's own view of the record.

    Args:
        briefing: the agent's rules and tools.
        request: the instruction with its context.
        server: the record with the writes of this trial.
        rounds: the most messages.
        trajectory: gets a note for each write and for the end.
    """

    def __init__(
        self,
        briefing: Briefing,
        request: str,
        server: FhirServer,
        rounds: int,
        trajectory: Trajectory,
    ) -> None:
        self.briefing = briefing
        self._request = request
        self._server = server
        self._rounds = rounds
        self._trajectory = trajectory
        self.tools = Toolbox(self._own_tools())

    async def start(self) -> Observation:
        """Returns the instruction."""
        return Observation(self._request, "user")

    async def step(self, action: Action) -> Observation:
        """Carries out one message or call; the last one ends the trial."""
        self._rounds -= 1
        match action:
            case Say(text=text):
                answer, source = await self._message(parse_message(text)), "environment"
            case Call() as call:
                answer, source = await tool_text(self.tools, call), "tool"
        done = answer == ENDED
        if not done and self._rounds <= 0:
            self._note(ENDED, {"reason": "round limit"})
            done = True
        return Observation("" if answer == ENDED else answer, source, done=done)

    async def close(self) -> None:
        """Drops the trial's writes."""
        self._server.close()

    async def _message(self, message: Message) -> str:
        match message:
            case Get(url=url):
                return await self._get(url)
            case Post(url=url, payload=payload):
                return await self._post(url, payload)
            case Finish(result=result):
                self._note(ENDED, {"reason": "finished", "result": result})
                return ENDED
            case Invalid():
                self._note("invalid", {})
                return NOT_UNDERSTOOD

    async def _get(self, url: str) -> str:
        path = path_below_base(url)
        if path is None:
            return error_text(ToolError("The address is not below the server's base."))
        response = await to_thread(self._server.handle, Request("GET", path))
        return GOT.format(status=response.status, body=to_text(response.body))

    async def _post(self, url: str, payload: Any) -> str:
        path = path_below_base(url)
        if path is None:
            return error_text(ToolError("The address is not below the server's base."))
        if not isinstance(payload, dict):
            return error_text(ToolError("The body is not a JSON object."))
        response = await to_thread(self._server.handle, Request("POST", path, body=payload))
        written = response.status == 201
        found = [f"{defect.path}: {defect.sentence}" for defect in defects(payload)]
        note = {"url": url, "payload": payload, "status": response.status, "defects": found}
        self._note(WRITE, {**note, "resource": response.body if written else None})
        verb = "was carried out" if written else "was refused"
        return POSTED.format(status=response.status, verb=verb, body=to_text(response.body))

    def _note(self, subject: str, data: dict[str, Any]) -> None:
        self._trajectory.record(Noted(subject, data))

    def _own_tools(self) -> list[Tool]:
        async def get(url: str) -> str:
            """Reads or searches the server.

            Args:
                url: the whole address with its parameters.
            """
            return await self._get(url)

        async def post(url: str, body: str) -> str:
            """Writes a new resource to the server.

            Args:
                url: the address of the resource's type.
                body: the resource as JSON.
            """
            return await self._post(url, as_json(body))

        async def finish(answers: str) -> str:
            """Ends the task with its answers.

            Args:
                answers: a JSON list.
            """
            return await self._message(Finish(answers))

        return [tool(get), tool(post), tool(finish)]
