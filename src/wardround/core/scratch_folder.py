"""Temporary folders, removed by a later process if theirs was killed."""

import fcntl
import os
import shutil
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import TracebackType
from typing import Self

PREFIX = ".wardround-scratch-"


class ScratchFolder:
    """A temporary folder, locked while in use.

    Args:
        parent: The folder to create it in; by default the system's temporary folder.
    """

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or Path(gettempdir())
        remove_abandoned(parent)
        while True:
            self._folder = TemporaryDirectory(dir=parent, prefix=PREFIX, ignore_cleanup_errors=True)
            self.path = Path(self._folder.name)
            self._lock = _lock(self.path, wait=True)
            # Another process may have removed it before it was locked.
            if self.path.exists():
                break

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Removes the folder."""
        self.close()

    def close(self) -> None:
        """Removes the folder with its content; idempotent."""
        empty_folder(self.path)
        self._folder.cleanup()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


@cache
def remove_abandoned(parent: Path | None = None) -> None:
    """Removes the scratch folders of killed processes from a folder, once per process.

    Args:
        parent: The folder that contains them; by default the system's temporary folder.
    """
    for folder in (parent or Path(gettempdir())).glob(f"{PREFIX}*"):
        if (lock := _lock(folder, wait=False)) >= 0:
            empty_folder(folder)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def empty_folder(folder: Path) -> None:
    """Removes the contents of a folder at any depth, inaccessible folders included.

    Inner folders are moved up before they are emptied, since their paths may be too long to name.
    """
    numbers = count()
    with suppress(OSError):  # what cannot be removed stays
        while entries := list(folder.iterdir()):
            for entry in entries:
                if not _is_removed(entry):
                    for inner in entry.iterdir():
                        if not _is_removed(inner):
                            inner.rename(folder / f"{PREFIX}{next(numbers)}")
                    entry.rmdir()


def _is_removed(path: Path) -> bool:
    """Removes a file; makes a folder accessible instead and returns False."""
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return True
    path.chmod(0o700)
    return False


def _lock(folder: Path, *, wait: bool) -> int:
    """A descriptor that locks a folder; -1 if it is in use, missing or another user's."""
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return -1
    try:
        fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_uid != os.geteuid():
            raise PermissionError
    except OSError:
        os.close(lock)
        return -1
    return lock
