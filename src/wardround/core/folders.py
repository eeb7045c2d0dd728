"""The user's folders."""

import os
from pathlib import Path


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
