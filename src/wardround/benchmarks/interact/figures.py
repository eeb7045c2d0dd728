"""Figures of actions and of success, only here: reports and comparisons of runs share them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from wardround.benchmarks.interact.measures import (
    InteractTrial,
    InteractTrials,
    first,
    second,
    success,
)
from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.kit.groups import Cell, listed_values
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.people.clarifying.kinds import in_order

Groups: TypeAlias = Mapping[str, InteractTrials]

# Figure 13's groups of actions; all other actions look something up.
_LOOKS_UP = "look up"
TURNS = (_LOOKS_UP, "ask", "execute", "submit")

# Figure 15's words for the two types of masked knowledge (K).
_GAPS = {"one-shot": "linear", "chain": "higher-order"}

ambiguities = listed_values("ambiguities")


def of_actions(groups: Groups) -> dict[str, Figure]:
    """The actions taken (Figures 10 to 12); nothing if there are none.

    Args:
        groups: scored trials by the name that the figures give them.
    """
    acting = {name: group for name, group in groups.items() if actions([group])}
    if not acting:
        return {}
    return {"figure_11": _shares(acting), "figure_12": _per_trial(acting)}


def of_success(groups: Groups) -> dict[str, Figure]:
    """Success of the first request by type of ambiguity (Figure 14) and of gap (Figure 15)."""
    kinds = in_order(k for group in groups.values() for trial in group for k in ambiguities(trial))
    found = {
        "figure_14": _success(
            "Success by ambiguity (Figure 14)", "Ambiguity", groups, {kind: kind for kind in kinds}
        ),
        "figure_15": _success(
            "Success by masked knowledge (Figure 15)", "Masked knowledge", groups, _GAPS
        ),
    }
    return {name: bars for name, bars in found.items() if any(map(_known, bars.series.values()))}


def by_turn(trials: InteractTrials, of: str = "") -> Curve:
    """The shares of actions at each turn, over the trials that last so long (Figure 13).

    Args:
        trials: scored trials.
        of: their name in the title.
    """
    rows = turn_rows(trials)
    lines = {
        name: tuple((float(turn), found[place]) for turn, _, *found in rows)
        for place, name in enumerate(TURNS)
        if any(found[place] for _, _, *found in rows)
    }
    title = f"Actions by turn{of and f', {of}'} (Figure 13)"
    return Curve(title, "turn", "trials that go on, %", lines)


def turn_table(rows: Iterable[tuple[Cell, ...]], *columns: str) -> Table:
    """Figure 13 as a table.

    Args:
        rows: `turn_rows`, each after the cells of the columns.
        columns: the names of the cells before the turn.
    """
    return Table(
        "Actions by turn (Figure 13)",
        (*columns, "Turn", "Trials", *(name.capitalize() for name in TURNS)),
        tuple(rows),
        "Percent of the trials that go on so long.",
    )


def turn_rows(trials: InteractTrials) -> list[tuple[int, int, *tuple[float, ...]]]:
    """Each turn with the number of trials that reach it and the percent of each of `TURNS`."""
    longest = max((len(trial.measures.actions) for trial in trials), default=0)
    rows: list[tuple[int, int, *tuple[float, ...]]] = []
    for turn in range(longest):
        at_turn = [t.measures.actions[turn] for t in trials if len(t.measures.actions) > turn]
        counts = Counter(action if action in TURNS else _LOOKS_UP for action in at_turn)
        rows.append((turn + 1, len(at_turn), *(percent(counts[t] / len(at_turn)) for t in TURNS)))
    return rows


def actions(groups: Iterable[InteractTrials]) -> list[str]:
    """The actions that were taken: the nine by price list, then agents' own."""
    found = {name for group in groups for trial in group for name in trial.measures.actions}
    return [name for name in PRICES if name in found] + sorted(found - PRICES.keys())


def times_taken(trials: InteractTrials, action: str) -> int:
    """The number of times that an action was taken."""
    return sum(trial.measures.actions.count(action) for trial in trials)


def action_share(trials: InteractTrials, action: str) -> float:
    """An action's share of all that were taken, from 0 to 1."""
    total = sum(len(trial.measures.actions) for trial in trials)
    return times_taken(trials, action) / total if total else 0.0


def _shares(groups: Groups) -> Shares:
    return Shares(
        "Actions (Figures 10 and 11)",
        "Action",
        "share of actions, %",
        tuple(groups),
        {
            name: tuple(percent(action_share(group, name)) for group in groups.values())
            for name in actions(groups.values())
        },
        tuple(
            f"P1 {percent(success(group, first)):g}, P2 {percent(success(group, second)):g}"
            for group in groups.values()
        ),
    )


def _per_trial(groups: Groups) -> Cells:
    rows = {
        name: tuple(round(times_taken(group, name) / len(group), 2) for group in groups.values())
        for name in actions(groups.values())
    }
    return Cells("Actions per trial (Figure 12)", "Action", "times a trial", tuple(groups), rows)


def _success(title: str, kind: str, groups: Groups, names: Mapping[str, str]) -> Bars:
    series = {
        name: tuple(_first_request(group, each) for each in names) for name, group in groups.items()
    }
    return Bars(title, kind, "first requests carried out, %", tuple(names.values()), series)


def _first_request(trials: InteractTrials, kind: str) -> float | None:
    group = with_ambiguity(trials, kind)
    return percent(success(group, first)) if group else None


def with_ambiguity(trials: InteractTrials, kind: str) -> list[InteractTrial]:
    """The trials of tasks that have an ambiguity of a kind."""
    return [trial for trial in trials if kind in ambiguities(trial)]


def _known(found: tuple[float | None, ...]) -> bool:
    return any(value is not None for value in found)
