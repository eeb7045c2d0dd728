"""A run as one self-contained HTML page: tables, figures, trials and trajectories."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from wardround.core.benchmark import Explanation, Summary
from wardround.core.conversation import Conversation
from wardround.core.record import Outcome, TrialRecord, by_task
from wardround.core.serialization import flattened
from wardround.core.trajectory import Trajectory
from wardround.report.condensed_tables import condensed
from wardround.report.headline import headline
from wardround.report.svg import has_data, to_svg
from wardround.report.tables import formatted
from wardround.report.trace import Turn, turns

if TYPE_CHECKING:
    from jinja2 import Environment

# The most trials shown in full, and the most characters of each of their texts.
MOST_DETAILED = 500
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
        settings: the content of `run.json`.
        summary: the benchmark's tables and figures.
        trials: the finished trials.
        trajectory: reads a trial's trajectory; called only for trials shown in full.
        explain: explains a failed trial by its gold; returns None if its task is missing.
        conversation: a trial as a conversation; returns None if its benchmark has none.
        notices: sentences on the run's authenticity, its agent's confinement and its tasks' terms.
        is_sound: True if the run is complete and as it was written.
    """

    settings: Mapping[str, Any]
    summary: Summary
    trials: Sequence[TrialRecord]
    trajectory: Callable[[TrialRecord], Trajectory]
    explain: Callable[[TrialRecord], Explanation | None] = lambda record: None
    conversation: Callable[[TrialRecord], Conversation | None] = lambda record: None
    notices: Sequence[str] = ()
    is_sound: bool = True


@dataclass(frozen=True, slots=True)
class DetailedTrial:
    """A trial with its trajectory, for reading."""

    anchor: str
    record: TrialRecord
    turns: tuple[Turn, ...]
    explanation: Explanation | None = None
    conversation: Conversation | None = None


def render_html(report: ReportInput, *, with_text: bool = True) -> str:
    """The report as one HTML page; deterministic.

    Args:
        report: The run.
        with_text: Include messages and tool results of up to 500 trials, starting with those that
            did not pass; otherwise the page has outcomes and figures only.

    Raises:
        UserError: a trajectory cannot be read.
    """
    detailed_trials = choose_detailed(report.trials) if with_text else []
    detailed = [_detail(trial, report) for trial in detailed_trials]
    tables, left_out = condensed(
        {name: formatted(table) for name, table in report.summary.tables.items()}
    )
    grid = by_task(report.trials)
    template = _templates().get_template("report.html.j2")
    return template.render(
        heading=" ".join(["Run", *_named(report.settings)]),
        headline=headline(report.trials, report.settings["grading"]),
        notices=report.notices,
        settings=flattened(report.settings),
        outcomes=Counter(trial.outcome for trial in report.trials),
        tables=list(tables.values()),
        left_out=left_out,
        charts=[(f.title, to_svg(f)) for f in report.summary.figures.values() if has_data(f)],
        grid=grid,
        failing=[trials for trials in grid.values() if _first_failure(trials)],
        first_failure=_first_failure,
        trials=report.trials,
        detailed=detailed,
        with_text=with_text,
        anchors={trial.record.key: trial.anchor for trial in detailed},
        marks=MARKS,
        Outcome=Outcome,
        cut=_cut,
    )


def choose_detailed(trials: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The trials shown in full: failures first, then by trial number."""
    by_need = sorted(trials, key=lambda trial: (trial.outcome is Outcome.PASSED, trial.trial))
    detailed_trials = {trial.key for trial in by_need[:MOST_DETAILED]}
    return [trial for trial in trials if trial.key in detailed_trials]


def _named(settings: Mapping[str, Any]) -> list[str]:
    """The parts of a run's heading that its settings have."""
    words = {"benchmark": "of {}", "agent": "by {}", "model": "on {}"}
    return [words[name].format(settings[name]) for name in words if settings.get(name)]


def _detail(trial: TrialRecord, report: ReportInput) -> DetailedTrial:
    trajectory = report.trajectory(trial)
    events = tuple(Turn(turn.kind, turn.who, _cut(turn.text)) for turn in turns(trajectory))
    conversation = report.conversation(trial)
    explanation = None if conversation else report.explain(trial)
    name = f"{trial.task}.{trial.trial}"
    return DetailedTrial(name, trial, events, explanation, conversation)


def _cut(text: str) -> str:
    remaining = len(text) - MOST_CHARACTERS
    return text if remaining <= 0 else f"{text[:MOST_CHARACTERS]}\n… {remaining:,} more characters"


def _first_failure(trials: Sequence[TrialRecord]) -> TrialRecord | None:
    """The first of a task's trials that failed."""
    return next((trial for trial in trials if trial.outcome is Outcome.FAILED), None)


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
    # Charts escape their own text.
    environment.filters["drawing"] = Markup
    return environment
