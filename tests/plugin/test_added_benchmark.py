"""The benchmark of the page "Add a benchmark" is short, and works as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "add-a-benchmark.md"
CODE = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]


def test_benchmark_of_the_page_has_under_60_lines() -> None:
    assert sum(bool(line.strip()) for line in CODE.splitlines()) < 60


def test_benchmark_of_the_page_validates_and_runs(tmp_path: Path) -> None:
    (tmp_path / "dosing.py").write_text(CODE, encoding="utf-8")
    shown = _wardround(tmp_path, "tasks", "validate", "dosing:BENCHMARK")
    assert ["all", "2", "2"] in [line.split() for line in shown.splitlines()]
    run = ("run", "dosing:BENCHMARK", "--agent", "oracle", "--out", "run")
    assert "2 of 2 tasks were right" in _wardround(tmp_path, *run)


def _wardround(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "wardround", *words]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "100"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout
