"""Entry points and versions of installed packages, read from their metadata folders.

`importlib.metadata` supports more kinds of installation, but takes a tenth of the start-up time.
"""

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from wardround.core.errors import UserError

_INFO = re.compile(r"(?P<name>[^-]+)(-(?P<version>[^-]+).*)?\.(dist|egg)-info")
_GROUPS = "wardround."
_ENTRY = re.compile(r"(?P<name>[^=\s][^=]*?)\s*=\s*(?P<value>[\w.]+(?:\s*:\s*[\w.]+)?)")


class EntryPoint(NamedTuple):
    """An entry point: its name, its `module:attribute` and its group."""

    name: str
    value: str
    group: str


class _Package(NamedTuple):
    version: str
    folder: str


def installed_entry_points() -> tuple[EntryPoint, ...]:
    """Entry points for wardround; of a package installed twice, the first on the path counts."""
    return _entry_points(tuple(sys.path))


def installed_version(package: str) -> str:
    """The version of an installed package.

    Raises:
        KeyError: It is not installed.
    """
    return _packages(tuple(sys.path))[_normalized(package)].version


def refuse_compiled_sqlglot() -> None:
    """Refuse sqlglot's compiled form, whose parsers cannot be extended in Python.

    Each extended parser would raise a `TypeError`, which reads like an error in the query.

    Raises:
        UserError: It is installed.
    """
    if "sqlglotc" in _packages(tuple(sys.path)):
        raise UserError(
            "sqlglot's compiled form (sqlglotc) is installed, and wardround's parsers of SQL work "
            "only with the plain one; run `pip uninstall sqlglotc`."
        )


@cache
def _entry_points(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(
        point
        for package in _packages(path).values()
        for point in _read_entry_points(f"{package.folder}/entry_points.txt")
    )


@cache
def _packages(path: tuple[str, ...]) -> dict[str, _Package]:
    packages: dict[str, _Package] = {}
    for folder in path:
        for entry in _entries(folder or "."):
            if match := _INFO.fullmatch(entry.name):
                package = _Package(match["version"] or "", entry.path)
                packages.setdefault(_normalized(match["name"]), package)
    return packages


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """The entries of a folder; empty if it is missing, an archive, or not readable."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _normalized(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _read_entry_points(file: str) -> Iterator[EntryPoint]:
    """The entry points of a package's `entry_points.txt`; most packages have none."""
    try:
        text = Path(file).read_text("utf-8")
    except OSError:
        return
    if _GROUPS not in text:
        return
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[]").strip()
        elif not group.startswith(_GROUPS) or line.startswith(("#", ";")):
            continue
        elif match := _ENTRY.match(line):
            yield EntryPoint(match["name"], match["value"].replace(" ", ""), group)
