"""The settings of a stored run, for what a benchmark makes of runs beside its report."""

from pathlib import Path
from typing import Any

from wardround.core.errors import UserError
from wardround.core.run_reader import read_settings


def run_settings(folder: Path, benchmark: str) -> dict[str, Any]:
    """The settings of a run, with its options and models at the top.

    Raises:
        UserError: the folder is no run of the benchmark.
    """
    described = read_settings(folder)
    chosen = described.pop("settings")
    if chosen["benchmark"] != benchmark:
        raise UserError(f"{folder} is a run of {chosen['benchmark']}; name one of {benchmark}.")
    return {**chosen, **chosen.pop("options"), **described}
