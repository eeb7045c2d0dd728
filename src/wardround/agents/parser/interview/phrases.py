"""The phrases that an interview is read by."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def says(what: str, text: str) -> bool:
    """Whether a text says something that `phrases.toml` has a pattern of.

    >>> says("counted", "How many are there?"), says("refused", "Sorry, I cannot tell you that.")
    (True, True)
    """
    return bool(re.search(_file()["said"][what], text, re.IGNORECASE))


def aggregate(text: str) -> str:
    """The function of SQL that a text names; "" for none.

    >>> aggregate("the average age"), aggregate("the age")
    ('AVG', '')
    """
    found = (
        name for name, said in _file()["aggregates"].items() if re.search(said, text, re.IGNORECASE)
    )
    return next(found, "")


@cache
def small_words() -> frozenset[str]:
    """Words that hold a sentence together."""
    return frozenset(_file()["words"]["small"].split())


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("phrases.toml").read_text("utf-8"))
