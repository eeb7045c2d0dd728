"""Training before a run: its separate process, the cache, and errors."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from wardround.core.errors import UserError
from wardround.runs.training import Training, trained_file

HERE = "tests.runs.test_training"


def pairs(database: str, seed: int, source: str) -> list[str]:
    if database == "empty":
        raise UserError("There is nothing to learn from.")
    return [f"{database} {seed} {source}"]


def train(
    database: str, pairs: list[str], seed: int, progress: Callable[[str], None], to: Path
) -> None:
    if database == "killed":
        os._exit(3)
    progress(f"reading {len(pairs)} pairs")
    to.write_text(f"{pairs[0]} {os.getpid()}")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def training(source: str = "") -> Training:
    return Training("toy", f"{HERE}:train", f"{HERE}:pairs{source and '='}{source}", seed=7)


def test_training_runs_in_a_separate_process() -> None:
    steps: list[str] = []
    content = trained_file(training(), "ward", "f1", steps.append).read_text().split()
    assert content[:2] == ["ward", "7"]
    assert int(content[-1]) != os.getpid()
    assert steps[1:] == ["making questions …", "reading 1 pairs …"]


def test_same_content_is_trained_once() -> None:
    steps: list[str] = []
    first = trained_file(training(), "ward", "f1", steps.append)
    content = first.read_text()
    assert trained_file(training(), "ward", "f1", steps.append) == first
    assert first.read_text() == content
    assert steps[-1] == f"Trained before: {first}"


def test_changed_source_trains_again_and_removes_the_old_file(tmp_path: Path) -> None:
    source = tmp_path / "pairs.json"
    source.write_text("[]")
    first = trained_file(training(str(source)), "ward", "f1", lambda step: None)
    other = trained_file(training(str(source)), "ward", "f2", lambda step: None)
    source.write_text("[1]")
    second = trained_file(training(str(source)), "ward", "f1", lambda step: None)
    assert second != first
    assert second.exists()
    assert other.exists()
    assert not first.exists()


def test_another_format_of_the_file_trains_again() -> None:
    first = trained_file(training(), "ward", "f1", lambda step: None)
    newer = replace(training(), format=training().format + 1)
    second = trained_file(newer, "ward", "f1", lambda step: None)
    assert second != first
    assert not first.exists()


def test_error_of_the_source_is_raised() -> None:
    with pytest.raises(UserError, match="nothing to learn from"):
        trained_file(training(), "empty", "f1", lambda step: None)


def test_death_of_the_process_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Training toy failed with exit code 3"):
        trained_file(training(), "killed", "f1", lambda step: None)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_missing_source_file_is_named() -> None:
    with pytest.raises(UserError, match="nowhere"):
        trained_file(training("nowhere"), "ward", "f1", lambda step: None)
