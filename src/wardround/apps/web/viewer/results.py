"""The results of a run as its page shows them, kept in the run's index."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from wardround.core.run_reader import read_trials
from wardround.report.condensed_tables import condensed
from wardround.report.headline import headline
from wardround.report.run_report import read_report
from wardround.report.svg import has_data, to_svg
from wardround.report.tables import formatted
from wardround.report.trial_index.search import TrialIndex


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a run.

    Attributes:
        trials: the number of trials that they are about.
        headline: the sentence on how reliable the agent is.
        notices: sentences on the run's authenticity, agent and tasks.
        tables: the tables, as `ShownTable` has them.
        left_out: the titles of tables that say nothing.
        charts: the title and SVG of each figure.
        is_current: True if no trial was added since.
    """

    trials: int
    headline: str
    notices: Sequence[str]
    tables: Sequence[Mapping[str, Any]]
    left_out: Sequence[str]
    charts: Sequence[tuple[str, str]]
    is_current: bool = True


def kept_results(index: TrialIndex) -> Results | None:
    """The results that were made last; None if none were."""
    listed = index.results()
    if listed is None:
        return None
    trials, stamp, content = listed
    return Results(trials, **orjson.loads(content), is_current=stamp == index.stamp())


def make_results(index: TrialIndex) -> None:
    """Makes the results of all trials anew.

    Raises:
        UserError: the run cannot be read.
    """
    stamp, folder = index.stamp(), index.folder
    trials = read_trials(folder)
    if not trials:
        empty = {"headline": "No trial is over yet.", "notices": [], "tables": []}
        index.keep_results(0, stamp, _json({**empty, "left_out": [], "charts": []}))
        return
    report = read_report(folder, trials)
    tables, left_out = condensed({key: formatted(t) for key, t in report.summary.tables.items()})
    charts = [(f.title, to_svg(f)) for f in report.summary.figures.values() if has_data(f)]
    content = {
        "headline": headline(report.trials, report.settings["grading"]),
        "notices": list(report.notices),
        "tables": [asdict(table) for table in tables.values()],
        "left_out": left_out,
        "charts": charts,
    }
    index.keep_results(len(report.trials), stamp, _json(content))


def _json(content: dict[str, Any]) -> str:
    return orjson.dumps(content).decode()
