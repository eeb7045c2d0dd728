"""The score of a trial, from the verdicts on its submissions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wardround.benchmarks.interact.environments.questions import clarified
from wardround.benchmarks.interact.environments.submissions import submitted
from wardround.benchmarks.interact.environments.trial_state import source_of
from wardround.benchmarks.interact.rewards import FIRST_ALONE, STAGES
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.benchmark import Score
from wardround.core.trajectory import Called, Said, Trajectory
from wardround.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Try:
    """A submission: the request it was for, and its verdicts."""

    stage: str
    paper: Verdict
    strict: Verdict

    @property
    def passed_strictly(self) -> bool:
        """True if it passed in both modes."""
        return self.paper.passed and self.strict.passed


def score(task: InteractTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The reward of a trial as published and the strict one."""
    tries = _tries(trajectory, verdicts)
    paper = _earned(tries, [one.paper.passed for one in tries])
    strict = _earned(tries, [one.passed_strictly for one in tries])
    wanted = set(STAGES if task.hidden.second else STAGES[:1])
    whole = 1.0 if task.hidden.second else FIRST_ALONE
    return Score(
        {"paper": paper.keys() == wanted, "strict": strict.keys() == wanted},
        {"paper": _reward(paper, whole), "strict": _reward(strict, whole)},
        tries[-1].paper.reason if tries else "nothing was submitted",
        measures(task, tries, trajectory),
    )


def measures(task: InteractTask, tries: Sequence[Try], trajectory: Trajectory) -> dict[str, float]:
    """What the tables count beside rewards (Table 2, Figures 10 to 14), by name.

    `first` and `second` tell whether the request was carried out, with ` at once` where no second
    try was needed and ` strict` by the strict grader. `action NAME` is how often it was taken,
    `turn N NAME` which one a turn was. `cleared KIND` is how many ambiguities of a kind a question
    met, `ambiguities` how many there are, `leaks` what the user nearly gave away.
    """
    asked = list(clarified(trajectory))
    met = {one.term for one in asked if one.action == "AMB"}
    kinds = Counter(one.kind for one in task.hidden.ambiguities if one.term in met)
    taken = [name for event in trajectory.events if (name := _action(event))]
    return {
        **_of_request("first", tries),
        **(_of_request("second", tries) if task.hidden.second else {}),
        **{f"action {name}": float(count) for name, count in Counter(taken).items()},
        **{f"turn {turn} {name}": 1.0 for turn, name in enumerate(taken, start=1)},
        **{f"cleared {kind}": float(count) for kind, count in kinds.items()},
        "ambiguities": float(len(task.hidden.ambiguities)),
        "leaks": float(sum(one.leaks for one in asked)),
    }


def _of_request(stage: str, tries: Sequence[Try]) -> dict[str, float]:
    own = [one for one in tries if one.stage == stage]
    return {
        stage: float(any(one.paper.passed for one in own)),
        f"{stage} at once": float(bool(own) and own[0].paper.passed),
        f"{stage} strict": float(any(one.passed_strictly for one in own)),
    }


def _tries(trajectory: Trajectory, verdicts: Sequence[Verdict]) -> list[Try]:
    found = {(verdict.item, verdict.source): verdict for verdict in verdicts}
    paper, strict = source_of("paper"), source_of("strict")
    return [
        Try(one.stage, found[one.item, paper], found[one.item, strict])
        for one in submitted(trajectory)
    ]


def _earned(tries: Sequence[Try], passed: Sequence[bool]) -> dict[str, float]:
    """The points of each request that was carried out, those of the first try that did it."""
    done = [one for one, right in zip(tries, passed, strict=True) if right]
    return {one.stage: one.paper.points for one in reversed(done)}


def _reward(earned: Mapping[str, float], whole: float) -> float:
    return round(sum(earned.values()) / whole, 3)


def _action(event: object) -> str:
    """The action's name; a question that is simply said is one too."""
    if isinstance(event, Called):
        return event.tool
    return "ask" if isinstance(event, Said) and event.speaker == "agent" else ""
