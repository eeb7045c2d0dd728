"""A run as an Inspect log, which `inspect view` and Inspect's analysis open."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall

from wardround.apps.api import Run, load_run
from wardround.core.private_files import private_umask
from wardround.core.record import RoleUse, TrialRecord, by_task
from wardround.core.run_document import SETTINGS, TRIALS
from wardround.core.trajectory import Called, Event, Returned, Said, StageStarted
from wardround.scoring.reliability import Tally, reliabilities


def write_inspect_log(folder: Path, to: Path) -> int:
    """Writes the finished trials of a run; returns their number.

    Args:
        folder: the run.
        to: the log, whose ending chooses Inspect's format: `.eval` or `.json`.

    Raises:
        UserError: the folder is not a run.
    """
    run = load_run(folder)
    trials = run.trials()
    with private_umask():
        write_eval_log(_log(run, trials, [_sample(run, trial) for trial in trials]), to)
    return len(trials)


def _log(run: Run, trials: list[TrialRecord], samples: list[EvalSample]) -> EvalLog:
    document = run.settings()
    settings = document["settings"]
    started, ended = (_written(run.folder / name) for name in (SETTINGS, TRIALS))
    ids = [*by_task(trials)]
    model = (settings.get("models") or {}).get("agent") or {}
    name = str(model.get("name") or settings["agent"])
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=started,
            task=f"wardround/{settings['benchmark']}",
            dataset=EvalDataset(name=settings["benchmark"], samples=len(ids), sample_ids=[*ids]),
            model=name,
            config=EvalConfig(epochs=settings["trials"]),
            packages={"wardround": version("wardround")},
            metadata={"settings": settings},
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(samples),
            scores=[_pass_hat(trials, settings["trials"])],
        ),
        stats=EvalStats(started_at=started, completed_at=ended, model_usage=usage_by_role(trials)),
        samples=samples,
    )


def _written(file: Path) -> str:
    """The time of a file; settings are written when a run begins, and trials until it ends."""
    return datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat()


def _pass_hat(trials: Iterable[TrialRecord], most: int) -> EvalScore:
    """Pass^k for each k, over the tasks with at least k trials that count."""
    counted = [[t for t in task if t.outcome.scored] for task in by_task(trials).values()]
    tallies = [Tally(len(task), sum(t.outcome == "passed" for t in task)) for task in counted]
    metrics = {
        f"pass^{k}": EvalMetric(name=f"pass^{k}", value=fmean(task.pass_hat for task in tasks))
        for k in range(1, most + 1)
        if (tasks := reliabilities(tallies, k))
    }
    return EvalScore(name="wardround", scorer="wardround", metrics=metrics)


def _sample(run: Run, trial: TrialRecord) -> EvalSample:
    messages = list(messages_of(run.trajectory(trial.task, trial.trial).events))
    last = next((m for m in reversed(messages) if isinstance(m, ChatMessageAssistant)), None)
    return EvalSample(
        id=trial.task,
        epoch=trial.trial + 1,
        input=next((m.text for m in messages if isinstance(m, ChatMessageUser)), ""),
        target="",
        messages=messages,
        output=ModelOutput.from_content("agent", last.text if last else ""),
        scores={"wardround": _score(trial)},
        metadata=dict(trial.labels),
        model_usage=usage_by_role([trial]),
        total_time=trial.seconds,
    )


def _score(trial: TrialRecord) -> Score:
    """The trial's grade; NaN if it does not count."""
    if not trial.outcome.scored:
        return Score.unscored(explanation=trial.reason or str(trial.outcome))
    values: dict[str, Any] = {"rewards": dict(trial.scores)}
    passed = float(trial.outcome == "passed")
    return Score(value=passed, explanation=trial.reason, metadata=values)


def messages_of(events: Iterable[Event]) -> Iterator[ChatMessage]:
    """The conversation: each call of a tool with its result, each message with its speaker."""
    call = 0
    for event in events:
        match event:
            case Said("agent", text):
                yield ChatMessageAssistant(content=text)
            case Said(speaker, text):
                yield ChatMessageUser(content=text, metadata={"speaker": speaker})
            case StageStarted(stage, text):
                yield ChatMessageUser(content=text, metadata={"stage": stage})
            case Called(tool, arguments):
                call += 1
                made = ToolCall(id=f"call-{call}", function=tool, arguments=dict(arguments))
                yield ChatMessageAssistant(content="", tool_calls=[made])
            case Returned(tool, text):
                yield ChatMessageTool(content=text, function=tool, tool_call_id=f"call-{call}")


def usage_by_role(trials: Iterable[TrialRecord]) -> dict[str, ModelUsage]:
    """Tokens and cost by role, as far as they are known."""
    totals: dict[str, ModelUsage] = {}
    for trial in trials:
        for role, use in trial.use.items():
            totals[role] = totals.get(role, ModelUsage()) + _model_usage(use)
    return totals


def _model_usage(use: RoleUse) -> ModelUsage:
    read, written = use.input_tokens or 0, use.output_tokens or 0
    return ModelUsage(
        input_tokens=read,
        output_tokens=written,
        total_tokens=read + written,
        total_cost=use.cost,
    )
