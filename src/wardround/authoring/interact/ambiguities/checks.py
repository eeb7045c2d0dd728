"""Checks that a task is unsolvable without clarification and reconstructable with it (H.1)."""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from wardround.authoring.findings import Finding
from wardround.authoring.interact.ambiguities.knowledge import telling_values
from wardround.authoring.interact.ambiguities.mutation import (
    all_misread,
    holes,
    misread,
    occurs,
    reconstructed,
)
from wardround.authoring.interact.ambiguities.spoken_values import given_away
from wardround.benchmarks.interact.declaration import MODES, Mode
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.ehr.knowledge import KnowledgeBase, with_dependencies
from wardround.people.clarifying.candidates import meaning_in_words
from wardround.people.clarifying.secret import Ambiguity

Judged: TypeAlias = Literal["right", "wrong", "fails"]
Judge: TypeAlias = Callable[[str, Mode], Judged]

NECESSARY = "unsolvable without"
COMPLETE = "reconstructable with"

# The published comparison removes these from both results, so only strict grading applies.
_STRICT_ONLY = {"decimal", "distinct"}


def check_task(task: InteractTask, base: KnowledgeBase, judge: Judge) -> tuple[Finding, ...]:
    """Runs both checks of a task.

    Args:
        task: the task.
        base: the unmasked knowledge base of its database.
        judge: grades statements on its database.
    """
    needless = unsolvable_without(task, judge)
    incomplete = reconstructable_with(task, base, judge)
    return (
        *(Finding(task.id, NECESSARY, term, problem) for term, problem in needless),
        *(Finding(task.id, COMPLETE, term, problem) for term, problem in incomplete),
    )


def unsolvable_without(task: InteractTask, judge: Judge) -> Iterator[tuple[str, str]]:
    """Yields the terms of ambiguities that need no clarification, with the problem."""
    gold = gold_of(task)
    for point in task.hidden.ambiguities:
        if not point.otherwise or not point.fragments:
            yield point.term, "it has no other reading"
            continue
        readings = [misread(gold, point.fragments[0], reading) for reading in point.otherwise]
        judged = [judged_otherwise(reading, point.kind, judge) for reading in readings]
        for reading, verdict in zip(point.otherwise, judged, strict=True):
            if verdict == "fails":
                yield point.term, f"its other reading {_short(reading)} does not run"
        if set(judged) == {"right"}:
            yield point.term, "every other reading is right too"


def judged_otherwise(sql: str, kind: str, judge: Judge) -> Judged:
    """Judges an alternative reading in the mode that distinguishes it from the gold."""
    verdict = judge(sql, "paper")
    return judge(sql, "strict") if verdict == "right" and kind in _STRICT_ONLY else verdict


def reconstructable_with(
    task: InteractTask, base: KnowledgeBase, judge: Judge
) -> Iterator[tuple[str, str]]:
    """Yields the terms of ambiguities whose clarification is insufficient, with the problem."""
    gold = gold_of(task)
    for point in task.hidden.ambiguities:
        yield from ((point.term, problem) for problem in _incomplete(point, task, gold))
        if point.knowledge is not None:
            reasons = _unneeded(point.knowledge, task, base)
            yield from ((point.term, problem) for problem in reasons)
    parts = holes(gold, task.hidden.ambiguities)
    # Test programs are the same in both modes.
    modes: tuple[Mode, ...] = ("paper",) if task.hidden.first.tests else MODES
    if judge(all_misread(parts), modes[-1]) == "right":
        yield "", "it is right with every ambiguity read otherwise"
    for mode in modes:
        if judge(reconstructed(parts), mode) != "right":
            yield "", f"it is not right in {mode} mode with every ambiguity cleared up"


def gold_of(task: InteractTask) -> str:
    """Returns the gold statements of the first request as one text."""
    return ";\n".join(statement.rstrip().rstrip(";") for statement in task.hidden.first.gold)


def _incomplete(point: Ambiguity, task: InteractTask, gold: str) -> Iterator[str]:
    if not point.fragments:
        yield "no fragment of the gold clears it up"
    elif not meaning_in_words(point):
        yield "its fragment cannot be put into words; give it a meaning"
    for fragment in point.fragments:
        if not occurs(fragment, gold):
            yield f"the fragment {_short(fragment)} is not in the gold"
    if leaked := given_away(point, task.public.request):
        yield f"the request says {', '.join(leaked)}, which it should hide"


def _unneeded(knowledge: int, task: InteractTask, base: KnowledgeBase) -> Iterator[str]:
    """The reasons why a task does not need a masked entry of the knowledge base."""
    entry = base.entries.get(knowledge)
    if entry is None:
        yield "the knowledge base has no such entry"
        return
    if entry.id not in with_dependencies(base, task.hidden.first.knowledge):
        yield "nothing that the task needs is built on the masked entry"
    values = telling_values(entry)
    if values and not any(occurs(value, gold_of(task)) for value in values):
        yield "nothing that the masked entry's definition tells is in the gold"


def _short(sql: str) -> str:
    flat = " ".join(sql.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}…"
