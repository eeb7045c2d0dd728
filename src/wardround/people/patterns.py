"""Loads the scripted user's packaged phrases and patterns."""

import re
from functools import cache
from typing import Any

from wardround.core.packaged_data import any_of, read_toml


def packaged(name: str) -> dict[str, Any]:
    """Reads a packaged TOML file."""
    return read_toml("wardround.people", f"{name}.toml")


@cache
def pattern(file: str, name: str) -> re.Pattern[str]:
    """Compiles a pattern of a packaged file; a list matches any of its members."""
    given = packaged(file)[name]
    return any_of([given] if isinstance(given, str) else given)


@cache
def rewrites(name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Compiles the grammar's rewrite rules of a kind, as pairs of pattern and replacement."""
    pairs = packaged("grammar")[name]
    return tuple((re.compile(pair["pattern"], re.IGNORECASE), pair["words"]) for pair in pairs)


def content_words(text: str) -> frozenset[str]:
    """Returns the content words of a text, lower-cased and in the singular.

    >>> sorted(content_words("Which tests do you mean, the patient's Hb values of 2100?"))
    ['2100', 'hb', 'patient', 'test', 'value']
    """
    tokens = re.findall(r"[a-z0-9]+(?:[-.][a-z0-9]+)*", text.lower().replace("'s ", " "))
    stop = packaged("words")["stop"]
    return frozenset(_singular(t) for t in tokens if len(t) > 1 and t not in stop)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
