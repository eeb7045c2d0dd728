"""Moves databases' URLs and passwords out of what other programs can read of a process.

Every program of the same account can read a process's arguments and first environment, where they
stay as they were typed. On Linux they are overwritten in the memory of the process; elsewhere only
the arguments that the program itself sees are changed.
"""

import os
import re
import sys
from pathlib import Path

from wardround.core.url_passwords import remember_any_password, remember_passwords

_DATABASE = re.compile(r"(?s)(?P<name>[^:/]*=)?(?P<url>postgres(?:ql)?://(?P<rest>.*))")
_PASSWORD_VARIABLE = "PGPASSWORD"  # noqa: S105 - the name of a variable
# Fields of /proc/self/stat after the name of the program: the addresses of arguments and of the
# environment.
_ARGUMENTS, _ENVIRONMENT = slice(45, 47), slice(47, 49)


def hide_databases() -> None:
    """Hides the URLs of databases among the arguments, and passwords there and in `PGPASSWORD`."""
    for position, argument in enumerate(sys.argv[1:], start=1):
        if found := _DATABASE.fullmatch(argument):
            sys.argv[position] = (found["name"] or "") + remember_passwords(found["url"])
            _overwrite(_ARGUMENTS, found["rest"].encode(errors="surrogateescape"))
    if password := os.environ.pop(_PASSWORD_VARIABLE, None):
        remember_any_password(password)
        _overwrite(_ENVIRONMENT, os.fsencode(password))


def _overwrite(fields: slice, text: bytes) -> None:
    """Overwrites a text in the memory that /proc shows (Linux)."""
    stat = Path("/proc/self/stat")
    if not text or not stat.is_file():
        return
    import ctypes

    start, end = map(int, stat.read_bytes().rpartition(b") ")[2].split()[fields])
    content = ctypes.string_at(start, end - start) if start else b""
    at = content.find(text)
    while at >= 0:
        ctypes.memset(start + at, ord("*"), len(text))
        at = content.find(text, at + len(text))
