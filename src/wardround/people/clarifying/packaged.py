"""The packaged patterns of questions and wordings of replies."""

import re
from functools import cache
from typing import Any

from wardround.core.packaged_data import any_of, read_lines, read_toml


def packaged(name: str) -> dict[str, Any]:
    """A packaged TOML file's content."""
    return read_toml("wardround.people.clarifying", f"{name}.toml")


@cache
def packaged_lines(file: str) -> tuple[str, ...]:
    """The lines of a packaged text file that are no comments."""
    return tuple(read_lines("wardround.people.clarifying", file))


@cache
def pattern(file: str, *names: str) -> re.Pattern[str]:
    """Any of the patterns of a list in a packaged file, named by its path.

    >>> bool(pattern("aspects", "decimal", "sure").search("To how many digits?"))
    True
    """
    found: Any = packaged(file)
    for name in names:
        found = found.get(name, [])
    return any_of(found, re.IGNORECASE | re.DOTALL)


def sounding_like(text: str) -> list[str]:
    """The aspects that a text surely speaks of, whoever says it.

    >>> sounding_like("As a percentage, with one decimal.")
    ['decimal', 'percentage']
    """
    return [one for one in packaged("aspects") if pattern("aspects", one, "sure").search(text)]
