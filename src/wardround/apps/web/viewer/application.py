"""The local web application of `wardround view`: its addresses, and who may open them."""

import logging
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Form, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse

from wardround.apps.web.access import (
    Answer,
    WrongTokens,
    add_guard,
    check_exposure,
    matches,
    refusal,
)
from wardround.apps.web.bounded_server import BoundedBodies, run_server
from wardround.apps.web.vendored import vendored_files
from wardround.apps.web.viewer import comparison_page, note_pages
from wardround.apps.web.viewer.pages import REFRESH, page, problem_page, run_address
from wardround.apps.web.viewer.runs import Runs, ViewedRun
from wardround.apps.web.viewer.trial_page import trial_page
from wardround.core.errors import WardroundError
from wardround.core.record import Outcome
from wardround.core.run_reader import read_trajectory
from wardround.core.serialization import to_line
from wardround.report.html import shown_counts
from wardround.report.trial_index.search import Search
from wardround.report.trial_notes import read_notes

log = logging.getLogger(__name__)

MOST_BYTES = 256 * 1024
TOKEN_COOKIE = "wardround_view"  # noqa: S105
_PAGE = 50  # trials
_OPEN_PATHS = ("/vendored/", "/sign-in")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

Start = Annotated[int, Query(ge=0, le=10**9)]
TrialNumber = Annotated[int, Query(ge=0, le=10**9)]


