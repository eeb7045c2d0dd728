"""BIRD-Interact's figures of one run or of several: what agents do, and where they succeed."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean

from wardround.benchmarks.interact.kinds import in_order
from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.kit.tables import Groups, Trials, percent
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.core.record import TrialRecord

FIRST, SECOND = "first", "second"

# Figure 13's groups of actions; whatever else there is looks something up.
_LOOKS_UP = "look up"
TURNS = (_LOOKS_UP, "ask", "execute", "submit")

# Figure 15's words for the two types of masked knowledge (K).
_GAPS = {"one-shot": "linear", "chain": "higher-order"}


def of_actions(groups: Groups) -> dict[str, Figure]:
    """Which actions are taken (Figures 10 to 12); nothing where none is.

    Args:
        groups: Scored trials by the name that the figures give them.
    """
    acting = {name: group for name, group in groups.items() if _names(group)}
    if not acting:
        return {}
    return {"figure_11": _shares(acting), "figure_12": _per_trial(acting)}


def of_success(groups: Groups) -> dict[str, Figure]:
    """Success of the first request by type of ambiguity (Figure 14) and of gap (Figure 15)."""
    kinds = in_order(kind for group in groups.values() for kind in parts(group, "ambiguities"))
    found = {
        "figure_14": _success("Success by ambiguity (Figure 14)", "Ambiguity", groups, kinds),
        "figure_15": _success(
            "Success by masked knowledge (Figure 15)", "Masked knowledge", groups, tuple(_GAPS)
        ),
    }
    return {name: bars for name, bars in found.items() if any(map(_known, bars.series.values()))}


def by_turn(scored: Trials, of: str = "") -> Curve:
    """Which share of the trials that last so long does what at each turn (Figure 13).

    Args:
        scored: Trials that count.
        of: What the title calls them.
    """
    rows = turns(scored)
    lines = {
        name: tuple((float(turn), found[place]) for turn, _, *found in rows)
        for place, name in enumerate(TURNS)
        if any(found[place] for _, _, *found in rows)
    }
    title = f"Actions by turn{of and f', {of}'} (Figure 13)"
    return Curve(title, "turn", "trials that go on, %", lines)


def turns(scored: Trials) -> list[tuple[int, int, *tuple[float, ...]]]:
    """For each turn how many trials get there, and in percent what they do, as `TURNS` has it."""
    counted: dict[int, Counter[str]] = defaultdict(Counter)
    for trial in scored:
        for name in trial.measures:
            if name.startswith("turn "):
                _, turn, action = name.split(" ", 2)
                counted[int(turn)][action if action in TURNS else _LOOKS_UP] += 1
    return [
        (turn, found.total(), *(percent(found[name] / found.total()) for name in TURNS))
        for turn, found in sorted(counted.items())
    ]


def mean(group: Trials, measure: str) -> float:
    """A measure's mean over trials, 0 where a trial has none."""
    return fmean(trial.measures.get(measure, 0.0) for trial in group)


def parts(trials: Iterable[TrialRecord], label: str) -> list[str]:
    """What a label lists, of all trials together."""
    found = (trial.labels.get(label, "").split(", ") for trial in trials)
    return [part for one in found for part in one if part]


def with_part(group: Trials, label: str, part: str) -> list[TrialRecord]:
    """The trials whose label lists a part."""
    return [trial for trial in group if part in parts([trial], label)]


def actions(groups: Iterable[Trials]) -> list[str]:
    """The actions that were taken: the nine by price list, then agents' own."""
    found = {name for group in groups for name in _names(group)}
    return [name for name in PRICES if name in found] + sorted(found - PRICES.keys())


def taken(trials: Iterable[TrialRecord], action: str) -> float:
    """How often an action was taken."""
    return sum(trial.measures.get(f"action {action}", 0.0) for trial in trials)


def share(group: Trials, action: str) -> float:
    """An action's share of all that were taken, from 0 to 1."""
    total = sum(taken(group, name) for name in _names(group))
    return taken(group, action) / total if total else 0.0


def _names(group: Trials) -> set[str]:
    measured = {name for trial in group for name in trial.measures}
    return {name.removeprefix("action ") for name in measured if name.startswith("action ")}


def _shares(groups: Groups) -> Shares:
    return Shares(
        "Actions (Figures 10 and 11)",
        "Action",
        "share of actions, %",
        tuple(groups),
        {
            name: tuple(percent(share(group, name)) for group in groups.values())
            for name in actions(groups.values())
        },
        tuple(
            f"P1 {percent(mean(group, FIRST)):g}, P2 {percent(mean(group, SECOND)):g}"
            for group in groups.values()
        ),
    )


def _per_trial(groups: Groups) -> Cells:
    rows = {
        name: tuple(round(taken(group, name) / len(group), 2) for group in groups.values())
        for name in actions(groups.values())
    }
    return Cells("Actions per trial (Figure 12)", "Action", "times a trial", tuple(groups), rows)


def _success(title: str, kind: str, groups: Groups, kinds: tuple[str, ...]) -> Bars:
    names = tuple(_GAPS.get(name, name) if kind != "Ambiguity" else name for name in kinds)
    series = {
        name: tuple(_first(with_part(group, "ambiguities", each)) for each in kinds)
        for name, group in groups.items()
    }
    return Bars(title, kind, "first requests carried out, %", names, series)


def _first(group: Trials) -> float | None:
    return percent(mean(group, FIRST)) if group else None


def _known(found: tuple[float | None, ...]) -> bool:
    return any(value is not None for value in found)
