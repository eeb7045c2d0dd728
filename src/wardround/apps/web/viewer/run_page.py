"""The page of a run: its answer, its trials by a search, its results and its notes."""

from dataclasses import asdict

from fastapi.responses import HTMLResponse

from wardround.apps.web.viewer.pages import REFRESH, page, run_address
from wardround.apps.web.viewer.runs import Runs, ViewedRun
from wardround.core.record import Outcome
from wardround.report.html import shown_counts
from wardround.report.trial_index.search import Search
from wardround.report.trial_notes import read_notes

PAGE = 50


def list_page(runs: Runs) -> HTMLResponse:
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


def run_page(runs: Runs, run: ViewedRun, search: Search, start: int) -> HTMLResponse:
    """A run with a page of the trials that are searched for."""
    trials = run.index.search(search, start, PAGE)
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
        earlier=run_address(run.name, **chosen, start=max(0, start - PAGE)) if start else None,
        later=run_address(run.name, **chosen, start=start + PAGE)
        if trials.count > start + PAGE
        else None,
        others={name: title for name, title in titles.items() if name != run.name},
        refresh=None if run.is_over else REFRESH,
    )
