"""Files and folders readable by their owner only, since they may contain patient data.

Existing files and folders keep their mode.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, EISDIR
from functools import partial
from pathlib import Path
from typing import IO, Any

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


def make_folder(folder: Path) -> None:
    """Creates a folder and its missing parents."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    folder.mkdir(exist_ok=True)  # fails if it is a file


def open_private(path: Path, mode: str, **options: Any) -> IO[Any]:
    """Opens a file, as `open` does."""
    return open(path, mode, opener=partial(os.open, mode=PRIVATE_FILE), **options)


def create_file(path: Path) -> None:
    """Creates an empty file if missing, for a library that opens it by its path.

    An existing file is not opened, since closing it drops the locks that SQLite holds on it for
    other connections of this process.

    Raises:
        OSError: the file cannot be created, or the existing one cannot be written.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE))
    except FileExistsError:
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path)) from None
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), str(path)) from None


@contextmanager
def private_umask() -> Iterator[None]:
    """Keeps files private that a library makes meanwhile; the umask is that of all threads."""
    before = os.umask(0o777 & ~PRIVATE_FOLDER)
    try:
        yield
    finally:
        os.umask(before)


def put_in_place(new: Path, path: Path) -> None:
    """Moves a finished file to its path atomically, replacing any existing file."""
    new.chmod(path.stat().st_mode & 0o777 if path.exists() else PRIVATE_FILE)
    new.replace(path)


def write_whole(path: Path, content: bytes) -> None:
    """Replaces a file's content atomically, creating the file if missing."""
    new = path.with_name(path.name + ".partial")
    new.unlink(missing_ok=True)
    try:
        with open_private(new, "wb") as file:
            file.write(content)
        put_in_place(new, path)
    finally:
        new.unlink(missing_ok=True)
