"""Guard questions about the secrets of tasks, and a simulated user's accuracy on them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import orjson
from sqlglot import exp

from wardround.authoring.interact.declaration import GuardOptions
from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.tasks import load_tasks, shipped_tasks
from wardround.core.benchmark import Summary
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text, read_toml
from wardround.core.private_files import open_private
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models.roles import Models
from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.gold_parser import parse_fragment
from wardround.people.clarifying.guard import (
    STYLES,
    Category,
    GuardQuestion,
    Outcome,
    accuracy,
    judged,
    parse_guard,
    read_guard,
    recorded,
    referenced,
    users_of,
)
from wardround.people.clarifying.names import readable_name
from wardround.people.clarifying.plain_words import listed
from wardround.people.clarifying.secret import Ambiguity, Located, Secret

JUDGES = ("judge", "second_judge")


async def guard_user(
    options: GuardOptions, models: Models, record: Callable[[Requested], None]
) -> Summary:
    """Asks a simulated user guard questions and counts right replies (Huo et al. 2025, O).

    Two judges rate the replies if both have a model; otherwise the user's choice of action is
    compared with the reference, which needs a user that chooses one.

    Args:
        options: the user, its tasks, and the questions.
        models: the roles "user", "judge" and "second_judge".
        record: called with each request to a model.

    Raises:
        UserError: a file cannot be read or already exists, or a model is missing.
        InfraError: a model fails.
    """
    suite = load_tasks(options.tasks) if options.tasks else shipped_tasks()
    secrets = {task.id: secret_of(task, "") for task in suite.tasks}
    questions = _questions(options, secrets)[: options.limit]
    user = users_of(options.simulator, secrets, models, record, options.seed)
    judges = [
        model.bind(role, record, derive_seed(options.seed, role))
        for role in JUDGES
        if (model := models.find(role))
    ]
    has_judges = len(judges) == len(JUDGES)
    answered = judged(questions, user, judges) if has_judges else referenced(questions, user)
    outcomes = []
    with _writer(options.replies) as write:
        async for outcome in answered:
            write(outcome)
            outcomes.append(outcome)
    return Summary({"guard": accuracy(outcomes, options.simulator)})


def _questions(options: GuardOptions, secrets: Mapping[str, Secret]) -> list[GuardQuestion]:
    if options.questions:
        return read_guard(options.questions)
    return guard_set(secrets, options.seed) if options.tasks else shipped_guard()


@contextmanager
def _writer(replies: Path | None) -> Iterator[Callable[[Outcome], None]]:
    """Opens a new file and yields a function that appends outcomes as lines."""
    if replies is None:
        yield lambda outcome: None
        return
    try:
        file = open_private(replies, "xb")
    except OSError as error:
        why = "already exists" if isinstance(error, FileExistsError) else "cannot be written"
        raise UserError(f"{replies} {why}; name a new file with --replies.") from None
    with file:

        def write(outcome: Outcome) -> None:
            file.write(orjson.dumps(recorded(outcome), option=orjson.OPT_APPEND_NEWLINE))
            file.flush()

        yield write


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
        yield from _guard_questions(task, "UNA", _wordings("refused")[theme], random)


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
    return _guard_questions(task, "AMB", lines, random, reference=term, term=term)


def _located(task: str, candidate: Candidate, random: Random) -> Iterator[GuardQuestion]:
    lines = _wordings("located")[candidate.aspects[0]]
    fragment = candidate.choice.fragment if isinstance(candidate.choice, Located) else ""
    return _guard_questions(task, "LOC", lines, random, reference=fragment, about=_about(fragment))


def _about(fragment: str) -> str:
    """The columns of a fragment in plain words; for an assignment, its target."""
    trees = [tree.this if isinstance(tree, exp.EQ) else tree for tree in parse_fragment(fragment)]
    columns = [column for tree in trees for column in tree.find_all(exp.Column)]
    return listed(readable_name(column.name) for column in columns) or "it"


def _guard_questions(
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
