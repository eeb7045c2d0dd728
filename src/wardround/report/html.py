"""A run as one self-contained HTML page: tables, figures, trials and trajectories."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from wardround.core.benchmark import Summary
from wardround.core.record import Outcome, TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.report.svg import drawn
from wardround.report.tables import shown
from wardround.report.trace import Turn, turns

if TYPE_CHECKING:
    from jinja2 import Environment

# A larger run shows only trials that did not pass; texts are cut to this length.
MOST_DETAILED = 200
MOST_CHARACTERS = 4000

MARKS = {
    Outcome.PASSED: "✓",
    Outcome.FAILED: "✕",
    Outcome.USER_ERROR: "U",
    Outcome.INFRA_ERROR: "!",
    Outcome.UNSCORED: "?",
}


@dataclass(frozen=True, slots=True)
class ReportInput:
    """The input of a report.

    Attributes:
        settings: the run's settings, as its `run.json` holds them.
        summary: the benchmark's tables and figures.
        trials: the finished trials.
        trajectory: fetches a trial's trajectory; called only for the trials that are shown.
    """

    settings: Mapping[str, Any]
    summary: Summary
    trials: Sequence[TrialRecord]
    trajectory: Callable[[TrialRecord], Trajectory]


@dataclass(frozen=True, slots=True)
class DetailedTrial:
    """A trial with its trajectory, for reading."""

    anchor: str
    record: TrialRecord
    turns: tuple[Turn, ...]


def render_html(report: ReportInput) -> str:
    """The report as one page; the same input gives the same text.

    Up to 200 trials are shown in full. Of a larger run the first 200 that did not pass are shown,
    and the page says how many were left out.

    Raises:
        UserError: a trajectory cannot be read.
    """
    detailed = [_detail(trial, report.trajectory) for trial in choose_detailed(report.trials)]
    template = _templates().get_template("report.html.j2")
    return template.render(
        heading=" ".join(["Run", *_named(report.settings)]),
        settings=flatten(report.settings),
        outcomes=Counter(trial.outcome for trial in report.trials),
        tables=[shown(table) for table in report.summary.tables.values()],
        charts=[(figure.title, drawn(figure)) for figure in report.summary.figures.values()],
        grid=_grid(report.trials),
        trials=report.trials,
        detailed=detailed,
        anchors={trial.record.key: trial.anchor for trial in detailed},
        marks=MARKS,
        Outcome=Outcome,
    )


def choose_detailed(trials: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The trials whose trajectories go into the page."""
    if len(trials) <= MOST_DETAILED:
        return list(trials)
    return [trial for trial in trials if trial.outcome is not Outcome.PASSED][:MOST_DETAILED]


def flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Settings as lines of name and value, inner names after a dot.

    >>> flatten({"agent": "oracle", "limits": {"actions": 30}})
    {'agent': 'oracle', 'limits.actions': '30'}
    """
    lines: dict[str, str] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            lines |= flatten(value, f"{prefix}{name}.")
        else:
            lines[f"{prefix}{name}"] = str(value)
    return lines


def _named(settings: Mapping[str, Any]) -> list[str]:
    """The words of a run's heading, as far as its settings have them."""
    words = {"benchmark": "of {}", "agent": "by {}", "model": "on {}"}
    return [words[name].format(settings[name]) for name in words if settings.get(name)]


def _detail(trial: TrialRecord, fetch: Callable[[TrialRecord], Trajectory]) -> DetailedTrial:
    events = tuple(Turn(turn.kind, turn.who, _cut(turn.text)) for turn in turns(fetch(trial)))
    return DetailedTrial(f"{trial.task}.{trial.trial}", trial, events)


def _cut(text: str) -> str:
    left = len(text) - MOST_CHARACTERS
    return text if left <= 0 else f"{text[:MOST_CHARACTERS]}\n… {left:,} more characters"


def _grid(trials: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
    """The trials of each task, in the order of their numbers."""
    grid: dict[str, list[TrialRecord]] = {}
    for trial in sorted(trials, key=lambda trial: trial.trial):
        grid.setdefault(trial.task, []).append(trial)
    return grid


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("wardround.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The chart's own text is escaped where it is drawn.
    environment.filters["drawing"] = Markup
    return environment
