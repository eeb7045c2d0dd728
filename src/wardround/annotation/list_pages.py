"""The list of items, signing in, and new items."""

import hmac
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from wardround.annotation.page_templates import render
from wardround.annotation.sign_in import NAME_COOKIE, TOKEN_COOKIE, Annotator, annotator_of
from wardround.annotation.store import AnnotationStore

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
    wrong = needed is not None and not hmac.compare_digest(token.encode(), needed.encode())
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
