"""Files in the user's folders that are built on first use."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from wardround.core.folders import build_once


def test_a_file_is_built_once_while_others_wait(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "file"
    is_building, has_come = Event(), Event()
    builds = []

    def build(new: Path) -> None:
        builds.append(new)
        is_building.set()
        has_come.wait()
        new.write_text("whole")

    def come_later() -> Path:
        is_building.wait()
        has_come.set()
        return build_once(path, build)

    with ThreadPoolExecutor(2) as threads:
        found = [threads.submit(build_once, path, build), threads.submit(come_later)]
        assert [each.result() for each in found] == [path, path]
    assert len(builds) == 1
    assert path.read_text() == "whole"
    assert list(path.parent.iterdir()) == [path]


def test_a_build_that_fails_leaves_nothing_and_the_next_one_builds(tmp_path: Path) -> None:
    path = tmp_path / "file"

    def fail(new: Path) -> None:
        new.write_text("half")
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        build_once(path, fail)
    assert list(tmp_path.iterdir()) == []
    build_once(path, lambda new: new.write_text("whole"))
    assert path.read_text() == "whole"
    assert path.stat().st_mode & 0o777 == 0o600
