"""The command as a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

BUILD = (
    "data",
    "hospital",
    "--layout",
    "mimic_iv_star",
    "--patients",
    "2",
    "--workers",
    "1",
    "--to",
)


@pytest.mark.parametrize("name", ["ward.sqlite", "ward.duckdb"])
def test_a_command_that_works_leaves_standard_error_to_progress(tmp_path: Path, name: str) -> None:
    """DuckDB's binding reports objects as leaked if the exit does not collect them."""
    command = [sys.executable, "-m", "wardround", *BUILD, str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "leaked" not in done.stderr
    assert "2 people" in done.stdout + done.stderr
