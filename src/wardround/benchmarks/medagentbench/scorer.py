"""Scores a trial from the verdicts of both graders."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from wardround.benchmarks.kit.agent_texts import as_json
from wardround.benchmarks.medagentbench.declaration import GRADINGS, STRICT
from wardround.benchmarks.medagentbench.environment import ENDED, WRITE
from wardround.benchmarks.medagentbench.tasks import MedTask
from wardround.benchmarks.medagentbench.transcript_grader import (
    agent_messages,
    final_result,
    notes,
)
from wardround.core.benchmark import Score
from wardround.core.capabilities import Explanation
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class MedMeasures:
    """Measures of a trial.

    Attributes:
        finished: the agent ended with answers.
        round_limit: it used all of its messages.
        invalid: messages that were none of the protocol's.
        writes: writes that the record took.
        refused: writes that the record refused.
        not_r4: writes that it took although they are no valid R4.
    """

    finished: bool
    round_limit: bool
    invalid: int
    writes: int
    refused: int
    not_r4: int = 0


def score(task: MedTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The grades of a trial."""
    passed = {name: any(v.passed for v in verdicts if v.item == name) for name in GRADINGS}
    failed = next((v.reason for v in verdicts if v.item == STRICT and not v.passed), "")
    rewards = {name: float(value) for name, value in passed.items()}
    return Score(passed, rewards, failed, asdict(_measures(trajectory)))


def explanation(task: MedTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
    """The instruction, the gold, and the agent's writes and answers."""
    gold = next((v.evidence for v in verdicts if v.item == STRICT), "")
    attempt = {
        "writes": [text for text in agent_messages(trajectory) if "POST" in text],
        "not R4": [defect for note in notes(trajectory, WRITE) for defect in note["defects"]],
        "answers": final_result(trajectory),
    }
    reasons = [f"{v.item}: {v.reason}" for v in verdicts if not v.passed]
    return Explanation(task.public.text, gold, as_json(attempt), "\n".join(reasons))


def _measures(trajectory: Trajectory) -> MedMeasures:
    writes = notes(trajectory, WRITE)
    written = [note["status"] == 201 for note in writes]
    ends = [note.get("reason") for note in notes(trajectory, ENDED)]
    return MedMeasures(
        finished="finished" in ends,
        round_limit="round limit" in ends,
        invalid=len(notes(trajectory, "invalid")),
        writes=sum(written),
        refused=len(written) - sum(written),
        not_r4=sum(note["status"] == 201 and bool(note["defects"]) for note in writes),
    )
