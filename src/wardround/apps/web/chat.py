"""The chat page of `wardround serve`: people ask the assistant in a browser.

The page works without JavaScript; with it, the steps of an answer are shown while they happen.
"""

import asyncio
import csv
import io
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

import orjson
from fastapi import FastAPI, Form, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wardround.apps.web.bounded_server import BoundedBodies
from wardround.apps.web.chat_completions import SHOWN_ROWS, add_chat_completions
from wardround.apps.web.chat_problems import add_problems, is_for_clients, page, problem, refusal
from wardround.apps.web.connected import while_connected
from wardround.apps.web.signed_in import SignedIn
from wardround.assistant.assistant import LONGEST_QUESTION, Answered, Assistant
from wardround.assistant.consultation import Query
from wardround.assistant.users import RefusedError
from wardround.core.packaged_data import read_text

MOST_BYTES = 1024 * 1024
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    # Without any referrer, browsers hide the origin of forms, which is checked.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_OPEN_TO_ALL = ("/sign-in", "/chat.js")
# A spreadsheet reads a cell that begins with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def make_chat(assistant: Assistant, signed_in: SignedIn, title: str) -> FastAPI:
    """The application: the chat page and the OpenAI-compatible endpoint.

    Args:
        assistant: answers.
        signed_in: knows the people who may ask.
        title: the agent and its database.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    pages = _Pages(assistant, signed_in, title)

    @app.get("/")
    async def home(request: Request) -> Response:
        return pages.chat(request, "")

    @app.post("/conversations")
    async def begin(request: Request, question: Annotated[str, Form()] = "") -> Response:
        return await pages.asked(request, question, "")

    @app.get("/conversations/{id}")
    async def show(request: Request, id: str) -> Response:
        return pages.chat(request, id)

    @app.post("/conversations/{id}")
    async def go_on(request: Request, id: str, question: Annotated[str, Form()] = "") -> Response:
        return await pages.asked(request, question, id)

    @app.post("/conversations/{id}/{number}/judgment")
    async def judge(
        request: Request,
        id: str,
        number: int,
        right: Annotated[Literal["yes", "no"], Form()],
        comment: Annotated[str, Form(max_length=1000)] = "",
    ) -> Response:
        assistant.judge(request.state.person, id, number, comment, right=right == "yes")
        return RedirectResponse(_address(id, number), 303)

    @app.post("/conversations/{id}/{number}/correction")
    async def correct(
        request: Request, id: str, number: int, sql: Annotated[str, Form(max_length=20_000)] = ""
    ) -> Response:
        running = assistant.correct(request.state.person, id, number, sql)
        await while_connected(request, running)
        return RedirectResponse(_address(id, number), 303)

    @app.get("/conversations/{id}/{number}/{index}.csv")
    async def download(request: Request, id: str, number: int, index: int) -> Response:
        return pages.download(request.state.person, id, number, index)

    @app.get("/sign-in")
    async def sign_inpage() -> Response:
        return page("chat_sign_in.html.j2", title="Sign in", problem="")

    @app.post("/sign-in")
    async def sign_in(request: Request, token: Annotated[str, Form()] = "") -> Response:
        response: Response = RedirectResponse("/", 303)
        if signed_in.sign_in(request, token, response):
            return response
        wrong = "This token is not known; ask who runs the server for one."
        return page("chat_sign_in.html.j2", 401, title="Sign in", problem=wrong)

    @app.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        response = RedirectResponse("/sign-in", 303)
        signed_in.sign_out(request, response)
        return response

    @app.get("/chat.js")
    async def script() -> Response:
        return Response(read_text(__package__ or "", "chat.js"), media_type="text/javascript")

    add_chat_completions(app, assistant)
    add_problems(app)
    app.add_middleware(BoundedBodies, most_bytes=MOST_BYTES, refusal=refusal)
    # The last is the first to see a request: bodies of strangers are not read.
    app.add_middleware(Guard, signed_in=signed_in)
    return app


class Guard:
    """Passes on the requests of known people, with their names, and sets headers of all answers.

    FastAPI's own middleware would keep a request from noticing that its client left.
    """

    def __init__(self, app: ASGIApp, signed_in: SignedIn) -> None:
        self._app = app
        self._signed_in = signed_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = self._refused(request)
        await (refused or self._app)(scope, receive, _with_headers(send))

    def _refused(self, request: Request) -> Response | None:
        if reason := self._signed_in.refusal(request):
            return problem(request, 403, reason)
        if request.url.path in _OPEN_TO_ALL:
            return None
        request.state.person = self._signed_in.person(request)
        if request.state.person is not None:
            return None
        if self._signed_in.header:
            return problem(request, 401, "The sign-in proxy named no person who may ask.")
        if request.method == "GET" and not is_for_clients(request):
            return RedirectResponse("/sign-in", 303)
        if is_for_clients(request):
            return problem(request, 401, "The token is missing or wrong; send it as a bearer.")
        return problem(request, 401, "You are signed out; sign in again, then ask again.")


class _Pages:
    def __init__(self, assistant: Assistant, signed_in: SignedIn, title: str) -> None:
        self._assistant = assistant
        self._signed_in = signed_in
        self._title = title

    def chat(self, request: Request, id: str) -> Response:
        """The page of a conversation, or of a new one."""
        person = request.state.person
        answers = self._assistant.conversation(person, id) if id else []
        return page(
            "chat.html.j2",
            title=self._title,
            notice=self._assistant.notice_for(person),
            person=person,
            can_sign_out=not self._signed_in.is_local and not self._signed_in.header,
            conversation=id,
            answers=answers,
            is_over=any(each.answer.is_over for each in answers),
            conversations=self._assistant.conversations(person),
            shown_rows=SHOWN_ROWS,
            longest=LONGEST_QUESTION,
        )

    async def asked(self, request: Request, question: str, id: str) -> Response:
        """Asks, and leads to the answer; a client that asks for events gets the steps first."""
        person = request.state.person
        if request.headers.get("accept") == "text/event-stream":
            events = self._events(person, question, id)
            return StreamingResponse(events, media_type="text/event-stream")
        answered = await while_connected(request, self._assistant.ask(person, question, id))
        return RedirectResponse(_address(answered.conversation, answered.number), 303)

    async def _events(self, person: str, question: str, id: str) -> AsyncIterator[bytes]:
        steps: asyncio.Queue[str] = asyncio.Queue()
        asking = asyncio.create_task(self._assistant.ask(person, question, id, steps.put_nowait))
        try:
            while not asking.done():
                step = asyncio.create_task(steps.get())
                await asyncio.wait({asking, step}, timeout=5, return_when="FIRST_COMPLETED")
                if step.done():
                    yield _event(step=f"{step.result().replace('_', ' ').capitalize()} …")
                step.cancel()
                yield b": working\n\n"
            answered = asking.result()
            yield _event(address=_address(answered.conversation, answered.number))
        except RefusedError as refused:
            yield _event(problem=str(refused))
        finally:
            asking.cancel()

    def download(self, person: str, id: str, number: int, index: int) -> Response:
        """The rows of a query as CSV, under question, answer and query as comments."""
        answers = self._assistant.conversation(person, id)
        if not 0 <= number < len(answers) or not 0 <= index < len(answers[number].answer.queries):
            raise RefusedError("There is no such query in this conversation.")
        named = {"Content-Disposition": f'attachment; filename="answer-{number + 1}.csv"'}
        query, notice = answers[number].answer.queries[index], self._assistant.notice_for(person)
        text = _csv(answers[number], query, notice)
        return Response(text, media_type="text/csv; charset=utf-8", headers=named)


def _csv(answered: Answered, query: Query, notice: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    answer = answered.answer
    comments = [
        answered.question,
        answer.text or answer.problem,
        query.sql,
        answer.caution,
        notice,
    ]
    lines = [line for comment in comments for line in comment.splitlines()]
    writer.writerows([[f"# {line}"] for line in lines])
    writer.writerow([_safe(name) for name in query.headings])
    writer.writerows([_safe(cell) for cell in row] for row in query.rows)
    return text.getvalue()


def _safe(cell: Any) -> Any:
    """A cell that a spreadsheet does not take for a formula."""
    is_formula = isinstance(cell, str) and cell.startswith(_FORMULA)
    return f"'{cell}" if is_formula else cell


def _address(id: str, number: int) -> str:
    return f"/conversations/{id}#q{number}"


def _event(**values: str) -> bytes:
    return b"data: " + orjson.dumps(values) + b"\n\n"


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
            message["headers"] = [*message.get("headers", ()), *headers]
        await send(message)

    return sent
