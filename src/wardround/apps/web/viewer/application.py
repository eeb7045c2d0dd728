"""The local web application of `wardround view`: runs, their trials, and each trial's events."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse

from wardround.apps.web.access import refusal
from wardround.core.capabilities import Explanation
from wardround.core.errors import WardroundError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_document import SETTINGS
from wardround.core.run_reader import STARTED, read_settings, read_trajectory, read_trials
from wardround.core.serialization import to_line
from wardround.report.condensed_tables import condensed
from wardround.report.headline import headline
from wardround.report.html import MARKS, heading, templates
from wardround.report.run_report import read_report
from wardround.report.svg import has_data, to_svg
from wardround.report.tables import formatted
from wardround.report.trace import turns
from wardround.report.trial_index import Search, TrialIndex, opened_index
from wardround.runs.scoring import GoldReader

PAGE = 50
MOST_EVENTS = 200
MOST_CHARACTERS = 20_000
_REFRESH = 5  # seconds, of a run that goes on
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in the list of all runs."""

    name: str
    heading: str
    started: str
    trials: int
    planned: int
    passed: int


def make_viewer(folder: Path) -> FastAPI:
    """The application over the runs in a folder, or over one run.

    It answers requests of this machine only, and changes no run.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.middleware("http")(_guarded)
    runs = _Runs(folder)

    @app.get("/")
    def list_runs() -> HTMLResponse:
        listed, unreadable = runs.listed()
        return _page(
            "view_runs.html.j2",
            title="Runs",
            folder=str(folder),
            runs=listed,
            unreadable=unreadable,
            refresh=None,
        )

    @app.get("/runs/{name}")
    def show_run(
        request: Request,
        name: str,
        outcome: str = "",
        label: str = "",
        words: str = "",
        task: str = "",
        start: Annotated[int, Query(ge=0, le=10**9)] = 0,
    ) -> HTMLResponse:
        search = Search(outcome, label, words, task)
        return runs.run_page(name, search, start)

    @app.get("/runs/{name}/trials/{task:path}/{trial}/trajectory.json")
    def download(name: str, task: str, trial: int) -> Response:
        record = runs.record(name, task, trial)
        trajectory = read_trajectory(runs.path(name), record.trajectory)
        named = {"Content-Disposition": 'attachment; filename="trajectory.json"'}
        return Response(to_line(trajectory), media_type="application/json", headers=named)

    @app.get("/runs/{name}/trials/{task:path}/{trial}")
    def show_trial(
        name: str,
        task: str,
        trial: int,
        gold: bool = False,
        start: Annotated[int, Query(ge=0, le=10**9)] = 0,
    ) -> HTMLResponse:
        return runs.trial_page(name, task, trial, start, is_gold_shown=gold)

    return app


class _Runs:
    """The runs in a folder, by name; a name that is not listed does not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # The results of each run by the stamp of its index: a large run takes seconds to summarize.
        self._results: dict[str, tuple[str, dict[str, Any]]] = {}

    def paths(self) -> dict[str, Path]:
        if (self._folder / SETTINGS).is_file():
            return {self._folder.resolve().name: self._folder}
        found = sorted(self._folder.glob(f"**/{SETTINGS}"))
        return {
            str(path.parent.relative_to(self._folder)).replace("/", "~"): path.parent
            for path in found
        }

    def path(self, name: str) -> Path:
        if (path := self.paths().get(name)) is None:
            raise HTTPException(404, "There is no such run.")
        return path

    def listed(self) -> tuple[list[ListedRun], dict[str, str]]:
        """The runs, the latest first, and those that cannot be read with their problems."""
        listed, unreadable = list[ListedRun](), dict[str, str]()
        for name, path in self.paths().items():
            try:
                listed.append(_listed(name, path))
            except WardroundError as error:
                unreadable[name] = str(error)
        return sorted(listed, key=lambda run: run.started, reverse=True), unreadable

    def record(self, name: str, task: str, trial: int) -> TrialRecord:
        index = opened_index(self.path(name))
        try:
            record = index.trial(task, trial)
        finally:
            index.close()
        if record is None:
            raise HTTPException(404, "There is no such trial.")
        return record

    def run_page(self, name: str, search: Search, start: int) -> HTMLResponse:
        path = self.path(name)
        index = opened_index(path)
        try:
            known = self._results.get(name, ("", {}))
            results = known[1] if known[0] == index.stamp else _results(path)
            self._results[name] = (index.stamp, results)
            return _run_page(name, path, index, results, search, start)
        finally:
            index.close()

    def trial_page(
        self, name: str, task: str, trial: int, start: int, *, is_gold_shown: bool
    ) -> HTMLResponse:
        path, record = self.path(name), self.record(name, task, trial)
        index = opened_index(path)
        try:
            others = index.search(Search(task=task), 0, PAGE).records
        finally:
            index.close()
        events = list(turns(read_trajectory(path, record.trajectory)))
        shown = [
            (turn.kind, turn.who, _cut(turn.text)) for turn in events[start : start + MOST_EVENTS]
        ]
        why, problem = _gold(path, record) if is_gold_shown else (None, "")
        return _page(
            "view_trial.html.j2",
            title=f"{task}:{trial}",
            name=name,
            record=record,
            others=others,
            marks=MARKS,
            why=why,
            is_gold_shown=is_gold_shown,
            gold_problem=problem,
            turns=[{"kind": kind, "who": who, "text": text} for kind, who, text in shown],
            total=len(events),
            start=start,
            most=MOST_EVENTS,
            refresh=None,
        )


