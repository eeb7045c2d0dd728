"""BIRD-Interact's figures: what agents do turn by turn, and success by kind of ambiguity."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

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


def scaling(runs: Sequence[tuple[Mapping[str, Any], Trials]]) -> dict[str, Curve]:
    """Success of the first request over the user's patience, a line an agent and room (Figure 4).

    A run with nothing left to ask is a level line; one that was given another's questions and
    answers (Figure 5) has a line of its own.
    """
    found: dict[str, dict[float, float]] = defaultdict(dict)
    patiences = sorted({float(settings["patience"]) for settings, _ in runs})
    for settings, trials in runs:
        scored = [trial for trial in trials if trial.outcome.scored]
        if scored:
            success = percent(fmean(trial.measures.get("first", 0.0) for trial in scored))
            level = settings["mode"] == "clear"
            for patience in patiences if level else [float(settings["patience"])]:
                found[_line(settings)][patience] = success
    lines = {name: tuple(sorted(points.items())) for name, points in found.items()}
    title = "Success of the first request by patience"
    return {"figure_4": Curve(title, "patience", "trials, %", lines)} if lines else {}


def _line(settings: Mapping[str, Any]) -> str:
    grafted = " grafted" if settings.get("graft") else ""
    return f"{settings['agent']} {settings['mode']}{grafted}"
