"""Locations of databases: a file's path, or a URL that belongs to an engine."""

from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.url_passwords import remember_passwords


def is_url(location: str) -> bool:
    """True if a location is an engine's URL rather than a file's path.

    >>> is_url("postgresql:ward"), is_url("data/ward.sqlite"), is_url("./postgresql:ward")
    (True, False, False)
    """
    return ":" in location.partition("/")[0]


def absolute_location(location: str) -> str:
    """The location as an absolute path, or a URL without its password, which is remembered."""
    if not is_url(location):
        return str(Path(location).expanduser().absolute())
    return remember_passwords(location)


def check_readable(path: Path) -> None:
    """Refuses a path whose opening waits for another process, or reads a device.

    Raises:
        UserError: the path is a pipe, a socket or a device.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UserError(f"{path} is a pipe, a socket or a device; name a file or a folder.")
