"""The rubric builder: changes of a tree, drafts, import and export in the published form."""

import json
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from wardround.annotation.item_pages import back_to, form_of, person_of, show_item, store_of
from wardround.annotation.page_templates import is_part, render
from wardround.annotation.rubric_forms import (
    edited,
    rubric_of,
    rubric_text,
    rubric_view,
    same_rubric,
)
from wardround.annotation.views import FieldState, SaveConflict
from wardround.core.errors import UserError
from wardround.scoring.rubrics.reader import read_rubric

router = APIRouter()
_LARGEST_FILE = 1_000_000


@router.post("/rubric/{field}/{id:path}")
async def change_rubric(request: Request, field: str, id: str) -> Response:
    """Saves the tree of the form, changed by the pressed button, and scores the preview."""
    form = await request.form(max_fields=20_000)
    return await run_in_threadpool(_change_rubric, request, field, id, form)


@router.post("/draft/{field}/{id:path}")
def draft(request: Request, field: str, id: str, version: Annotated[int, Form()]) -> Response:
    """Replaces a rubric by a draft from the query or its result; undo brings it back."""
    return _replaced(request, field, id, store_of(request).draft(id, field), version)


@router.post("/import/{field}/{id:path}")
def import_rubric(
    request: Request,
    field: str,
    id: str,
    version: Annotated[int, Form()],
    file: Annotated[UploadFile, File()],
) -> Response:
    """Replaces a rubric by that of a file."""
    content = file.file.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise UserError("The file is larger than a rubric can be; choose another one.")
    try:
        root = read_rubric(json.loads(content)).root
    except (ValueError, RecursionError):
        raise UserError("The file is not valid JSON; choose a rubric file.") from None
    return _replaced(request, field, id, rubric_text(root), version)


@router.get("/export/{field}/{id:path}")
def export_rubric(request: Request, field: str, id: str) -> Response:
    """A rubric as a file in the published form."""
    form_of(request, field)
    text = store_of(request).item(id, person_of(request)).fields[field].text
    headers = {"Content-Disposition": f'attachment; filename="{field}_tree.json"'}
    return Response(text, media_type="application/json", headers=headers)


def _change_rubric(request: Request, field: str, id: str, form: FormData) -> Response:
    store, person = store_of(request), person_of(request)
    form_of(request, field)
    action, before = str(form.get("do", "")), store.item(id, person)
    saved: FieldState | SaveConflict | None = None
    if field in before.editable:
        root = edited(rubric_of(form), action)
        if not same_rubric(root, before.fields[field].text):
            version = int(str(form.get("version", "0")))
            saved = store.save(id, field, rubric_text(root), version, person)
    conflict = saved if isinstance(saved, SaveConflict) else None
    if not is_part(request):
        return show_item(request, id, conflicts={field: conflict}) if conflict else _back(id, field)
    item = store.item(id, person)
    met = frozenset(map(str, form.getlist("met")))
    view = rubric_view(store, item, field, met, ran="ran" in form)
    values: dict[str, Any] = {"item": item, "name": field, "rubric": view, "conflict": conflict}
    if conflict or action in ("", "save"):
        return render(request, "rubric_state_part.html", **values)
    response = render(request, "rubric.html", **values)
    response.headers["HX-Retarget"] = f"#{field}"
    return response


def _replaced(request: Request, field: str, id: str, text: str, version: int) -> Response:
    store = store_of(request)
    saved = store.save(id, field, text, version, person_of(request))
    if isinstance(saved, SaveConflict):
        return show_item(request, id, conflicts={field: saved})
    if not is_part(request):
        return _back(id, field)
    item = store.item(id, person_of(request))
    view = rubric_view(store, item, field)
    return render(request, "rubric.html", item=item, name=field, rubric=view, conflict=None)


def _back(id: str, field: str) -> Response:
    return back_to(id, f"#{field}")
