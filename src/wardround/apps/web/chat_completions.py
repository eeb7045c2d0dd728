"""The assistant as an OpenAI-compatible endpoint, so that any chat client can ask it.

The protocol has no conversations: a client sends all messages each time. A conversation is found
again by the messages before the last one.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Coroutine, Sequence
from hashlib import blake2b
from time import time
from typing import Any, Literal

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, ValidationError

from wardround.apps.web.connected import while_connected
from wardround.assistant.assistant import Answered, Assistant
from wardround.assistant.consultation import Query
from wardround.assistant.users import LimitError, RefusedError, UnavailableError

MODEL = "wardround"
SHOWN_ROWS = 20
# The protocol's types and codes of errors by HTTP status.
_ERRORS = {
    401: ("authentication_error", "invalid_api_key"),
    403: ("permission_error", None),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}
_MARKUP = re.compile(r"[\\`|!\[\]]")
_TICKS = re.compile("`+")
_MOST_REMEMBERED = 10_000
_FORGOTTEN = "_The earlier messages are not known here; only the last one was read._\n\n"


class Message(BaseModel):
    """A message of a client; content in parts is read as its text."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        """The text of the message."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(str(part.get("text", "")) for part in self.content or ())


class CompletionRequest(BaseModel):
    """The part of a request that the assistant reads."""

    messages: list[Message] = Field(min_length=1, max_length=1000)
    model: str = MODEL
    n: Literal[1] | None = None
    stream: bool = False


class ChatCompletions:
    """Answers requests for completions.

    Args:
        assistant: answers.
    """

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        # Conversation ids by person and the messages until their last reply.
        self._conversations: OrderedDict[str, str] = OrderedDict()

    async def reply(self, person: str, messages: Sequence[Message]) -> tuple[str, Answered]:
        """The reply to the last message, with the answer that it holds.

        Raises:
            RefusedError: the last message is not a person's, or it is not answered.
        """
        spoken = [each for each in messages if each.role in ("user", "assistant")]
        if not spoken or spoken[-1].role != "user":
            raise RefusedError("The last message must be the user's.")
        known = self._conversations.get(_key(person, spoken[:-1]), "")
        answered = await self._assistant.ask(person, spoken[-1].text, known)
        notice = self._assistant.notice_for(person)
        text = _text(answered, notice, is_forgotten=len(spoken) > 1 and not known)
        replied = Message(role="assistant", content=text)
        self._conversations[_key(person, [*spoken, replied])] = answered.conversation
        while len(self._conversations) > _MOST_REMEMBERED:
            self._conversations.popitem(last=False)
        return text, answered


def add_chat_completions(app: FastAPI, assistant: Assistant) -> None:
    """Adds the endpoint to an application whose requests know their person."""
    completions = ChatCompletions(assistant)

    @app.get("/v1/models")
    async def models() -> Response:
        model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "wardround"}
        return _json({"object": "list", "data": [model]})

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        try:
            asked = CompletionRequest.model_validate_json(await request.body())
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, problem["loc"])) or "the body"
            message = f"The request is wrong: {field}: {problem['msg']}."
            return error_response(400, message, field=field)
        work = completions.reply(request.state.person, asked.messages)
        if asked.stream:
            events = _streamed(work)
            first = await anext(events)  # what is refused at once has a status, and no event
            return StreamingResponse(_from_first(first, events), media_type="text/event-stream")
        text, answered = await while_connected(request, work)
        return _json(_completion(answered, text))


def error_response(status: int, message: str, *, field: str | None = None) -> Response:
    """An error in the protocol's form."""
    return _json(_error(status, message, field), status)


def status_of(refused: RefusedError) -> int:
    """The HTTP status of a request that is not carried out."""
    match refused:
        case LimitError():
            return 429
        case UnavailableError():
            return 503
        case _:
            return 400


def markdown(query: Query) -> str:
    """A query and its rows, as chat clients show them.

    >>> print(markdown(Query("SELECT 1 AS n", ("n",), ((1,),), False)))
    <BLANKLINE>
    <BLANKLINE>
    | n |
    | --- |
    | 1 |
    <BLANKLINE>
    ```sql
    SELECT
      1 AS n
    ```
    """
    head = [f"| {' | '.join(map(_cell, query.headings))} |", "| --- " * len(query.headings) + "|"]
    rows = [f"| {' | '.join(map(_cell, row))} |" for row in query.rows[:SHOWN_ROWS]]
    more = len(query.rows) - SHOWN_ROWS
    cut = [f"\n{more} more rows" + (" and others" if query.is_cut_off else "")] if more > 0 else []
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(query.readable)), default=0))
    shown = f"{fence}sql\n{query.readable}\n{fence}"
    return "\n\n" + "\n".join([*head, *rows, *cut]) + f"\n\n{shown}"


def _text(answered: Answered, notice: str, *, is_forgotten: bool) -> str:
    answer = answered.answer
    parts = [
        _FORGOTTEN if is_forgotten else "",
        _plain(answer.text or answer.problem),
        *(markdown(query) for query in answer.queries[-1:]),
        *(f"\n\n**{caution}**" for caution in (answer.caution, notice) if caution),
    ]
    return "".join(parts)


async def _from_first(first: bytes, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for event in events:
        yield event


async def _streamed(work: Coroutine[Any, Any, tuple[str, Answered]]) -> AsyncIterator[bytes]:
    """The reply as events; a client that leaves ends the work.

    Raises:
        RefusedError: the question is refused before it waits for anything.
    """
    begun = {"id": "", "object": "chat.completion.chunk", "created": int(time()), "model": MODEL}
    task = asyncio.create_task(work)
    await asyncio.wait({task}, timeout=0)
    if task.done():
        task.result()
    try:
        yield _event({**begun, "choices": [_delta({"role": "assistant", "content": ""})]})
        while not task.done():
            await asyncio.wait({task}, timeout=10)
            if not task.done():
                yield b": still working\n\n"
        text, answered = task.result()
        begun["id"] = _id(answered)
    except RefusedError as refused:
        yield _event(_error(status_of(refused), str(refused)))
        return
    finally:
        task.cancel()
    yield _event({**begun, "choices": [_delta({"content": text})]})
    yield _event({**begun, "choices": [_delta({}, "stop")]})
    yield b"data: [DONE]\n\n"


def _completion(answered: Answered, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": _id(answered),
        "object": "chat.completion",
        "created": int(time()),
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }


def _id(answered: Answered) -> str:
    return f"{answered.conversation}-{answered.number}"


def _error(status: int, message: str, field: str | None = None) -> dict[str, Any]:
    kind, code = _ERRORS.get(status, ("invalid_request_error", None))
    if status >= 500:
        kind = "server_error"
    return {"error": {"message": message, "type": kind, "param": field, "code": code}}


def _delta(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def _json(value: dict[str, Any], status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


def _key(person: str, messages: Sequence[Message]) -> str:
    transcript = [[each.role, each.text.strip()] for each in messages]
    return blake2b(orjson.dumps([person, transcript]), digest_size=16).hexdigest()


def _cell(value: object) -> str:
    return _plain("" if value is None else str(value)).replace("\n", " ")


def _plain(text: str) -> str:
    r"""A text that a chat client shows as it is: no link, image or tag of it does anything.

    >>> print(_plain("![x](http://example.org/?glucose=90) <b>"))
    \!\[x\](http://example.org/?glucose=90) &lt;b>
    """
    return _MARKUP.sub(r"\\\g<0>", text).replace("<", "&lt;")
