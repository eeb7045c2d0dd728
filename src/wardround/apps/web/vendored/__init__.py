"""Files of others that pages need, served by this machine; `SOURCES.md` has where they are from."""

from importlib.resources import files
from pathlib import Path

from fastapi.staticfiles import StaticFiles


def vendored_files() -> StaticFiles:
    """The files as an application to mount."""
    return StaticFiles(directory=Path(str(files(__package__))))
