r"""Reads data files packaged beside a module: text, TOML, TSV, JSON Lines and patterns.

Lines that are empty or begin with `#` are left out of TSV, JSON Lines and lists.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any


def read_text(package: str, name: str) -> str:
    """The text of a file.

    Args:
        package: the package that contains it, as in `__package__`.
        name: the file's name.
    """
    return (files(package) / name).read_text(encoding="utf-8")


@cache
def read_toml(package: str, name: str) -> dict[str, Any]:
    """The content of a TOML file; cached, so it must not be modified."""
    return tomllib.loads(read_text(package, name))


def read_lines(package: str, name: str) -> Iterator[str]:
    """The lines of a list."""
    lines = read_text(package, name).splitlines()
    return (line for line in lines if line and not line.startswith("#"))


def read_rows(package: str, name: str) -> Iterator[list[str]]:
    """The rows of a TSV file without its header."""
    lines = read_lines(package, name)
    next(lines)
    return (line.split("\t") for line in lines)


def read_records(package: str, name: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    return (json.loads(line) for line in read_lines(package, name))


def split_cell(cell: str) -> tuple[str, ...]:
    """The parts of a cell, separated by semicolons.

    >>> split_cell("a; b"), split_cell("")
    (('a', 'b'), ())
    """
    return tuple(cell.split("; ")) if cell else ()


def any_of(patterns: Iterable[str], flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """A pattern that matches any of several; with none, it matches nothing.

    >>> bool(any_of(["ab", "c"]).fullmatch("AB")), bool(any_of([]).search(""))
    (True, False)
    """
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns) or r"(?!)", flags)