def _listed(name: str, path: Path) -> ListedRun:
    settings = read_settings(path)
    index = opened_index(path)
    try:
        outcomes = index.outcomes()
    finally:
        index.close()
    return ListedRun(
        name,
        heading({**settings, **settings["settings"]}),
        str(settings.get(STARTED, "")),
        sum(outcomes.values()),
        _planned(settings),
        outcomes.get(Outcome.PASSED.value, 0),
    )


def _planned(settings: Mapping[str, Any]) -> int:
    return int(settings.get("tasks", {}).get("count", 0) * settings["settings"].get("trials", 0))


def _results(path: Path) -> dict[str, Any]:
    """The headline, notices, tables and charts of a run."""
    if not read_trials(path):
        return {"headline": "No trial is over yet.", "notices": [], "tables": [], "charts": []}
    report = read_report(path)
    tables, _ = condensed({key: formatted(t) for key, t in report.summary.tables.items()})
    return {
        "headline": headline(report.trials, report.settings["grading"]),
        "notices": list(report.notices),
        "tables": list(tables.values()),
        "charts": [(f.title, to_svg(f)) for f in report.summary.figures.values() if has_data(f)],
    }


def _run_page(
    name: str,
    path: Path,
    index: TrialIndex,
    results: Mapping[str, Any],
    search: Search,
    start: int,
) -> HTMLResponse:
    found = index.search(search, start, PAGE)
    outcomes = index.outcomes()
    settings = read_settings(path)
    is_over = sum(outcomes.values()) >= _planned(settings)
    return _page(
        "view_run.html.j2",
        title=heading({**settings, **settings["settings"]}),
        name=name,
        outcomes=outcomes,
        labels=index.labels,
        search=search,
        found=found,
        start=start,
        marks=MARKS,
        earlier=_address(search, max(0, start - PAGE)) if start else None,
        later=_address(search, start + PAGE) if found.count > start + PAGE else None,
        refresh=None if is_over else _REFRESH,
        **results,
    )


def _address(search: Search, start: int) -> str:
    chosen = {
        "outcome": search.outcome,
        "label": search.label,
        "words": search.words,
        "task": search.task,
    }
    return f"?{urlencode({**{k: v for k, v in chosen.items() if v}, 'start': start})}"


def _gold(path: Path, record: TrialRecord) -> tuple[Explanation | None, str]:
    """The explanation of a trial by its gold, or why there is none."""
    problems: list[str] = []
    explanation = GoldReader(path, problems.append).explanation(record)
    return explanation, " ".join(problems)


def _cut(text: str) -> str:
    remaining = len(text) - MOST_CHARACTERS
    return text if remaining <= 0 else f"{text[:MOST_CHARACTERS]}\n… {remaining:,} more characters"


def _page(template: str, **values: Any) -> HTMLResponse:
    return HTMLResponse(templates().get_template(template).render(**values))


async def _guarded(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    """Answers this machine only, turns errors into pages of one sentence, and sets headers."""
    if reason := refusal(request, None):
        response: Response = HTMLResponse(reason, 403)
    else:
        try:
            response = await answer(request)
        except WardroundError as error:
            response = _page(
                "view_problem.html.j2", title="Problem", problem=str(error), refresh=None
            )
            response.status_code = 422
    for name, value in _HEADERS.items():
        response.headers[name] = value
    return response
