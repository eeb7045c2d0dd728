"""The forms and files of notes that persons put on trials."""

from dataclasses import replace
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import APIRouter, Form, HTTPException, Request, Response
from fastapi.responses import RedirectResponse

from wardround.apps.web.viewer.pages import trial_address
from wardround.apps.web.viewer.runs import Runs
from wardround.report.trial_notes import (
    add_note,
    new_note,
    notes_to_csv,
    notes_to_lines,
    read_notes,
)

WRITER_COOKIE = "wardround_writer"
_YEAR = 365 * 24 * 3600

Text = Annotated[str, Form(max_length=100_000)]


def routes(runs: Runs) -> APIRouter:
    """The forms and files over some runs."""
    router = APIRouter()

    @router.post("/runs/{name}/notes")
    def add(
        name: str,
        task: Text,
        trial: Annotated[int, Form(ge=0, le=10**9)],
        by: Text = "",
        labels: Text = "",
        text: Text = "",
    ) -> Response:
        run = runs.opened(name)
        with run.index:
            record = run.record(task, trial)
        note = new_note(record, by, labels, text)
        add_note(run.folder, note)
        response = RedirectResponse(f"{trial_address(name, record)}#notes", 303)
        response.set_cookie(
            WRITER_COOKIE, quote(note.by), httponly=True, samesite="strict", max_age=_YEAR
        )
        return response

    @router.post("/runs/{name}/notes/remove")
    def remove(name: str, note: Text) -> Response:
        run = runs.opened(name)
        with run.index:
            known = {each.id: each for each in read_notes(run.folder).notes}
            if note not in known:
                raise HTTPException(404, "There is no such note.")
            removed = known[note]
            record = run.record(removed.task, removed.trial)
        add_note(run.folder, replace(removed, removed=True))
        return RedirectResponse(f"{trial_address(name, record)}#notes", 303)

    @router.get("/runs/{name}/notes.csv")
    def notes_csv(name: str) -> Response:
        notes = read_notes(runs.folder(name)).notes
        return _file(notes_to_csv(notes).encode(), "text/csv", "notes.csv")

    @router.get("/runs/{name}/notes.jsonl")
    def notes_jsonl(name: str) -> Response:
        notes = read_notes(runs.folder(name)).notes
        return _file(notes_to_lines(notes), "application/jsonl", "notes.jsonl")

    return router


def writer_of(request: Request) -> str:
    """The name under which a person wrote last; "" if there is none."""
    return unquote(request.cookies.get(WRITER_COOKIE, ""))


def _file(content: bytes, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
