"""Lines of a patient's life, function and symptoms, as an answer to a physician says them."""

from collections.abc import Mapping
from functools import cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows
from wardround.ehr.text.language import Language

Part: TypeAlias = Literal[
    "home", "work", "tobacco", "alcohol", "walking", "help", "timing", "severity", "provocation",
    "reason",
]  # fmt: skip


def told_words(line: str, part: str, language: Language) -> str:
    """A line as an answer says it; "" if it is unknown.

    >>> told_words("lives alone", "home", "zh"), told_words("walks with a cane", "walking", "en")
    ('独居', 'walks with a cane')
    """
    english, chinese = _table().get((part, line), ("", ""))
    return english if language == "en" else chinese


def told_lines(part: Part) -> list[str]:
    """The known lines about a part."""
    return [line for each, line in _table() if each == part]


@cache
def _table() -> Mapping[tuple[str, str], tuple[str, str]]:
    rows = read_rows(__package__, "told_words.tsv")
    return {(part, line): (english, chinese) for part, line, english, chinese in rows}
