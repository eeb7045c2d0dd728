"""Golds that passed are remembered by task and database, in this process and the next."""

from dataclasses import replace
from pathlib import Path

from wardround.benchmarks.kit.gold_cache import PassedGolds
from wardround.core.task import Task


def test_what_passed_is_remembered_for_that_task_and_database(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "golds.txt"
    first, second = Task("1", "q", "SELECT 1"), Task("2", "q", "SELECT 1")
    PassedGolds(path).add(first, "one")
    known = PassedGolds(path)
    assert known.holds(first, "one")
    assert not known.holds(first, "another")
    assert not known.holds(second, "one")
    changed = replace(first, hidden="SELECT 2")
    assert not known.holds(changed, "one")


def test_a_broken_file_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "golds.txt"
    path.write_bytes(b"\xff\xfe half a line")
    task = Task("1", "q", "SELECT 1")
    known = PassedGolds(path)
    assert not known.holds(task, "one")
    known.add(task, "one")
    assert PassedGolds(path).holds(task, "one")
