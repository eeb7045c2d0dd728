"""Labelled training questions: general lines, and questions about tasks."""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.held_out_questions import contains
from tests.people.clarifying.secrets import secrets
from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.tasks import shipped_tasks
from wardround.people.clarifying.candidate_features import words_of_task
from wardround.people.clarifying.candidates import BY_KIND, Candidate, candidates
from wardround.people.clarifying.guard import GuardQuestion, matches, read_guard
from wardround.people.clarifying.leak_filter import checked_answer
from wardround.people.clarifying.questions.classifier import REFUSE
from wardround.people.clarifying.questions.features import (
    SUBJECT,
    TERM,
    Wording,
    stem,
    task_words,
    tokens,
    wording,
)
from wardround.people.clarifying.questions.text import expand_shorthand, normalized_question
from wardround.people.clarifying.secret import Answer, Labelled, Refused, Secret
from wardround.people.clarifying.template_replies import reply_to

ROOT = Path(__file__).parents[2]
LINES = Path(__file__).parent / "lines.txt"
HELD_OUT = ROOT / "tests/benchmarks/interact/held_out"
QUESTIONS = Path(__file__).parent / "questions.tsv"
WORDINGS = ROOT / "src/wardround/authoring/interact/guard/wordings.toml"
GUARD = ROOT / "tests/authoring/interact/guard/fixtures"
SECRETS = ROOT / "tests/people/clarifying/fixtures"
SOURCES = (
    LINES,
    QUESTIONS,
    WORDINGS,
    GUARD / "looked_at.jsonl",
    HELD_OUT / "dev.jsonl",
    SECRETS / "questions_building.jsonl",
    SECRETS / "secrets.toml",
)
# Questions about an ambiguous term by its name.
_NAMING = (
    'What do you mean by "{term}"?',
    "Could you tell me what {term} stands for?",
    'How should I understand "{term}" here?',
)
_SLOTS = {"things": SUBJECT, "thing": SUBJECT, "attr": SUBJECT, "value": SUBJECT} | {
    "term": TERM,
    "n": "5",
}


@dataclass(frozen=True)
class Line:
    """A question about no particular task, with its classes."""

    text: str
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Example:
    """A question about a task.

    Attributes:
        source: the name of its set.
        kind: "AMB", "LOC" or "UNA".
        question: the normalized question.
        secret: the task's secret.
        right: positions of the right candidates; the number of candidates stands for refusal.
    """

    source: str
    kind: str
    question: str
    secret: Secret
    right: frozenset[int]


def read_lines() -> Iterator[Line]:
    """Reads the general lines, with placeholders for their slots."""
    classes: tuple[str, ...] = ()
    for text in LINES.read_text(encoding="utf-8").splitlines():
        line = text.strip()
        if not line or line.startswith(("#", "---")):
            continue
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            classes = (name,) if name.startswith(REFUSE) else tuple(name.split())
        else:
            yield Line(line.format(**_SLOTS), classes)
    yield from _guard_lines()


def _guard_lines() -> Iterator[Line]:
    """Reads the wordings of the packaged guard set."""
    wordings = tomllib.loads(WORDINGS.read_text(encoding="utf-8"))
    for kind, styles in wordings["labelled"].items():
        for text in (text for texts in styles.values() for text in texts):
            yield Line(text.format(term=TERM), (BY_KIND.get(kind.replace("_", " "), "meaning"),))
    for aspect, styles in wordings["located"].items():
        for text in (text for texts in styles.values() for text in texts):
            yield Line(text.format(about=SUBJECT), (aspect,))


def frequencies(lines: list[Line]) -> Counter[str]:
    """Counts the lines with each stem."""
    return Counter(
        stem(token)
        for line in lines
        for token in set(tokens(line.text)) - {TERM, SUBJECT}
        if token[0].isalpha()
    )


def line_wording(line: Line, counts: Counter[str]) -> Wording:
    """Returns the wording of a general line."""
    return wording(line.text, task_words((), ()), counts)


def example_wording(example: Example, counts: Counter[str]) -> Wording:
    """Returns the wording of a question about a task."""
    words = words_of_task(example.secret)
    return wording(expand_shorthand(example.question), words, counts)


