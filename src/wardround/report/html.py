"""A run as one self-contained HTML page: tables, figures, trials and trajectories."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from wardround.core.benchmark import Summary
from wardround.core.capabilities import Explanation
from wardround.core.conversation import Conversation
from wardround.core.record import Outcome, TrialRecord, by_task
from wardround.core.run_reader import STARTED
from wardround.core.serialization import flattened
from wardround.core.trajectory import Trajectory
from wardround.report.condensed_tables import condensed
from wardround.report.headline import headline
from wardround.report.shown_events import ShownEvent, cut, shown_event
from wardround.report.svg import has_data, to_svg
from wardround.report.tables import formatted
from wardround.report.trace import turns

if TYPE_CHECKING:
    from jinja2 import Environment

# The most trials shown in full, and the most characters of each of their texts.
MOST_DETAILED = 500
MOST_CHARACTERS = 4000
# The most characters of a request beside a failed task's id.
MOST_WORDS = 90

_NUMBER = re.compile(r"\d+")

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
        notices: sentences on the run's authenticity, its agent's caveat and confinement, and its
            tasks' terms.
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
class FailedTask:
    """A task with failed trials.

    Attributes:
        first: the first failed trial.
        failed: the number of failed trials.
        trials: the number of trials.
        words: the first words of the request; "" if the trial is not shown in full.
    """

    first: TrialRecord
    failed: int
    trials: int
    words: str


@dataclass(frozen=True, slots=True)
class DetailedTrial:
    """A trial with its trajectory, for reading."""

    anchor: str
    record: TrialRecord
    events: tuple[ShownEvent, ...]
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
    counts = Counter(trial.outcome for trial in report.trials)
    template = templates().get_template("report.html.j2")
    return template.render(
        title=heading(report.settings),
        headline=headline(report.trials, report.settings["grading"]),
        notices=report.notices,
        settings=flattened(report.settings),
        outcomes=shown_counts(counts),
        scored=sum(count for outcome, count in counts.items() if outcome.scored),
        tables=list(tables.values()),
        left_out=left_out,
        charts=[(f.title, to_svg(f)) for f in report.summary.figures.values() if has_data(f)],
        grid=grid,
        causes=_causes(grid.values(), {trial.record.key: trial for trial in detailed}),
        trials=report.trials,
        detailed=detailed,
        with_text=with_text,
        anchors={trial.record.key: trial.anchor for trial in detailed},
        marks=MARKS,
        cut=partial(cut, most=MOST_CHARACTERS),
    )


def choose_detailed(trials: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The trials shown in full: failures first, then by trial number."""
    by_need = sorted(trials, key=lambda trial: (trial.outcome is Outcome.PASSED, trial.trial))
    return sorted(by_need[:MOST_DETAILED], key=_reading_order)


def shown_counts(counts: Mapping[Outcome, int]) -> dict[str, int]:
    """The number of trials by outcome: of passed and failed ones always, of others if any.

    >>> shown_counts({Outcome.FAILED: 3})
    {'passed': 0, 'failed': 3}
    """
    return {
        outcome.value: counts.get(outcome, 0)
        for outcome in Outcome
        if outcome.scored or counts.get(outcome)
    }


def _reading_order(trial: TrialRecord) -> tuple[bool, str, int]:
    """Trials that did not pass first, then by task and number."""
    return (trial.outcome is Outcome.PASSED, trial.task, trial.trial)


def heading(settings: Mapping[str, Any]) -> str:
    """The benchmark, agent, model, databases and date of a run, as far as `run.json` has them.

    >>> heading({"benchmark": "triage", "agent": "tools", "databases": {"ward": "1f"},
    ...          "models": {"agent": {"name": "openai:m"}}, "started": "2026-11-23T09:00:00+00:00"})
    'triage: agent tools, model openai:m, database ward, 23 November 2026'
    """
    models, databases = settings.get("models", {}), list(settings.get("databases", {}))
    model = models.get("agent", {}).get("name")
    parts = [
        f"agent {settings['agent']}" if settings.get("agent") else "",
        f"model {model}" if model else "",
        f"database{'s' * (len(databases) > 1)} {', '.join(databases)}" if databases else "",
        _date(settings.get(STARTED)),
    ]
    return f"{settings.get('benchmark', 'Run')}: {', '.join(filter(None, parts))}"


def _date(started: str | None) -> str:
    return f"{datetime.fromisoformat(started):%-d %B %Y}" if started else ""


def _detail(trial: TrialRecord, report: ReportInput) -> DetailedTrial:
    trajectory = report.trajectory(trial)
    events = tuple(shown_event(turn, MOST_CHARACTERS) for turn in turns(trajectory))
    conversation = report.conversation(trial)
    explanation = None if conversation else report.explain(trial)
    name = f"{trial.task}.{trial.trial}"
    return DetailedTrial(name, trial, events, explanation, conversation)


def _causes(
    tasks: Iterable[Sequence[TrialRecord]], detailed: Mapping[tuple[str, int], DetailedTrial]
) -> list[tuple[str, list[FailedTask]]]:
    """Failed tasks by the cause of their first failure, the most frequent cause first.

    Reasons that differ in numbers only are one cause.
    """
    causes: dict[str, list[FailedTask]] = {}
    for trials in tasks:
        failed = [trial for trial in trials if trial.outcome is Outcome.FAILED]
        if failed:
            first = failed[0]
            words = _first_words(detailed[first.key]) if first.key in detailed else ""
            task = FailedTask(first, len(failed), len(trials), words)
            causes.setdefault(_NUMBER.sub("N", first.reason), []).append(task)
    named = [(_cause(cause, tasks), tasks) for cause, tasks in causes.items()]
    return sorted(named, key=lambda cause: -len(cause[1]))


def _cause(masked: str, tasks: Sequence[FailedTask]) -> str:
    """The reason that tasks share, with N for numbers that differ."""
    reasons = {task.first.reason for task in tasks}
    reason = masked if len(reasons) > 1 else reasons.pop()
    return f"{reason[:1].upper()}{reason[1:]}" or "No reason was given"


def _first_words(trial: DetailedTrial) -> str:
    """The beginning of what the agent was asked first."""
    asked = trial.explanation.request if trial.explanation else ""
    if not asked:
        asked = next((event.text for event in trial.events if event.kind == "said"), "")
    return shorten(asked, MOST_WORDS, placeholder=" …")


@cache
def templates() -> "Environment":
    """The environment of the page templates."""
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
