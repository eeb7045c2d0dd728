"""The words that an interview is read by, and what was said in it."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_BREAK = re.compile(r"(?<=[.!?;])\s+|(?<=;)")


@dataclass(frozen=True, slots=True)
class Said:
    """What the user said.

    Attributes:
        topic: What was asked about, as `questions.toml` names it; "request" and "change" where
            nothing was asked.
        text: The words.
        about: The words of the request that the question was about.
    """

    topic: str
    text: str
    about: str = ""

    @property
    def sentences(self) -> Iterator[str]:
        """Its sentences and their halves."""
        yield from (one.strip(" ;") for one in _BREAK.split(self.text) if one.strip(" ;"))


@cache
def wording() -> dict[str, Any]:
    """The file of wordings, as it is."""
    return tomllib.loads(files(__package__).joinpath("wording.toml").read_text("utf-8"))


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


def says(name: str, text: str) -> bool:
    """Whether a text says one of the phrases of `wording.toml`.

    >>> says("counted", "How many are there?"), says("refused", "Sorry, I cannot tell you that.")
    (True, True)
    """
    return bool(_pattern(wording()["phrases"][name]).search(text))


def named(section: str, text: str) -> str:
    """The first entry of a section whose pattern a text has; "" for none.

    >>> named("aggregates", "the average age"), named("qualities", "older than 80")
    ('AVG', 'age')
    """
    entries: dict[str, str] = wording()[section]
    return next((name for name, said in entries.items() if _pattern(said).search(text)), "")


def listed(section: str, key: str, text: str, *, whole: bool = False) -> Iterator[str]:
    """Under `key`, what is said of a text, or of the whole of it, by the entries of a list.

    >>> list(listed("things", "noun", "patients"))
    ['patient']
    """
    for entry in wording()[section]:
        pattern = _pattern(entry["said"])
        if pattern.fullmatch(text) if whole else pattern.search(text):
            yield entry[key]
