"""Hearing what is to be found: how many, which, when, how high."""

import re
from dataclasses import replace

from wardround.agents.keyword.patterns import GoalPattern, goals, meaning
from wardround.agents.keyword.request import Goal
from wardround.agents.keyword.times import number


def hear_goal(text: str, before: Goal | None) -> Goal | None:
    """The goal after a turn: a newly said one, unless it is weak and there was one before.

    >>> goal = hear_goal("how many patients were there", None)
    >>> goal.shape, goal.of
    ('count', 'patient')
    """
    found = next((heard for heard in (_heard(p, text) for p in goals()) if heard), None)
    if found is None or (before is not None and not before.weak and found.weak):
        return before
    if before is not None and found.weak and before.shape == "list" and found.shape == "exists":
        return replace(found, of=before.of)
    if before is not None and found.shape == before.shape and found.which == "all":
        found = replace(found, which=before.which)
    if before is not None and not found.of:
        return replace(found, of=before.of if before.of not in ("patient", "") else "")
    return found


def _heard(pattern: GoalPattern, text: str) -> Goal | None:
    match = pattern.say.search(text)
    return _read(pattern.goal, match) if match else None


def _read(goal: Goal, match: re.Match[str]) -> Goal:
    said = {name: words for name, words in match.groupdict().items() if words}
    kind = meaning("kinds", said.get("kind", said.get("kind2", "")))
    which = meaning("which", said.get("which", said.get("which2", "")))
    top = number(said["n"]) if "n" in said else goal.top
    return replace(goal, of=goal.of or kind, which=which or goal.which, top=top)
