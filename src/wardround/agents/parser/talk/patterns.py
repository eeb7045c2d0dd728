"""The patterns of phrases.toml, compiled once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wardround.agents.parser.talk.request import Goal
from wardround.core.packaged_data import read_toml


@dataclass(frozen=True, slots=True)
class GoalPattern:
    """A way to say a goal."""

    say: re.Pattern[str]
    goal: Goal


@dataclass(frozen=True, slots=True)
class MentionPattern:
    """A way to name a thing; `only` must be in the words."""

    say: re.Pattern[str]
    kind: str
    column: str = "name"
    only: re.Pattern[str] | None = None
    negated: bool = False


@cache
def phrase(name: str) -> re.Pattern[str]:
    """A single pattern by its name."""
    return re.compile(_document()[name])


@cache
def about_words(name: str) -> re.Pattern[str]:
    """A pattern of the table `words`."""
    return re.compile(_document()["words"][name])


@cache
def words_for(table: str) -> Mapping[str, re.Pattern[str]]:
    """The word patterns of `kinds`, `which`, `cues` or `vitals`, by what they mean."""
    return {name: re.compile(said) for name, said in _document()[table].items()}


def bounds() -> Mapping[str, str]:
    """How limits are said, with {number} where the number stands, by their operators."""
    limits: Mapping[str, str] = _document()["bounds"]
    return limits


def meaning(table: str, said: str) -> str:
    """What a word means: `meaning("kinds", "meds")` is "drug"; empty when unknown."""
    return next((name for name, p in words_for(table).items() if p.fullmatch(said)), "")


@cache
def goals() -> tuple[GoalPattern, ...]:
    """All ways to say a goal, the strongest first."""
    return tuple(_goal(dict(row)) for row in _document()["goals"])


@cache
def mentions(table: str) -> tuple[MentionPattern, ...]:
    """All ways to name a thing, of `mentions` or `facts`."""
    return tuple(_mention(dict(row)) for row in _document()[table])


def _goal(row: dict[str, Any]) -> GoalPattern:
    return GoalPattern(_filled(row.pop("say")), Goal(**row))


def _mention(row: dict[str, Any]) -> MentionPattern:
    only = row.pop("only", None)
    return MentionPattern(_filled(row.pop("say")), only=re.compile(only) if only else None, **row)


def _filled(said: str) -> re.Pattern[str]:
    """The pattern with its placeholders filled; a name used twice counts where it matched."""
    words = _document()["words"]
    said = said.replace("{words}", words["words"].replace("{stop}", words["stop"]))
    for name, table in (("kind", "kinds"), ("which", "which")):
        either = "|".join(_document()[table].values())
        said = said.replace(f"{{{name}}}", f"(?P<{name}>{either})", 1)
        said = said.replace(f"{{{name}}}", f"(?P<{name}2>{either})", 1)
    return re.compile(said)


def _document() -> Mapping[str, Any]:
    return read_toml("wardround.agents.parser.talk", "phrases.toml")
