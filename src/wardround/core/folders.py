"""Folders that belong to the user."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where wardround keeps what it can make again: `$XDG_CACHE_HOME/wardround` or `~/.cache`'s."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "wardround"
