"""Guard questions made from the ambiguities and gold of tasks (Huo et al. 2025, O.1)."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from sqlglot import exp

from wardround.core.packaged_data import read_text, read_toml
from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.gold_parser import parse_fragment
from wardround.people.clarifying.guard import STYLES, Category, GuardQuestion, parse_guard
from wardround.people.clarifying.names import readable_name
from wardround.people.clarifying.plain_words import listed
from wardround.people.clarifying.secret import Ambiguity, Located, Secret


def shipped_guard() -> list[GuardQuestion]:
    """Reads the shipped questions about the shipped tasks."""
    return parse_guard(read_text(__package__, "questions.jsonl"), "the shipped guard set")


def guard_set(secrets: Mapping[str, Secret], seed: int = 0, each: int = 1) -> list[GuardQuestion]:
    """Makes questions of all three categories in all three styles for each task.

    Args:
        secrets: the knowledge of each task's user, by task id.
        seed: the seed of all random choices.
        each: the largest number of questions per task, category and style.
    """
    return [
        question
        for task, secret in secrets.items()
        for question in _of_task(task, secret, Random(f"{seed} {task}"), each)
    ]


def _of_task(task: str, secret: Secret, random: Random, each: int) -> Iterator[GuardQuestion]:
    known = candidates(secret)
    located = _unmistakable(known)
    for ambiguity in _sample(secret.ambiguities, random, each):
        yield from _labelled(task, ambiguity, random)
    for candidate in _sample(located, random, each):
        yield from _located(task, candidate, random)
    for theme in _sample(sorted(_wordings("refused")), random, each):
        yield from _questions(task, "UNA", _wordings("refused")[theme], random)


def _sample(items: Sequence[Any], random: Random, most: int) -> list[Any]:
    return random.sample(list(items), min(most, len(items)))


def _unmistakable(known: Sequence[Candidate]) -> list[Candidate]:
    """The candidates whose aspect no other candidate of the task has."""
    aspects = [aspect for candidate in known for aspect in candidate.aspects]
    return [
        candidate
        for candidate in known
        if isinstance(candidate.choice, Located)
        and aspects.count(candidate.aspects[0]) == 1
        and candidate.aspects[0] in _wordings("located")
    ]


def _labelled(task: str, ambiguity: Ambiguity, random: Random) -> Iterator[GuardQuestion]:
    wordings = _wordings("labelled")
    lines = wordings.get(ambiguity.kind, wordings["meaning"])
    term = ambiguity.term
    return _questions(task, "AMB", lines, random, reference=term, term=term)


def _located(task: str, candidate: Candidate, random: Random) -> Iterator[GuardQuestion]:
    lines = _wordings("located")[candidate.aspects[0]]
    fragment = candidate.choice.fragment if isinstance(candidate.choice, Located) else ""
    return _questions(task, "LOC", lines, random, reference=fragment, about=_about(fragment))


def _about(fragment: str) -> str:
    """The columns of a fragment in plain words; for an assignment, its target."""
    trees = [tree.this if isinstance(tree, exp.EQ) else tree for tree in parse_fragment(fragment)]
    columns = [column for tree in trees for column in tree.find_all(exp.Column)]
    return listed(readable_name(column.name) for column in columns) or "it"


def _questions(
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


def _wordings(subject: str) -> dict[str, Any]:
    wordings: dict[str, Any] = read_toml(__package__, "wordings.toml")[subject]
    return wordings
