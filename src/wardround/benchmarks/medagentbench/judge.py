"""Judges a trial by the published grader and by a strict one; golds come from the record."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass

from wardround.benchmarks.kit.agent_texts import as_json
from wardround.benchmarks.medagentbench.declaration import GRADINGS, PAPER
from wardround.benchmarks.medagentbench.references import Golds
from wardround.benchmarks.medagentbench.state_grader import strict_failure
from wardround.benchmarks.medagentbench.tasks import MedTask
from wardround.benchmarks.medagentbench.transcript_grader import paper_failure
from wardround.core.benchmark import JudgeContext
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import State, Verdict, program_source, state_of, verdict_key

_VERSION = 2


@dataclass(frozen=True, slots=True)
class Graders:
    """The golds of a task, computed from the record that it was played on."""

    golds_of: Callable[[MedTask], Golds]


async def verdicts(
    task: MedTask, trajectory: Trajectory, graders: Graders, context: JudgeContext
) -> AsyncIterator[Verdict]:
    """Yields the verdict of each grading's grader, with the golds as evidence.

    The strict verdict is undecided where the record cannot be read.
    """
    golds = await to_thread(graders.golds_of, task)
    gold = as_json(asdict(golds))
    events = as_json([asdict(event) for event in trajectory.events])
    for grading in GRADINGS:
        state, failure = _decided(grading, trajectory, golds)
        key = verdict_key(grading, _VERSION, gold, events)
        source = program_source(grading)
        yield Verdict(grading, source, state, reason=failure, key=key, evidence=gold)


def _decided(grading: str, trajectory: Trajectory, golds: Golds) -> tuple[State, str]:
    """A grader's decision and its reason.

    The published grader fails on a record that it cannot read; the strict verdict is undecided.
    """
    if grading == PAPER:
        failure = paper_failure(trajectory, golds.paper) if golds.paper else golds.reason
    elif golds.strict:
        failure = strict_failure(trajectory, golds.strict)
    else:
        return "undecided", golds.reason
    return state_of(not failure), failure
