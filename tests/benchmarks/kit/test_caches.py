"""Caches of values in memory and of golds that passed on disk."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.kit.caches import BoundedCache, PassedGolds
from wardround.core.task import Task


@given(used=st.lists(st.tuples(st.booleans(), st.integers(0, 6))), most=st.integers(1, 4))
def test_least_recently_used_values_are_dropped(used: list[tuple[bool, int]], most: int) -> None:
    cache = BoundedCache[int, str](most)
    last: list[int] = []
    for keeps, key in used:
        if keeps:
            cache.add(key, str(key))
        else:
            assert cache.get(key) == (str(key) if key in last else None)
        if keeps or key in last:
            last = [*(each for each in last if each != key), key][-most:]


def test_passed_golds_are_checked_once_for_a_task_and_database(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "golds.txt"
    first, second = Task("1", "q", "SELECT 1"), Task("2", "q", "SELECT 1")
    assert PassedGolds(path).problem(first, "one", lambda task: "") == ""
    known = PassedGolds(path)
    assert known.problem(first, "one", lambda task: "wrong") == ""
    changed = replace(first, hidden="SELECT 2")
    for task, database in ((first, "another"), (second, "one"), (changed, "one")):
        assert known.problem(task, database, lambda task: f"{task.id} is wrong")
    assert known.problem(second, "one", lambda task: "") == "", "a fault is checked again"


def test_damaged_file_of_passed_golds_is_extended(tmp_path: Path) -> None:
    path = tmp_path / "golds.txt"
    path.write_bytes(b"\xff\xfe half a line")
    task = Task("1", "q", "SELECT 1")
    assert PassedGolds(path).problem(task, "one", lambda task: "wrong") == "wrong"
    assert PassedGolds(path).problem(task, "one", lambda task: "") == ""
    assert PassedGolds(path).problem(task, "one", lambda task: "wrong") == ""