def make_viewer(folder: Path, token: str | None = None) -> FastAPI:
    """The application over the runs in a folder, or over one run; it changes no run.

    Args:
        folder: the folder.
        token: the secret that readers have to present; None if only this machine reaches the page.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.token, app.state.wrong = token, WrongTokens()
    runs = Runs(folder)
    _add_pages(app, runs)
    _add_sign_in(app, token)
    app.include_router(note_pages.routes(runs))
    app.mount("/vendored", vendored_files())
    add_guard(app, _unanswered, _answered, _HEADERS)
    app.exception_handler(RequestValidationError)(_incomplete)
    app.exception_handler(HTTPException)(_missing)
    app.exception_handler(404)(_missing)
    app.add_middleware(BoundedBodies, most_bytes=MOST_BYTES, refusal=_refused)
    return app


def serve(
    folder: Path, host: str, port: int, token: str | None, announce: Callable[[], None]
) -> None:
    """Serves the runs of a folder until it is interrupted; calls `announce` once it listens.

    Raises:
        UserError: other machines reach the address, and there is no good token.
    """
    check_exposure(host, token)
    run_server(make_viewer(folder, token), host, port, announce)


def _add_pages(app: FastAPI, runs: Runs) -> None:
    @app.get("/")
    def show_runs() -> HTMLResponse:
        return _list_page(runs)

    @app.get("/runs/{name}")
    def show_run(
        name: str,
        outcome: str = "",
        label: str = "",
        words: str = "",
        task: str = "",
        mark: str = "",
        start: Start = 0,
    ) -> HTMLResponse:
        run = runs.opened(name)
        with run.index:
            return _run_page(runs, run, Search(outcome, label, words, task, mark), start)

    @app.get("/runs/{name}/trial")
    def show_trial(
        request: Request,
        name: str,
        task: str,
        trial: TrialNumber,
        gold: bool = False,
        start: Start = 0,
    ) -> HTMLResponse:
        run = runs.opened(name)
        by = note_pages.writer_of(request)
        with run.index:
            return trial_page(run, run.record(task, trial), start, by, is_gold_shown=gold)

    @app.get("/runs/{name}/trajectory.json")
    def download(name: str, task: str, trial: TrialNumber) -> Response:
        run = runs.opened(name)
        with run.index:
            record = run.record(task, trial)
        trajectory = read_trajectory(run.folder, record.trajectory)
        named = {"Content-Disposition": 'attachment; filename="trajectory.json"'}
        return Response(to_line(trajectory), media_type="application/json", headers=named)

    @app.get("/compare")
    def compare_runs(first: str, second: str, start: Start = 0) -> HTMLResponse:
        one, other = runs.opened(first), runs.opened(second)
        with one.index, other.index:
            return comparison_page.runs_page(one, other, start)

    @app.get("/compare/trials")
    def compare_trials(
        first: str,
        second: str,
        task: str,
        first_trial: TrialNumber = 0,
        second_trial: TrialNumber = 0,
    ) -> HTMLResponse:
        one, other = runs.opened(first), runs.opened(second)
        with one.index, other.index:
            return comparison_page.trials_page(one, other, task, (first_trial, second_trial))


def _list_page(runs: Runs) -> HTMLResponse:
    """All runs, the latest first."""
    listed, unreadable = runs.listed()
    is_over = all(run.is_read and run.trials >= run.planned for run in listed)
    return page(
        "view_runs.html.j2",
        title="Runs",
        folder=str(runs.root),
        runs=listed,
        unreadable=unreadable,
        refresh=None if is_over else REFRESH,
    )


def _run_page(runs: Runs, run: ViewedRun, search: Search, start: int) -> HTMLResponse:
    """A run with a page of the trials that are searched for."""
    trials = run.index.search(search, start, _PAGE)
    notes = read_notes(run.folder)
    chosen = asdict(search)
    titles = runs.titles(run.settings["settings"]["benchmark"])
    counts = {Outcome(name): count for name, count in run.index.outcomes().items()}
    return page(
        "view_run.html.j2",
        title=run.title,
        run=run,
        outcomes=shown_counts(counts),
        labels=run.index.labels(),
        marked=notes.labels(),
        noted={(note.task, note.trial) for note in notes.notes},
        notes=notes,
        search=search,
        trials=trials,
        start=start,
        here=run_address(run.name, **chosen, start=start),
        earlier=run_address(run.name, **chosen, start=max(0, start - _PAGE)) if start else None,
        later=run_address(run.name, **chosen, start=start + _PAGE)
        if trials.count > start + _PAGE
        else None,
        others={name: title for name, title in titles.items() if name != run.name},
        refresh=None if run.is_over else REFRESH,
    )


def _add_sign_in(app: FastAPI, token: str | None) -> None:
    @app.get("/sign-in")
    def show_sign_in() -> HTMLResponse:
        return page("view_sign_in.html.j2", title="Sign in", message="", refresh=None)

    @app.post("/sign-in")
    def sign_in(
        request: Request, given: Annotated[str, Form(alias="token", max_length=1000)]
    ) -> Response:
        if not _is_right(request, given.strip()):
            message = "The token is wrong; ask the person who started wardround view."
            if request.app.state.wrong.shut_out(request):
                message = "Too many wrong tokens came from here; wait a minute, then try again."
            return page(
                "view_sign_in.html.j2", status=403, title="Sign in", message=message, refresh=None
            )
        response = RedirectResponse("/", 303)
        is_https = request.url.scheme == "https"
        response.set_cookie(
            TOKEN_COOKIE, given.strip(), httponly=True, samesite="strict", secure=is_https
        )
        return response


def _has_token(request: Request) -> bool:
    """True if a request has the token in its cookie, or as a bearer."""
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    given = (request.cookies.get(TOKEN_COOKIE, ""), bearer)
    return any(_is_right(request, each) for each in given)


def _is_right(request: Request, given: str) -> bool:
    """True if a token is right, and its sender did not try too many wrong ones before."""
    wrong = request.app.state.wrong
    if wrong.shut_out(request):
        return False
    is_right = matches(given, request.app.state.token)
    if given and not is_right:
        wrong.note(request, given)
    return is_right


def _unanswered(request: Request) -> Response | None:
    """The response to a request that may not go on."""
    if reason := refusal(request, request.app.state.token):
        return problem_page(reason, 403)
    if request.url.path.startswith(_OPEN_PATHS) or _has_token(request):
        return None
    if request.headers.get("hx-request") == "true":
        return HTMLResponse("", 401, {"HX-Redirect": "/sign-in"})
    return RedirectResponse("/sign-in", 303)


async def _answered(request: Request, answer: Answer) -> Response:
    try:
        return await answer(request)
    except WardroundError as error:
        return problem_page(str(error), 422)
    except Exception as error:  # its text may hold records, so only its kind is logged
        log.error("A request failed: %s", type(error).__name__)
        return problem_page(
            f"The page cannot be shown ({type(error).__name__}); the run may be damaged or written "
            "to just now, so load the page again.",
            500,
        )


async def _incomplete(request: Request, error: Exception) -> Response:
    return problem_page("The address or form is not complete, or holds a wrong value.", 422)


async def _missing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    detail = error.detail if isinstance(error, HTTPException) and status != 405 else ""
    is_plain = not detail or detail in ("Not Found", "Method Not Allowed")
    return problem_page("There is no such page." if is_plain else detail, status)


def _refused(status: int, reason: str) -> Response:
    response = problem_page(reason, status)
    response.headers.update(_HEADERS)
    return response
