"""Submissions whose leaves people judge, each by themselves."""

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from wardround.annotation.item_pages import person_of, store_of
from wardround.annotation.page_templates import render

router = APIRouter()


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
