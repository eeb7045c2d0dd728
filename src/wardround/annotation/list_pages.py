"""The lists of items and of submissions, signing in, and new items."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from wardround.annotation.item_pages import person_of, store_of
from wardround.annotation.page_templates import render
from wardround.annotation.sign_in import NAME_COOKIE, TOKEN_COOKIE, Annotator, annotator_of
from wardround.annotation.store import AnnotationStore
from wardround.apps.web.access import matches

router = APIRouter()
_LONGEST_NAME = 60


@router.get("/")
def item_list(request: Request, text: str = "", state: str = "") -> Response:
    """The items, those that wait for the person first."""
    store: AnnotationStore = request.app.state.store
    person = annotator_of(request)
    lines = store.items(person.name, person.roles)
    shown = [
        line
        for line in lines
        if text.lower() in f"{line.id} {line.title}".lower() and state in ("", line.state)
    ]
    states = sorted({(line.state, line.state_title) for line in lines})
    return render(
        request, "list.html", lines=shown, total=len(lines), states=states, text=text, state=state
    )


@router.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    """Asks who the person is."""
    return render(request, "sign_in.html", token=request.app.state.token is not None, message="")


@router.post("/sign-in")
def sign_in(
    request: Request,
    name: Annotated[str, Form()] = "",
    roles: Annotated[list[str] | None, Form()] = None,
    token: Annotated[str, Form()] = "",
) -> Response:
    """Records who the person is, in cookies."""
    needed, name = request.app.state.token, " ".join(name.split())[:_LONGEST_NAME]
    wrong = not matches(token, needed)
    if wrong or not name:
        message = "The token is wrong." if wrong else "Write your name."
        return render(request, "sign_in.html", 403, token=needed is not None, message=message)
    response = RedirectResponse("/", 303)
    person = Annotator(name, tuple(roles or ()))
    response.set_cookie(NAME_COOKIE, person.cookie(), httponly=True, samesite="strict")
    if needed is not None:
        response.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict")
    return response


@router.get("/figures")
def figures(request: Request) -> Response:
    """Figures of the whole annotation."""
    return render(
        request, "figures.html", tables=request.app.state.store.studies.figures(), message=""
    )


@router.post("/second")
def draw_second(request: Request, count: Annotated[int, Form(ge=1, le=10_000)]) -> Response:
    """Copies questions for second annotators."""
    store: AnnotationStore = request.app.state.store
    message = f"{store.studies.draw_second(count)} questions were copied."
    return render(request, "figures.html", tables=store.studies.figures(), message=message)


@router.post("/new")
def new_item(
    request: Request, group: Annotated[str, Form()], level: Annotated[str, Form()]
) -> Response:
    """Makes an empty item and opens it."""
    id = request.app.state.store.create(group, level, annotator_of(request).name)
    return RedirectResponse(f"/item/{id}", 303)


@router.get("/submissions")
def submission_list(request: Request) -> Response:
    """The submissions."""
    lines = store_of(request).studies.submissions(person_of(request))
    return render(request, "submissions.html", lines=lines)


@router.get("/submission/{key}")
def submission_page(request: Request, key: str) -> Response:
    """A submission with its leaves."""
    submission = store_of(request).studies.submission(key, person_of(request))
    return render(request, "submission.html", submission=submission)


@router.post("/submission/{key}")
async def judge(request: Request, key: str) -> Response:
    """Records the verdicts of the form."""
    form = await request.form(max_fields=20_000)
    return await run_in_threadpool(_judge, request, key, form)


def _judge(request: Request, key: str, form: FormData) -> Response:
    verdicts = {name: value == "met" for name, value in form.items()}
    store_of(request).studies.judge(key, verdicts, person_of(request))
    return RedirectResponse("/submissions", 303)
