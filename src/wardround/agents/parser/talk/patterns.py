"""The patterns of phrases.toml, compiled and cached."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from wardround.agents.parser.talk.request import StatedGoal
from wardround.core.packaged_data import read_toml
from wardround.ehr.text.cues import negation_pattern
from wardround.ehr.text.dates import MONTH_NAMES


@dataclass(frozen=True, slots=True)
class GoalPattern:
    """A pattern of a goal."""

    say: re.Pattern[str]
    goal: StatedGoal


@dataclass(frozen=True, slots=True)
class MentionPattern:
    """A pattern of a mention; `only` must match its words."""

    say: re.Pattern[str]
    kind: str
    column: str = "name"
    only: re.Pattern[str] | None = None
    negated: bool = False


@cache
def phrase(name: str) -> re.Pattern[str]:
    """A pattern by its name."""
    return _filled(_document()[name])


@cache
def word_pattern(name: str) -> re.Pattern[str]:
    """A pattern of the table `words`."""
    return re.compile(_document()["words"][name])


@cache
def word_patterns(table: str) -> Mapping[str, re.Pattern[str]]:
    """The word patterns of `kinds`, `which`, `cues` or `vitals`, by meaning."""
    return {name: re.compile(wording) for name, wording in _document()[table].items()}


def bounds() -> Mapping[str, str]:
    """Patterns of limits by their operators, with {number} for the number."""
    limits: Mapping[str, str] = _document()["bounds"]
    return limits


def meaning_of(table: str, wording: str) -> str:
    """The meaning of a word: `meaning_of("kinds", "meds")` is "drug"; empty if unknown."""
    return next((name for name, p in word_patterns(table).items() if p.fullmatch(wording)), "")


@cache
def goal_patterns() -> tuple[GoalPattern, ...]:
    """All patterns of goals; earlier ones take precedence."""
    return tuple(_goal(dict(row)) for row in _document()["goals"])


@cache
def mention_patterns(table: str) -> tuple[MentionPattern, ...]:
    """All patterns of mentions, from the table `mentions` or `facts`."""
    return tuple(_mention(dict(row)) for row in _document()[table])


def _goal(row: dict[str, Any]) -> GoalPattern:
    return GoalPattern(_filled(row.pop("say")), StatedGoal(**row))


def _mention(row: dict[str, Any]) -> MentionPattern:
    only = row.pop("only", None)
    return MentionPattern(_filled(row.pop("say")), only=re.compile(only) if only else None, **row)


def _filled(wording: str) -> re.Pattern[str]:
    """Compile a pattern with its placeholders filled in; a placeholder may occur twice."""
    words = _document()["words"]
    wording = wording.replace("{negation}", negation_pattern())
    wording = wording.replace("{month}", "|".join(MONTH_NAMES).lower())
    wording = wording.replace("{words}", words["words"].replace("{stop}", words["stop"]))
    for name, table in (("kind", "kinds"), ("which", "which")):
        either = "|".join(_document()[table].values())
        wording = wording.replace(f"{{{name}}}", f"(?P<{name}>{either})", 1)
        wording = wording.replace(f"{{{name}}}", f"(?P<{name}2>{either})", 1)
    return re.compile(wording)


def _document() -> Mapping[str, Any]:
    return read_toml("wardround.agents.parser.talk", "phrases.toml")
