"""MedAgentBench's environment: eight messages, a FHIR server that takes writes, one answer."""

from asyncio import to_thread
from typing import Any

import orjson

from wardround.benchmarks.kit.agent_texts import as_json, tool_text
from wardround.benchmarks.medagentbench.protocol import (
    BASE,
    Finish,
    Get,
    Invalid,
    Message,
    Post,
    Rejected,
    parse_message,
    path_below_base,
    read_json,
)
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import Tool, Toolbox, tool
from wardround.core.trajectory import Noted, Trajectory
from wardround.ehr.fhir.interaction import FhirServer, Request, Response
from wardround.ehr.fhir.links import with_addresses
from wardround.ehr.fhir.validation import defects

WRITE, ENDED = "write", "ended"
# The first words of the observations are the published ones, as agents are compared by them.
GOT = "Here is the response from the GET request:\n{body}\nCall FINISH once you have all answers."
NOT_GOT = "Error in sending the GET request: {reason}"
POSTED = (
    "POST request accepted and executed successfully. The resource is {place}. "
    "Call FINISH once you have all answers."
)
REFUSED = "The server refused the POST request: {reason}"
REJECTED = "Invalid POST request"
NOT_BELOW = f"the address is not below {BASE}"
NOT_UNDERSTOOD = "This was not carried out; use one of the tools."


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
        self._over = False
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
        if not self._over and self._rounds <= 0:
            self._end({"reason": "round limit"})
        return Observation(answer, source, done=self._over)

    async def close(self) -> None:
        """Drops the trial's writes."""
        self._server.close()

    async def _message(self, message: Message) -> str:
        match message:
            case Get(url=url):
                return await self._get(url)
            case Post(url=url, payload=payload):
                return await self._post(url, payload)
            case Rejected():
                return REJECTED
            case Finish(result=result):
                return self._end({"reason": "finished", "result": result})
            case Invalid() if self.briefing.tools:
                self._note("invalid", {})
                return NOT_UNDERSTOOD
            case Invalid():
                self._note("invalid", {})
                return self._end({"reason": "invalid message"})

    async def _get(self, url: str) -> str:
        path = path_below_base(url)
        if path is None:
            return NOT_GOT.format(reason=NOT_BELOW)
        response = await to_thread(self._server.handle, Request("GET", path))
        if response.status >= 400:
            return NOT_GOT.format(reason=_reason(response))
        return GOT.format(body=as_json(with_addresses(response.body, BASE)))

    async def _post(self, url: str, payload: Any) -> str:
        path = path_below_base(url)
        resource = _storable(payload)
        if path is None or resource is None:
            reason = NOT_BELOW if path is None else "the body is not a resource"
            self._note(WRITE, {"status": 0, "resource": None, "defects": []})
            return REFUSED.format(reason=reason)
        response = await to_thread(self._server.handle, Request("POST", path, body=resource))
        written = response.status == 201
        sentences = [f"{defect.path}: {defect.sentence}" for defect in defects(resource)]
        note = {"status": response.status, "resource": response.body if written else None}
        self._note(WRITE, {**note, "defects": sentences})
        if not written:
            return REFUSED.format(reason=_reason(response))
        body = response.body or {}
        return POSTED.format(place=f"{body.get('resourceType')}/{body.get('id')}")

    def _end(self, how: dict[str, Any]) -> str:
        """Ends the trial; there is nothing more to say to the agent."""
        self._over = True
        self._note(ENDED, how)
        return ""

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
            try:
                payload = read_json(body)
            except ValueError:
                return REJECTED
            return await self._post(url, payload)

        async def finish(answers: str) -> str:
            """Ends the task with its answers.

            Args:
                answers: a JSON list.
            """
            return await self._message(Finish(answers))

        return [
            tool(get, role="request_address"),
            tool(post, role="post_resource"),
            tool(finish, role="give_answers"),
        ]


def _storable(payload: Any) -> dict[str, Any] | None:
    """A payload with JSON values only; None if it is not an object or cannot be stored."""
    try:
        stored = orjson.loads(orjson.dumps(payload))
    except (TypeError, orjson.JSONDecodeError):
        return None
    return stored if isinstance(stored, dict) else None


def _reason(response: Response) -> str:
    """The status of a response with the server's reason."""
    issues = (response.body or {}).get("issue") or [{}]
    return f"{response.status} {issues[0].get('diagnostics', '')}".strip()
