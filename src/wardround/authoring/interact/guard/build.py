"""Makes guard questions for any tasks, from their ambiguities and gold (BIRD-Interact, O.1)."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from sqlglot import exp

from wardround.authoring.interact.guard.model import STYLES, Category, GuardQuestion
from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.gold_parser import piece
from wardround.people.clarifying.model import Ambiguity, Located, Secret
from wardround.people.clarifying.names import spoken
from wardround.people.clarifying.plain_words import listed


def guard_set(secrets: Mapping[str, Secret], seed: int = 0, each: int = 1) -> list[GuardQuestion]:
    """Questions of all three categories in all three styles for each task.

    Args:
        secrets: What the tasks' users know, by the tasks' ids.
        seed: Of the choice of what is asked and of the words.
        each: How many points of each category are asked about for each task, as far as it has
            so many; each in all three styles.
    """
    return [
        question
        for task, secret in secrets.items()
        for question in _of_task(task, secret, Random(f"{seed} {task}"), each)
    ]


def _of_task(task: str, secret: Secret, random: Random, each: int) -> Iterator[GuardQuestion]:
    known = candidates(secret)
    located = _told_apart(known)
    for ambiguity in _some(secret.ambiguities, random, each):
        yield from _labelled(task, ambiguity, random)
    for candidate in _some(located, random, each):
        yield from _located(task, candidate, random)
    for theme in _some(sorted(_wordings()["refused"]), random, each):
        yield from _asked(task, "UNA", _wordings()["refused"][theme], random)


def _some(found: Sequence[Any], random: Random, most: int) -> list[Any]:
    return random.sample(list(found), min(most, len(found)))


def _told_apart(known: Sequence[Candidate]) -> list[Candidate]:
    """Pieces that nothing else can be taken for: of an aspect that the task has only once."""
    aspects = [aspect for one in known for aspect in one.aspects]
    return [
        one
        for one in known
        if isinstance(one.choice, Located)
        and aspects.count(one.aspects[0]) == 1
        and one.aspects[0] in _wordings()["located"]
    ]


def _labelled(task: str, ambiguity: Ambiguity, random: Random) -> Iterator[GuardQuestion]:
    wordings = _wordings()["labelled"]
    lines = wordings.get(ambiguity.kind, wordings["meaning"])
    term = ambiguity.term
    return _asked(task, "AMB", lines, random, reference=term, term=term)


def _located(task: str, candidate: Candidate, random: Random) -> Iterator[GuardQuestion]:
    lines = _wordings()["located"][candidate.aspects[0]]
    fragment = candidate.choice.fragment if isinstance(candidate.choice, Located) else ""
    return _asked(task, "LOC", lines, random, reference=fragment, about=_about(fragment))


def _about(fragment: str) -> str:
    """The columns of a piece of SQL in plain words; of an assignment what is assigned to."""
    trees = [tree.this if isinstance(tree, exp.EQ) else tree for tree in piece(fragment)]
    columns = [column for tree in trees for column in tree.find_all(exp.Column)]
    return listed(spoken(column.name) for column in columns) or "it"


def _asked(
    task: str,
    category: Category,
    lines: Mapping[str, Sequence[str]],
    random: Random,
    reference: str = "",
    **blanks: str,
) -> Iterator[GuardQuestion]:
    for style in STYLES:
        question = random.choice(lines[style]).format(**blanks)
        question = question[:1].upper() + question[1:]
        yield GuardQuestion(task, category, style, question, reference)


@cache
def _wordings() -> dict[str, Any]:
    text = (files(__package__) / "wordings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
