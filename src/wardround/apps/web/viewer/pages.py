"""Pages from the templates, and addresses between them."""

from typing import Any
from urllib.parse import quote, urlencode

from fastapi.responses import HTMLResponse

from wardround.core.record import TrialRecord
from wardround.report.html import MARKS, templates

REFRESH = 3  # seconds, of a page that changes


def page(template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page."""
    common = {"marks": MARKS, "trial_address": trial_address, "run_address": run_address}
    text = templates().get_template(template).render(**common, **values)
    return HTMLResponse(text, status)


def problem_page(problem: str, status: int) -> HTMLResponse:
    """A page of one sentence."""
    return page(
        "view_problem.html.j2", status=status, title="Problem", problem=problem, refresh=None
    )


def run_address(run: str, **query: Any) -> str:
    """The address of a run's page, with the values of the query that say something.

    >>> run_address("a~1b", outcome="failed", words="")
    '/runs/a~1b?outcome=failed'
    """
    return _address(f"/runs/{quote(run, safe='')}", query)


def trial_address(run: str, record: TrialRecord, **query: Any) -> str:
    """The address of a trial's page."""
    path = f"/runs/{quote(run, safe='')}/trial"
    return _address(path, {"task": record.task, "trial": str(record.trial), **query})


def comparison_address(first: str, second: str, **query: Any) -> str:
    """The address of the comparison of two runs."""
    return _address("/compare", {"first": first, "second": second, **query})


def _address(path: str, query: dict[str, Any]) -> str:
    given = {name: value for name, value in query.items() if value not in ("", None, False, 0)}
    return f"{path}?{urlencode(given)}" if given else path
