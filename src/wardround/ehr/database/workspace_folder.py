"""Folders for copies of databases; what a killed process left behind is removed by the next."""

import fcntl
import os
import shutil
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp

_PREFIX = "wardround-workspace-"


class WorkspaceFolder:
    """A folder that this process holds locked, so that no other takes it for left behind."""

    def __init__(self) -> None:
        remove_left_behind()
        self.path, self._lock = _locked_folder()

    def remove(self) -> None:
        """Remove it with all that is in it; removing it twice is fine."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = None


@cache
def remove_left_behind() -> None:
    """Remove this user's folders that no process holds; once a process is enough."""
    for folder in Path(gettempdir()).glob(f"{_PREFIX}*"):
        if folder.is_dir() and folder.stat().st_uid == os.geteuid():
            _remove_if_free(folder)


def _locked_folder() -> tuple[Path, int | None]:
    """A new folder and its lock; another process may have removed it before it was locked."""
    while True:
        path = Path(mkdtemp(prefix=_PREFIX))
        lock = _lock(path)
        if lock is not None and path.exists():
            return path, lock
        if lock is not None:
            os.close(lock)


def _remove_if_free(folder: Path) -> None:
    lock = _lock(folder)
    if lock is not None:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """The descriptor that locks a folder; None if another process holds it or it is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
