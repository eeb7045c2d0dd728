"""The two checks of an ambiguous task: unsolvable without clarification, whole with it (H.1)."""

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from wardround.authoring.findings import Finding
from wardround.authoring.interact.ambiguities.hidden_terms import given_away
from wardround.authoring.interact.ambiguities.knowledge import telling
from wardround.authoring.interact.ambiguities.mutation import (
    all_misread,
    holes,
    misread,
    occurs,
    reconstructed,
)
from wardround.benchmarks.interact.declaration import MODES, Mode
from wardround.benchmarks.interact.grader import Grader
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.ehr.database import Workspace
from wardround.ehr.database.postgres.statements import Start
from wardround.ehr.knowledge import KnowledgeBase, with_dependencies
from wardround.people.clarifying.candidates import meaning_in_words
from wardround.people.clarifying.secret import Ambiguity

Judged: TypeAlias = Literal["right", "wrong", "fails"]
Judge: TypeAlias = Callable[[str, Mode], Judged]

NECESSARY = "unsolvable without"
COMPLETE = "reconstructable with"

# The published comparison takes these out of both results, so that only the strict one sees them.
_STRICT_ONLY = {"decimal", "distinct"}


def judge_of(task: InteractTask, grader: Grader, workspace: Workspace, seconds: float) -> Judge:
    """Judges statements that are submitted for a task's first request.

    Args:
        task: The task.
        grader: Grades.
        workspace: A database of the task's, to be written to.
        seconds: The deadline of each statement.
    """
    start = Start(workspace, task.hidden.before, seconds)

    def judge(sql: str, mode: Mode) -> Judged:
        start.restore()
        verdict = grader.grade(task.hidden.first, sql, start, mode)
        if verdict.passed:
            return "right"
        return "wrong" if verdict.outcome in ("wrong", "empty") else "fails"

    return judge


def check_task(task: InteractTask, base: KnowledgeBase, judge: Judge) -> tuple[Finding, ...]:
    """Runs both checks of a task.

    Args:
        task: The task.
        base: Its database's knowledge, nothing masked.
        judge: Judges statements on its database.
    """
    without = ((NECESSARY, *found) for found in unsolvable_without(task, judge))
    whole = ((COMPLETE, *found) for found in reconstructable_with(task, base, judge))
    return tuple(Finding(task.id, *found) for found in (*without, *whole))


def unsolvable_without(task: InteractTask, judge: Judge) -> Iterator[tuple[str, str]]:
    """The terms that need no clarification, with the reason."""
    gold = gold_of(task)
    for one in task.hidden.ambiguities:
        if not one.otherwise or not one.fragments:
            yield one.term, "it has no other reading"
            continue
        readings = [misread(gold, one.fragments[0], reading) for reading in one.otherwise]
        judged = [judged_otherwise(reading, one.kind, judge) for reading in readings]
        for reading, found in zip(one.otherwise, judged, strict=True):
            if found == "fails":
                yield one.term, f"its other reading {_short(reading)} does not run"
        if set(judged) == {"right"}:
            yield one.term, "every other reading is right too"


def judged_otherwise(sql: str, kind: str, judge: Judge) -> Judged:
    """Judges an alternative reading in the mode that can tell it from the gold."""
    found = judge(sql, "paper")
    return judge(sql, "strict") if found == "right" and kind in _STRICT_ONLY else found


def reconstructable_with(
    task: InteractTask, base: KnowledgeBase, judge: Judge
) -> Iterator[tuple[str, str]]:
    """The terms and problems that keep the gold from being found after clarification."""
    gold = gold_of(task)
    for one in task.hidden.ambiguities:
        yield from ((one.term, problem) for problem in _incomplete(one, task, gold))
        if one.knowledge is not None:
            yield from ((one.term, problem) for problem in _unneeded(one, task, base))
    parts = holes(gold, task.hidden.ambiguities)
    # Programs that check the state are the same in both modes.
    modes: tuple[Mode, ...] = ("paper",) if task.hidden.first.tests else MODES
    if judge(all_misread(parts), modes[-1]) == "right":
        yield "", "it is right with every ambiguity read otherwise"
    for mode in modes:
        if judge(reconstructed(parts), mode) != "right":
            yield "", f"it is not right in {mode} mode with every ambiguity cleared up"


def gold_of(task: InteractTask) -> str:
    """The statements that carry out the first request, as one text."""
    return ";\n".join(statement.rstrip().rstrip(";") for statement in task.hidden.first.gold)


def _incomplete(one: Ambiguity, task: InteractTask, gold: str) -> Iterator[str]:
    if not one.fragments:
        yield "no fragment of the gold clears it up"
    elif not meaning_in_words(one):
        yield "its fragment cannot be put into words; give it a meaning"
    for fragment in one.fragments:
        if not occurs(fragment, gold):
            yield f"the fragment {_short(fragment)} is not in the gold"
    if said := given_away(one, task.public.request):
        yield f"the request says {', '.join(said)}, which it should hide"


def _unneeded(one: Ambiguity, task: InteractTask, base: KnowledgeBase) -> Iterator[str]:
    entry = base.entries.get(one.knowledge) if one.knowledge is not None else None
    if entry is None:
        yield "the knowledge base has no such entry"
        return
    if entry.id not in with_dependencies(base, task.hidden.first.knowledge):
        yield "nothing that the task needs is built on the masked entry"
    telling_parts = telling(entry)
    if telling_parts and not any(occurs(value, gold_of(task)) for value in telling_parts):
        yield "nothing that the masked entry's definition tells is in the gold"


def _short(sql: str) -> str:
    flat = " ".join(sql.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}…"
