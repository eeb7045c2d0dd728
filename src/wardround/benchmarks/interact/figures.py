"""BIRD-Interact's figures: what agents do turn by turn, and success by kind of ambiguity."""

from collections import Counter, defaultdict
from statistics import fmean

from wardround.benchmarks.interact.kinds import in_order
from wardround.core.benchmark import Curve
from wardround.scoring.summaries import Trials, percent

# Figure 13's groups of actions; whatever else there is looks something up.
_GROUPS = {"execute": "execute", "ask": "ask", "submit": "submit"}
_LOOKS_UP = "look up"


def actions_by_turn(scored: Trials) -> Curve:
    """Which share of the trials that last so long does what at each turn (Figure 13)."""
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    for trial in scored:
        for name in trial.measures:
            if name.startswith("turn "):
                _, turn, action = name.split(" ", 2)
                counted[int(turn)][_GROUPS.get(action, _LOOKS_UP)] += 1
    groups = [*_GROUPS.values(), _LOOKS_UP]
    lines = {
        group: tuple(
            (float(turn), percent(found[group] / found.total()))
            for turn, found in sorted(counted.items())
        )
        for group in groups
        if any(found[group] for found in counted.values())
    }
    return Curve("Actions by turn", "turn", "trials, %", lines)


def success_by_kind(scored: Trials) -> Curve:
    """Success of the first request by how many kinds of ambiguity it has (Figure 14)."""
    by_number: dict[int, list[float]] = defaultdict(list)
    for trial in scored:
        kinds = in_order(part for part in trial.labels.get("ambiguities", "").split(", ") if part)
        by_number[len(kinds)].append(trial.measures.get("first", 0.0))
    points = tuple((float(n), percent(fmean(found))) for n, found in sorted(by_number.items()))
    lines = {"first request": points} if len(points) > 1 else {}
    return Curve("Success by kinds of ambiguity", "kinds of ambiguity", "trials, %", lines)
