"""An ambiguous task from a clear one, the ambiguities put into it, and what follows."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.follow_ups import FollowUp, state_test
from wardround.authoring.interact.ambiguities.proposals import Proposal, ambiguous, clash
from wardround.benchmarks.interact.tasks import (
    Conditions,
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)

# Transitions whose second step only shows after the first.
_CHAINED = ("user-user", "user-environment-user")


def assembled(
    task: ClearTask, proposals: Sequence[Proposal], after: FollowUp | None
) -> InteractTask:
    """The task with ambiguities, and with what follows.

    Order and doubled rows count where that is what is unclear.
    """
    made = after.made if after else ""
    keeping = f" Keep the result as a table {made}." if made else ""
    request = ambiguous(task.request, proposals) + keeping
    first = Subtask(
        request,
        "DM" if made else task.category,
        (after.first,) if after and made else task.gold,
        (state_test(after, task.gold[0]),) if after and made else task.tests,
        _conditions(task.conditions, proposals),
        knowledge=task.knowledge,
    )
    hidden = InteractHidden(
        task.request + keeping,
        first,
        _second(after, task) if after else None,
        tuple(one.ambiguity() for one in in_file_order(proposals)),
    )
    return interact_task(task.id, InteractPublic(request, task.database), hidden)


def in_file_order(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Sorts proposals as a task file has them: intent, others, masks."""
    return sorted(proposals, key=lambda one: (one.knowledge is not None, not one.critical))


def chosen(proposals: Sequence[Proposal], task: ClearTask, most: int) -> tuple[Proposal, ...]:
    """Proposals that go together, links of a chain first, then types that are not there yet.

    Args:
        proposals: The worded ones are chosen from.
        task: The clear task.
        most: The most proposals.
    """
    taken: list[Proposal] = []
    linked, alone = _units(proposals)
    for unit in (*linked, *sorted(alone, key=lambda unit: not unit[0].said)):
        kinds = {one.kind for one in taken}
        fits = not any(_against(one, each, task) for one in unit for each in taken)
        fresh = all(one.worded and one.kind not in kinds for one in unit)
        if fresh and fits and len(taken) + len(unit) <= most:
            taken += unit
    return tuple(taken)


def _units(
    proposals: Sequence[Proposal],
) -> tuple[list[tuple[Proposal, ...]], list[tuple[Proposal, ...]]]:
    """Pairs that are one chain, and the rest, of which none is seen without the other."""
    in_chain = [one for one in proposals if one.transition in _CHAINED]
    pairs: list[tuple[Proposal, ...]] = [
        (outer, inner) for outer, inner in pairwise(in_chain) if outer.said and not inner.said
    ]
    return pairs, [(one,) for one in proposals if one.transition not in _CHAINED]


def _against(one: Proposal, other: Proposal, task: ClearTask) -> bool:
    overlap = one.fragment in other.fragment or other.fragment in one.fragment
    return overlap or clash(one, other, task.request)


def _conditions(found: Conditions, proposals: Iterable[Proposal]) -> Conditions:
    kinds = {one.kind for one in proposals}
    return replace(
        found, order=found.order or "sort" in kinds, distinct=found.distinct or "distinct" in kinds
    )


def _second(after: FollowUp, task: ClearTask) -> Subtask:
    return Subtask(
        after.request,
        after.category,
        (after.gold,),
        follow_up=after.kind,
        knowledge=task.knowledge,
    )
