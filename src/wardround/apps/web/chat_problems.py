"""Answers to requests that the assistant's server does not carry out: pages, or JSON for /v1."""

from math import ceil
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exception_handlers import http_exception_handler
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from wardround.apps.web.chat_completions import error_response, status_of
from wardround.apps.web.connected import ClientLeftError
from wardround.assistant.users import LimitError, RefusedError
from wardround.report.html import templates

_FAILED = "The server failed at this request; tell who runs it."


def add_problems(app: FastAPI) -> None:
    """Lets an application answer all requests that are not carried out."""
    app.add_exception_handler(RefusedError, _not_answered)
    app.add_exception_handler(ClientLeftError, _nobody_reads)
    app.add_exception_handler(HTTPException, _not_found)
    app.add_exception_handler(Exception, _failed)


def problem(request: Request, status: int, reason: str) -> Response:
    """A problem as its client reads it."""
    if is_for_clients(request):
        return error_response(status, reason)
    return page("chat_problem.html.j2", status, title="Not answered", problem=reason)


def is_for_clients(request: Request) -> bool:
    """True for requests of chat clients, which read no pages."""
    return request.url.path.startswith("/v1/")


def refusal(status: int, reason: str) -> ASGIApp:
    """Refuses a request before the application sees it."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await problem(Request(scope), status, reason)(scope, receive, send)

    return answer


def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of a template."""
    text = templates().get_template(template).render(**values)
    return HTMLResponse(text, status)


async def _not_answered(request: Request, error: Exception) -> Response:
    if not isinstance(error, RefusedError):
        raise error
    status = status_of(error)
    if status == 400 and not is_for_clients(request):
        status = 422
    response = problem(request, status, str(error))
    if isinstance(error, LimitError):
        response.headers["Retry-After"] = str(ceil(error.seconds))
    return response


async def _nobody_reads(request: Request, error: Exception) -> Response:
    return Response(status_code=499)


async def _not_found(request: Request, error: Exception) -> Response:
    """Answers requests for an unknown address or with a method that is not allowed."""
    if not isinstance(error, HTTPException):
        raise error
    if is_for_clients(request):
        return error_response(error.status_code, f"{error.detail}: {request.url.path}.")
    return await http_exception_handler(request, error)


async def _failed(request: Request, error: Exception) -> Response:
    return problem(request, 500, _FAILED)
