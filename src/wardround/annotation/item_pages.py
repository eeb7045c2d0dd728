"""An item: its fields with saving and undo, its query, history, comments and steps."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from wardround.annotation.page_templates import is_part, render
from wardround.annotation.rubric_forms import RubricView, rubric_view
from wardround.annotation.sign_in import annotator_of
from wardround.annotation.store import AnnotationStore
from wardround.annotation.views import SET_ASIDE, FieldForm, ItemView, SaveConflict
from wardround.core.errors import UserError

router = APIRouter()


def store_of(request: Request) -> AnnotationStore:
    """The items."""
    store: AnnotationStore = request.app.state.store
    return store


def person_of(request: Request) -> str:
    """The name of the person."""
    return annotator_of(request).name


def form_of(request: Request, field: str) -> FieldForm:
    """The form of a field.

    Raises:
        UserError: There is no such field.
    """
    known = next((each for each in store_of(request).form.fields if each.name == field), None)
    if known is None:
        raise UserError("There is no such field.")
    return known


def back_to(id: str, part: str = "") -> Response:
    """Opens an item's page after a change."""
    return RedirectResponse(f"/item/{id}{part}", 303)


def show_item(request: Request, id: str, **values: Any) -> Response:
    """An item's page."""
    item = store_of(request).item(id, person_of(request))
    shown = {"conflicts": {}, "ran": None, **values}
    return render(request, "item.html", item=item, rubrics=_rubrics(request, item), **shown)


@router.get("/item/{id:path}")
def item_page(request: Request, id: str) -> Response:
    """An item's page."""
    return show_item(request, id)


@router.get("/field/{field}/{id:path}")
def field_form(request: Request, field: str, id: str) -> Response:
    """A field as it is stored."""
    return _field(request, id, field)


@router.post("/save/{field}/{id:path}")
def save(
    request: Request,
    field: str,
    id: str,
    text: Annotated[str, Form()] = "",
    version: Annotated[int, Form()] = 0,
) -> Response:
    """Saves a field."""
    saved = store_of(request).save(id, field, text, version, person_of(request))
    conflicts = {field: saved} if isinstance(saved, SaveConflict) else {}
    if is_part(request):
        return _field_state(request, id, field, conflicts)
    return show_item(request, id, conflicts=conflicts) if conflicts else back_to(id, f"#{field}")


@router.post("/undo/{field}/{id:path}")
def undo(request: Request, field: str, id: str, version: Annotated[int, Form()]) -> Response:
    """Goes back by one version."""
    undone = store_of(request).undo(id, field, version, person_of(request))
    conflicts = {field: undone} if isinstance(undone, SaveConflict) else {}
    if is_part(request):
        return _field(request, id, field, conflicts)
    return show_item(request, id, conflicts=conflicts) if conflicts else back_to(id, f"#{field}")


@router.post("/run/{field}/{id:path}")
def run(
    request: Request,
    field: str,
    id: str,
    text: Annotated[str | None, Form()] = None,
    version: Annotated[int, Form()] = 0,
    keep: Annotated[bool, Form()] = False,
) -> Response:
    """Saves the query if it was changed, and runs it; stores its result if asked to."""
    store, person = store_of(request), person_of(request)
    conflicts: dict[str, SaveConflict] = {}
    if text is not None and field in store.item(id, person).editable:
        saved = store.save(id, field, text, version, person)
        conflicts = {field: saved} if isinstance(saved, SaveConflict) else {}
    if conflicts and is_part(request):
        response = _field_state(request, id, field, conflicts)
        response.headers["HX-Retarget"] = f"#state-{field}"
        response.headers["HX-Reswap"] = "outerHTML"
        return response
    if conflicts:
        return show_item(request, id, conflicts=conflicts)
    ran = store.keep_result(id, person) if keep else store.run(id, person)
    if not is_part(request):
        return show_item(request, id, ran=ran)
    item = store.item(id, person)
    return render(request, "run.html", item=item, ran=ran, name=field, conflict=None)


