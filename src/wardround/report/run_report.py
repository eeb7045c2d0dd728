"""Reads a run into a report, and writes the report as HTML."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wardround.core.capabilities import Explanation
from wardround.core.conversation import Conversation
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.record import TrialRecord
from wardround.core.run_check import RunCheck, check_run
from wardround.core.run_reader import read_settings, read_trajectory, read_trials
from wardround.core.trajectory import Noted, Trajectory
from wardround.report.headline import caveat, confinement, headline, terms
from wardround.report.html import ReportInput, render_html
from wardround.report.tables import summary_to_json

_CHANGED = Trajectory([Noted("changed", {"reason": "the trial is not as wardround wrote it"})])


def read_report(
    folder: Path,
    records: Sequence[TrialRecord] | None = None,
    explain: Callable[[TrialRecord], Explanation | None] = lambda record: None,
    conversation: Callable[[TrialRecord], Conversation | None] = lambda record: None,
) -> ReportInput:
    """A run's settings, trials and tables.

    Args:
        folder: the run.
        records: its trials as scored by other verdicts; by default its own.
        explain: explains a failed trial by its gold.
        conversation: a trial as a conversation.

    Raises:
        UserError: the folder is not a run, or has no finished trial yet.
    """
    check = check_run(folder)
    trials = read_trials(folder) if records is None else list(records)
    described = read_settings(folder)
    if not trials and check.mismatches:
        raise UserError(
            f"{folder} has no trial left that is as wardround wrote it ({check.mismatches[0]}; "
            f"{len(check.mismatches)} in all); continue with wardround resume {folder}."
        )
    if not trials:
        raise UserError(
            f"{folder} has no finished trial yet; continue with wardround resume {folder}."
        )
    chosen = described.pop("settings")
    summary = benchmark_class(chosen["benchmark"]).summarize(trials)
    # Names of a benchmark's own options never clash with common ones, so both are in one list.
    options = chosen.pop("options")
    settings = {**chosen, **options, **described}
    doubts = tuple(verification(folder, check, settings, len(trials)))
    notices = (
        *doubts,
        *filter(None, (caveat(settings), confinement(settings), terms(settings))),
    )

    def sound(record: TrialRecord) -> bool:
        return record.key not in check.damaged

    return ReportInput(
        settings,
        summary,
        trials,
        lambda record: _trajectory(folder, record) if sound(record) else _CHANGED,
        lambda record: explain(record) if sound(record) else None,
        lambda record: conversation(record) if sound(record) else None,
        notices,
        is_sound=not doubts,
    )


def report_to_json(report: ReportInput) -> dict[str, Any]:
    """The headline, the notices, and all tables and figures as JSON values."""
    return {
        "headline": headline(report.trials, report.settings["grading"]),
        "notices": list(report.notices),
        **summary_to_json(report.summary),
    }


def write_html(report: ReportInput, path: Path, *, force: bool, with_text: bool = True) -> None:
    """Writes the report as one file.

    Raises:
        UserError: the file already exists and `force` is False.
    """
    check_free(path, force=force)
    make_folder(path.parent)
    write_whole(path, render_html(report, with_text=with_text).encode())


def check_free(path: Path, *, force: bool) -> None:
    """Checks that a file may be written.

    Raises:
        UserError: it already exists and `force` is False.
    """
    if path.exists() and not force:
        raise UserError(f"{path} already exists; name another file, or add --force.")


def _trajectory(folder: Path, record: TrialRecord) -> Trajectory:
    return read_trajectory(folder, record.trajectory)


def verification(
    folder: Path, check: RunCheck, settings: Mapping[str, Any], trials: int
) -> Iterator[str]:
    """The sentences on a run that is unfinished or not as it was written; none if all is well.

    Args:
        folder: the run.
        check: the result of checking it.
        settings: the content of its `run.json`.
        trials: the number of its finished trials.
    """
    if not check.verified:
        yield (
            "Not verified: the run was made with another key or by an older version, so wardround "
            "cannot tell if it was changed."
        )
    if check.mismatches:
        yield (
            f"Changed: {folder} is not as wardround wrote it; changed lines do not count, and "
            f"wardround resume {folder} moves them aside."
        )
    yield from (f"Changed: {mismatch}." for mismatch in check.mismatches)
    planned = _planned(settings)
    if trials < planned:
        yield (
            f"Unfinished: {trials:,} of {planned:,} trials are over; go on with wardround resume "
            f"{folder}."
        )
    elif check.verified and not check.sealed:
        yield (
            "Unfinished: the end of the run is not sealed, so lines removed from it would not be "
            f"noticed; wardround resume {folder} completes it."
        )


def _planned(settings: Mapping[str, Any]) -> int:
    """The number of trials that the run is to have."""
    return int(settings.get("tasks", {}).get("count", 0) * settings.get("trials", 0))
