"""Assembles an ambiguous task from a clear one, ambiguities and a follow-up."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.follow_ups import HELD, FollowUp
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous, clash
from wardround.authoring.interact.task_writer import in_file_order
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)

# Transitions whose second ambiguity appears only after the first is resolved.
_CHAINED = ("user-user", "user-environment-user")


def assembled(
    task: ClearTask, proposals: Sequence[Proposal] = (), follow_up: FollowUp | None = None
) -> InteractTask:
    """Assembles a task with ambiguities and a follow-up.

    Grading checks the order of rows, or duplicate rows, if the request is ambiguous about them.
    """
    clear = _with_table(task.first, follow_up) if follow_up and follow_up.made else task.first
    suffix = clear.request.removeprefix(task.first.request)
    request = ambiguous(task.first.request, proposals) + suffix
    kinds = {proposal.kind for proposal in proposals}
    conditions = replace(
        clear.conditions,
        order=clear.conditions.order or "sort" in kinds,
        distinct=clear.conditions.distinct or "distinct" in kinds,
    )
    hidden = InteractHidden(
        clear.request,
        replace(clear, request=request, conditions=conditions),
        _second(follow_up, task.first.knowledge) if follow_up else None,
        in_file_order(proposal.ambiguity() for proposal in proposals),
    )
    return interact_task(task.id, InteractPublic(request, task.database), hidden)


def _with_table(first: Subtask, follow_up: FollowUp) -> Subtask:
    """The request changed to store its result in a table that the follow-up reads."""
    return replace(
        first,
        request=f"{first.request} Keep the result as a table {follow_up.made}.",
        category="DM",
        gold=(follow_up.first,),
        tests=(state_test(follow_up),),
    )


def state_test(follow_up: FollowUp) -> str:
    """Writes a test program for the table that the first request makes.

    The submission has run before it. The expected content of the table was read when the task was
    made, so a submission cannot change it through other tables.

    Args:
        follow_up: a state-dependent follow-up.
    """
    return "\n".join(
        (
            "def test_case(pred_sqls, sol_sqls, db_name, conn):",
            f"    held = {HELD.format(source=follow_up.made)!r}",
            "    found = execute_queries(held, db_name, conn)[0]",
            "    assert found is not None",
            f"    assert tuple(found[0]) == {follow_up.held}",
            "    return True",
        )
    )


def _second(follow_up: FollowUp, knowledge: tuple[int, ...]) -> Subtask:
    return Subtask(
        follow_up.request,
        follow_up.category,
        (follow_up.gold,),
        follow_up=follow_up.kind,
        knowledge=knowledge,
    )


def compatible(proposals: Sequence[Proposal], task: ClearTask, most: int) -> tuple[Proposal, ...]:
    """Chooses compatible proposals: chains first, then one of each remaining type.

    Args:
        proposals: the proposals, of which only worded ones are chosen.
        task: the clear task.
        most: the largest number of proposals.
    """
    result: list[Proposal] = []
    alone = [(each,) for each in proposals if each.transition not in _CHAINED]
    for unit in (*_pairs(proposals), *sorted(alone, key=lambda unit: not unit[0].said)):
        kinds = {each.kind for each in result}
        fits = not any(_conflict(new, chosen, task) for new in unit for chosen in result)
        usable = all(new.worded and new.kind not in kinds for new in unit)
        if usable and fits and len(result) + len(unit) <= most:
            result += unit
    return tuple(result)


def _pairs(proposals: Sequence[Proposal]) -> list[tuple[Proposal, ...]]:
    """The outer and inner proposals of each chain."""
    chained = [each for each in proposals if each.transition in _CHAINED]
    return [(outer, inner) for outer, inner in pairwise(chained) if outer.said and not inner.said]


def _conflict(first: Proposal, second: Proposal, task: ClearTask) -> bool:
    overlap = first.fragment in second.fragment or second.fragment in first.fragment
    return overlap or clash(first, second, task.first.request)