@router.get("/history/{field}/{id:path}")
def history(request: Request, field: str, id: str) -> Response:
    """The versions of a field, the last one first, each with its changes."""
    revisions = store_of(request).history(id, field)
    pairs, before = [], ""
    for revision in revisions:
        pairs.append((revision, before))
        before = before if revision.note == SET_ASIDE else revision.text
    title = form_of(request, field).title
    return render(request, "history.html", id=id, title=title, pairs=pairs[::-1])


@router.post("/comment/{id:path}")
def comment(request: Request, id: str, text: Annotated[str, Form()] = "") -> Response:
    """Adds a comment."""
    store_of(request).comment(id, text, person_of(request))
    if not is_part(request):
        return back_to(id, "#comments")
    return render(request, "comments.html", item=store_of(request).item(id, person_of(request)))


@router.get("/schema")
def schema(request: Request) -> Response:
    """The tables and columns of the database."""
    return render(request, "tables.html", tables=store_of(request).tables(), folded=True)


@router.get("/look-up")
def look_up(request: Request, name: str, text: str = "") -> Response:
    """Codes and items by words of their names."""
    results = store_of(request).look_up(name, text)
    return render(request, "tables.html", tables=[results], folded=False)


@router.get("/record/{id:path}")
def record(request: Request, id: str) -> Response:
    """The record of the patient whom the question describes."""
    return render(request, "tables.html", tables=store_of(request).record(id), folded=True)


def _rubrics(request: Request, item: ItemView) -> dict[str, RubricView]:
    store = store_of(request)
    forms = [each for each in store.form.fields if each.kind == "rubric"]
    return {each.name: rubric_view(store, item, each.name) for each in forms}


def _field(
    request: Request, id: str, field: str, conflicts: dict[str, SaveConflict] | None = None
) -> Response:
    item = store_of(request).item(id, person_of(request))
    if field in (rubrics := _rubrics(request, item)):
        return render(
            request, "rubric.html", item=item, name=field, rubric=rubrics[field], conflict=None
        )
    form = form_of(request, field)
    conflict = (conflicts or {}).get(field)
    return render(request, "field_part.html", item=item, field=form, conflict=conflict)


def _field_state(
    request: Request, id: str, field: str, conflicts: dict[str, SaveConflict]
) -> Response:
    item = store_of(request).item(id, person_of(request))
    return render(
        request, "field_state_part.html", item=item, name=field, conflict=conflicts.get(field)
    )


@router.post("/finish/{id:path}")
def finish(request: Request, id: str) -> Response:
    """Ends the person's step."""
    store_of(request).finish(id, person_of(request))
    return _moved(request, id)


@router.post("/send-back/{id:path}")
def send_back(
    request: Request,
    id: str,
    role: Annotated[str, Form()],
    reason: Annotated[str, Form()] = "",
) -> Response:
    """Returns an item to an earlier role."""
    store_of(request).send_back(id, role, reason, person_of(request))
    return _moved(request, id)


@router.post("/answer/{id:path}")
async def answer(request: Request, id: str) -> Response:
    """Saves the answers of the checklist."""
    form = await request.form()
    return await run_in_threadpool(_answer, request, id, form)


@router.post("/decide/{id:path}")
def decide(
    request: Request,
    id: str,
    outcome: Annotated[str, Form()] = "",
    reason: Annotated[str, Form()] = "",
    level: Annotated[str, Form()] = "",
) -> Response:
    """Ends the validation."""
    moved = store_of(request).decide(id, outcome, reason, level, person_of(request))
    return _moved(request, moved)


def _answer(request: Request, id: str, form: FormData) -> Response:
    store, person = store_of(request), person_of(request)
    points = [point.name for point in store.form.checklist if point.name in form]
    answers = {name: form[name] == "yes" for name in points}
    store.answer(id, answers, person)
    if not is_part(request):
        return back_to(id, "#validation")
    return render(request, "steps.html", item=store.item(id, person), oob=False)


def _moved(request: Request, id: str) -> Response:
    if not is_part(request):
        return back_to(id)
    return Response(status_code=204, headers={"HX-Redirect": f"/item/{id}"})
