"""The packaged patterns of questions and wordings of replies."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def packaged(name: str) -> dict[str, Any]:
    """A packaged TOML file's content."""
    folder = files("wardround.people.clarifying")
    return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def packaged_lines(file: str) -> tuple[str, ...]:
    """The lines of a packaged text file that are no comments."""
    text = (files("wardround.people.clarifying") / file).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def pattern(file: str, *names: str) -> re.Pattern[str]:
    """Any of the patterns of a list in a packaged file, named by its path.

    >>> bool(pattern("aspects", "decimal", "sure").search("To how many digits?"))
    True
    """
    found: Any = packaged(file)
    for name in names:
        found = found.get(name, [])
    return any_of(found)


def any_of(patterns: Sequence[str]) -> re.Pattern[str]:
    """One pattern for several; none match nothing."""
    return re.compile(
        "|".join(f"(?:{one})" for one in patterns) or r"(?!)", re.IGNORECASE | re.DOTALL
    )


def sounding_like(text: str) -> list[str]:
    """The aspects that a text surely speaks of, whoever says it.

    >>> sounding_like("As a percentage, with one decimal.")
    ['decimal', 'percentage']
    """
    return [one for one in packaged("aspects") if pattern("aspects", one, "sure").search(text)]
