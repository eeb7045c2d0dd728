"""Loads packaged word lists, patterns of SQL and reply wordings."""

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

    >>> bool(pattern("sql_text", "code").search("DELETE FROM patients"))
    True
    """
    patterns: Any = packaged(file)
    for name in names:
        patterns = patterns.get(name, [])
    return any_of(patterns, re.IGNORECASE | re.DOTALL)
