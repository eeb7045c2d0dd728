"""Assembles an ambiguous task from a clear one, ambiguities and a follow-up."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.follow_ups import FollowUp
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous, clash
from wardround.authoring.interact.task_writer import in_file_order
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)

# Transitions whose second step only shows after the first.
_CHAINED = ("user-user", "user-environment-user")


def assembled(
    task: ClearTask, proposals: Sequence[Proposal] = (), follow_up: FollowUp | None = None
) -> InteractTask:
    """The task with ambiguities and a follow-up.

    The order of rows, or repeated rows, count if the request is ambiguous about them.
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
    """The request whose result is stored as a table, which the follow-up reads."""
    return replace(
        first,
        request=f"{first.request} Keep the result as a table {follow_up.made}.",
        category="DM",
        gold=(follow_up.first,),
        tests=(state_test(follow_up, first.gold[0]),),
    )


def state_test(follow_up: FollowUp, query: str) -> str:
    """A program that checks the table that the first request makes.

    Args:
        follow_up: A state-dependent follow-up.
        query: The first request's question as it was.
    """
    return "\n".join(
        (
            "def test_case(pred_sqls, sol_sqls, db_name, conn):",
            f"    wanted = execute_queries({query!r}, db_name, conn)[0]",
            "    execute_queries(pred_sqls, db_name, conn)",
            f'    found = execute_queries("SELECT * FROM {follow_up.made}", db_name, conn)[0]',  # noqa: S608
            "    assert found is not None",
            "    assert sorted(map(repr, found)) == sorted(map(repr, wanted))",
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
    """Proposals that go together: chains first, then one of each type that is not there yet.

    Args:
        proposals: The worded ones are chosen from.
        task: The clear task.
        most: The most proposals.
    """
    result: list[Proposal] = []
    alone = [(each,) for each in proposals if each.transition not in _CHAINED]
    for unit in (*_pairs(proposals), *sorted(alone, key=lambda unit: not unit[0].said)):
        kinds = {each.kind for each in result}
        fits = not any(_conflict(new, each, task) for new in unit for each in result)
        fresh = all(each.worded and each.kind not in kinds for each in unit)
        if fresh and fits and len(result) + len(unit) <= most:
            result += unit
    return tuple(result)


def _pairs(proposals: Sequence[Proposal]) -> list[tuple[Proposal, ...]]:
    """The two proposals of each chain."""
    chained = [each for each in proposals if each.transition in _CHAINED]
    return [(outer, inner) for outer, inner in pairwise(chained) if outer.said and not inner.said]


def _conflict(first: Proposal, second: Proposal, task: ClearTask) -> bool:
    overlap = first.fragment in second.fragment or second.fragment in first.fragment
    return overlap or clash(first, second, task.first.request)
