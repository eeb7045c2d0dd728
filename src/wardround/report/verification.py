"""The sentences of a report on the authenticity of its run."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from wardround.core.run_check import RunCheck


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
