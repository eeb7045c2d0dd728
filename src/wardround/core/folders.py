"""The user's folders, and files in them that are built on first use."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from wardround.core.private_files import make_folder, open_private, put_in_place
from wardround.core.scratch_folder import ScratchFolder


def cache_folder() -> Path:
    """The folder for reproducible files, in `$XDG_CACHE_HOME` or `~/.cache`."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "wardround"


def data_folder() -> Path:
    """The folder for the user's data, in `$XDG_DATA_HOME` or `~/.local/share`.

    For root it is `/var/lib/wardround`, which a server under another user can reach.
    """
    home = os.environ.get("XDG_DATA_HOME")
    if home is None and os.geteuid() == 0:
        return Path("/var/lib/wardround")
    return Path(home or Path.home() / ".local/share") / "wardround"


def state_folder() -> Path:
    """The folder for the user's state, in `$XDG_STATE_HOME` or `~/.local/state`."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(home) / "wardround"


def build_once(path: Path, build: Callable[[Path], object]) -> Path:
    """A reproducible file, built on first use by one process while others wait for it.

    Args:
        path: The file. Its name changes with its content.
        build: Writes it to a path in a new folder, which is removed afterwards.
    """
    if path.exists():
        return path
    make_folder(path.parent)
    lock = path.with_name(f".{path.name}.lock")
    with open_private(lock, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            if not path.exists():
                with ScratchFolder(path.parent) as scratch:
                    new = scratch.path / path.name
                    build(new)
                    put_in_place(new, path)
        finally:
            # A process that waits for the file, or makes it again, looks for it once more.
            lock.unlink(missing_ok=True)
    return path
