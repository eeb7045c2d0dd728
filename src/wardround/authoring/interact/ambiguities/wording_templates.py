"""Wording templates of ambiguities, the words of requests that tell them, and names as words."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def template(kind: str, name: str, value: str = "") -> str:
    """A template of a type, with its value filled in.

    >>> template("divide by zero", "value", "0")
    'Where there is nothing to divide by, it counts as 0.'
    """
    text: str = wordings()[kind][name]
    return text.replace("{value}", value) if value else text


def told(kind: str, request: str) -> str:
    """The words of a request that tell an implementation; "" where it does not say it.

    >>> told("decimal", "Give the mean age, rounded to two decimals, for each unit.")
    ', rounded to two decimals'
    """
    for pattern in wordings()[kind]["told"]:
        if found := re.search(pattern, request, re.IGNORECASE):
            return found[0]
    return ""


def in_words(name: str) -> str:
    """A column's name as words.

    >>> in_words("a.admission_type")
    'admission type'
    """
    return name.rpartition(".")[2].strip('"').replace("_", " ").lower()


@cache
def wordings() -> dict[str, Any]:
    """The file of templates, as it is."""
    text = (files(__package__) / "wording.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def vague() -> dict[str, Any]:
    """The file of loose words, as it is."""
    text = (files(__package__) / "vague.toml").read_text("utf-8")
    return tomllib.loads(text)
