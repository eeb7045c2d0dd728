"""Loads packaged question patterns and reply wordings."""

import re
from functools import cache
from typing import Any

from wardround.core.packaged_data import any_of, read_lines, read_toml


def packaged(name: str) -> dict[str, Any]:
    """Reads a packaged TOML file."""
    return read_toml("wardround.people.clarifying", f"{name}.toml")


@cache
def packaged_lines(file: str) -> tuple[str, ...]:
    """Reads a packaged text file's lines, without comments."""
    return tuple(read_lines("wardround.people.clarifying", file))


@cache
def pattern(file: str, *names: str) -> re.Pattern[str]:
    """Joins a packaged list of patterns, named by its path in the file.

    >>> bool(pattern("aspects", "decimal", "sure").search("To how many digits?"))
    True
    """
    found: Any = packaged(file)
    for name in names:
        found = found.get(name, [])
    return any_of(found, re.IGNORECASE | re.DOTALL)


def sounding_like(text: str) -> list[str]:
    """Returns the aspects that a text certainly mentions.

    >>> sounding_like("As a percentage, with one decimal.")
    ['decimal', 'percentage']
    """
    return [
        aspect for aspect in packaged("aspects") if pattern("aspects", aspect, "sure").search(text)
    ]
