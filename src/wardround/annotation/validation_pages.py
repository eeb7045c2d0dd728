"""Steps of an item: finishing one, sending the item back, the checklist and the outcome."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from wardround.annotation.item_pages import back_to, person_of, store_of
from wardround.annotation.page_templates import is_part, render

router = APIRouter()


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
