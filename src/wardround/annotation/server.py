"""The server of the annotation page."""

import logging
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

from wardround.annotation import (
    item_pages,
    list_pages,
    rubric_pages,
)
from wardround.annotation.page_templates import refuse
from wardround.annotation.sign_in import annotator_of, has_token
from wardround.annotation.store import AnnotationStore
from wardround.apps.web.access import Answer, add_guard, check_exposure, refusal
from wardround.apps.web.bounded_server import BoundedBodies, run_server
from wardround.apps.web.vendored import vendored_files
from wardround.core.errors import UserError

log = logging.getLogger(__name__)

MOST_BYTES = 4 * 1024 * 1024
_OPEN_PATHS = ("/static/", "/vendored/", "/sign-in")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; form-action 'self'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def make_app(store: AnnotationStore, token: str | None = None) -> FastAPI:
    """The application.

    Args:
        store: The items.
        token: The secret that people have to present; None if only this machine reaches the page.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.store, app.state.token = store, token
    for pages in (list_pages, item_pages, rubric_pages):
        app.include_router(pages.router)
    static = Path(str(files(__package__) / "static"))
    app.mount("/static", StaticFiles(directory=static), name="static")
    app.mount("/vendored", vendored_files())
    add_guard(app, _unanswered, _answered, _HEADERS)
    app.exception_handler(RequestValidationError)(_incomplete)
    app.add_middleware(BoundedBodies, most_bytes=MOST_BYTES, refusal=_refused)
    return app


def _refused(status: int, reason: str) -> Response:
    return HTMLResponse(reason, status, _HEADERS)


def serve(
    store: AnnotationStore, host: str, port: int, token: str | None, announce: Callable[[], None]
) -> None:
    """Serves the page until it is interrupted; calls `announce` once it can be opened.

    Raises:
        UserError: Other machines reach the address, and there is no good token.
    """
    check_exposure(host, token)
    run_server(make_app(store, token), host, port, announce)


def _unanswered(request: Request) -> Response | None:
    """The response to a request that may not go on."""
    token = request.app.state.token
    if message := refusal(request, token):
        return HTMLResponse(message, 403)
    if request.url.path.startswith(_OPEN_PATHS):
        return None
    if not has_token(request, token) or not annotator_of(request).name:
        if request.headers.get("hx-request") == "true":
            return HTMLResponse("", 401, {"HX-Redirect": "/sign-in"})
        return RedirectResponse("/sign-in", 303)
    return None


async def _incomplete(request: Request, error: RequestValidationError) -> Response:
    return refuse(request, "The form is not complete; fill it in, or load the page again.", 422)


async def _answered(request: Request, answer: Answer) -> Response:
    try:
        return await answer(request)
    except UserError as error:
        return refuse(request, str(error))
    except Exception as error:  # its text may hold records, so only its kind is logged
        log.error("A request failed: %s", type(error).__name__)
        return refuse(request, "Something went wrong here; nothing was changed. Try again.", 500)