def read_examples() -> list[Example]:
    """Reads all training questions, which exclude `final.jsonl` and `unseen.jsonl`."""
    shipped = {task.id: secret_of(task, "") for task in shipped_tasks().tasks}
    building = read_guard(SECRETS / "questions_building.jsonl")
    looked_at = read_guard(GUARD / "looked_at.jsonl")
    rows = map(json.loads, (HELD_OUT / "dev.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        *(_guard_example("building", each, secrets()[each.task]) for each in building),
        *(_guard_example("looked_at", each, shipped[each.task]) for each in looked_at),
        *(_held_out_example(row, shipped[row["task"]]) for row in rows),
        *(_labelled_example(shipped[task], labels, text) for task, labels, text in _questions()),
        *(each for secret in shipped.values() for each in _naming_examples(secret)),
    ]


def _questions() -> Iterator[tuple[str, str, str]]:
    """Reads the labelled questions about the shipped tasks: task, labels and question."""
    for line in QUESTIONS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            task, labels, text = line.split("\t")
            yield task, labels, text


def _labelled_example(secret: Secret, labels: str, text: str) -> Example:
    wanted = labels.split(" || ")
    known = candidates(secret)
    right = {place for place, candidate in enumerate(known) if _label(candidate) in wanted}
    if "UNA" in wanted:
        right.add(len(known))
    question = normalized_question(text)
    return Example("questions", wanted[0][:3], question, secret, frozenset(right))


def _label(candidate: Candidate) -> str:
    if isinstance(candidate.choice, Labelled):
        return f"AMB:{candidate.choice.ambiguity.term}"
    return f"LOC:{candidate.aspects[0]} {' '.join(candidate.choice.fragment.split())}"


def _naming_examples(secret: Secret) -> Iterator[Example]:
    """Asks for the meaning of each ambiguous term."""
    for place, ambiguity in enumerate(secret.ambiguities):
        for text in _NAMING:
            question = text.format(term=ambiguity.term)
            yield Example("terms", "AMB", question, secret, frozenset({place}))


def classes_of(example: Example, reasons: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the aspects of the right candidates, or all reasons to refuse."""
    known = candidates(example.secret)
    if len(known) in example.right:
        return reasons
    return tuple(sorted({aspect for place in example.right for aspect in known[place].aspects}))


def _guard_example(source: str, row: GuardQuestion, secret: Secret) -> Example:
    question = normalized_question(row.question)
    choices = [*(candidate.choice for candidate in candidates(secret)), Refused()]
    right = [place for place, choice in enumerate(choices) if matches(row, Answer("", choice))]
    return Example(source, row.category, question, secret, frozenset(right))


def _held_out_example(row: dict[str, Any], secret: Secret) -> Example:
    """Labels the candidates that are named and tell the required facts, or do one of both."""
    question = normalized_question(row["question"])
    known = candidates(secret)
    named = frozenset(
        place
        for label in row["want"]
        for place, candidate in enumerate(known)
        if _is_named(label, question, candidate)
    )
    telling = frozenset(
        place
        for place, candidate in enumerate(known)
        if row["say"] and _tells(candidate, question, secret, row["say"])
    )
    refused = frozenset({len(known)} if "UNA" in row["want"] else ())
    return Example(
        "dev",
        row["want"][0][:3],
        question,
        secret,
        (named & telling or telling or named) | refused,
    )


def _is_named(label: str, question: str, candidate: Candidate) -> bool:
    kind, _, reference = label.partition(":")
    if kind == "AMB":
        row = GuardQuestion("", "AMB", "normal", question, reference)
    elif kind == "LOC":
        row = GuardQuestion("", "LOC", "normal", question, reference)
    else:
        return False
    return bool(matches(row, Answer("", candidate.choice)))


def _tells(candidate: Candidate, question: str, secret: Secret, parts: list[str]) -> bool:
    reply = reply_to(candidate.choice, question, secret)
    answer = checked_answer(reply, candidate.choice, question, secret, frozenset())
    return not answer.refused and all(contains(answer.text, part) for part in parts)
