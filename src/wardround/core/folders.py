"""Folders that belong to the user."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where wardround keeps what it can make again: `$XDG_CACHE_HOME/wardround` or `~/.cache`'s."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "wardround"


def data_folder() -> Path:
    """Where wardround keeps what a user stored in it: `$XDG_DATA_HOME/wardround` or `~/.local`'s.

    Root's is `/var/lib/wardround`, which a server that runs as a lesser user can reach.
    """
    home = os.environ.get("XDG_DATA_HOME")
    if home is None and os.geteuid() == 0:
        return Path("/var/lib/wardround")
    return Path(home or Path.home() / ".local/share") / "wardround"
