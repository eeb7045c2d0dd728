"""Scratch folders: removed by their owner, or by a later process once their owner is dead."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wardround.core.scratch_folder import PREFIX, ScratchFolder, remove_abandoned

HELD = """
import sys
from pathlib import Path
from wardround.core.scratch_folder import ScratchFolder
folder = ScratchFolder(Path(sys.argv[1]))
(folder.path / "within").mkdir()
(folder.path / "within" / "ward.sqlite").write_bytes(b"values")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def _new_process() -> None:
    """Forgets which folders were searched, as in a new process."""
    remove_abandoned.cache_clear()


def start(parent: Path) -> tuple["subprocess.Popen[str]", Path]:
    """Starts a process that holds a scratch folder; returns both."""
    process = subprocess.Popen(
        [sys.executable, "-c", HELD, str(parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def kill(process: "subprocess.Popen[str]") -> None:
    """Kills a process and closes its pipes."""
    process.kill()
    process.communicate()


@pytest.mark.integration
def test_folder_of_a_killed_process_is_removed_by_the_next(tmp_path: Path) -> None:
    process, folder = start(tmp_path)
    kill(process)
    assert (folder / "within/ward.sqlite").exists()
    with ScratchFolder(tmp_path) as scratch:
        assert list(tmp_path.iterdir()) == [scratch.path]
    assert not list(tmp_path.iterdir())


@pytest.mark.integration
def test_folder_of_a_living_process_stays(tmp_path: Path) -> None:
    process, folder = start(tmp_path)
    try:
        with ScratchFolder(tmp_path):
            assert (folder / "within/ward.sqlite").exists()
    finally:
        kill(process)


def test_only_scratch_folders_are_removed(tmp_path: Path) -> None:
    (tmp_path / "wardround-abc").mkdir()
    (tmp_path / f"{PREFIX}file").touch()
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(target)
    before = sorted(tmp_path.iterdir())
    remove_abandoned(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_scratch_folder_is_private_and_closes_twice(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        folder = ScratchFolder(tmp_path)
    finally:
        os.umask(mask)
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.close()
    folder.close()
    assert not folder.path.exists()
