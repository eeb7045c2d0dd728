"""Locations of databases: a file's path, or a URL that belongs to an engine."""

from pathlib import Path
from urllib.parse import urlsplit

from wardround.core.errors import UserError


def is_url(location: str) -> bool:
    """True if a location is an engine's URL rather than a file's path.

    >>> is_url("postgresql:ward"), is_url("data/ward.sqlite"), is_url("./postgresql:ward")
    (True, False, False)
    """
    return ":" in location.partition("/")[0]


def absolute_location(location: str) -> str:
    """The location as an absolute path; a URL is unchanged.

    Raises:
        ValueError: A URL contains a password, which would be stored with it.
    """
    if not is_url(location):
        return str(Path(location).expanduser().absolute())
    if urlsplit(location).password:
        raise ValueError(
            "a URL with a password would be stored; put the password in PGPASSWORD or ~/.pgpass"
        )
    return location


def check_readable(path: Path) -> None:
    """Refuses a path whose opening waits for another process, or reads a device.

    Raises:
        UserError: the path is a pipe, a socket or a device.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UserError(f"{path} is a pipe, a socket or a device; name a file or a folder.")
