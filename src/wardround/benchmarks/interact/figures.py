"""Figures of actions and of success, only here: reports and comparisons of runs share them."""

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
from wardround.benchmarks.kit.figures import (
    TurnRow,
    actions_taken,
    number_figure,
    share_figure,
    turn_curve,
    turn_rows,
)
from wardround.benchmarks.kit.groups import listed_values
from wardround.benchmarks.kit.tables import percent
from wardround.core.figures import Bars, Curve, Figure
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
    taken = {name: actions_of(group) for name, group in acting.items()}
    names = actions(acting.values())
    notes = tuple(
        f"P1 {percent(success(group, first)):g}, P2 {percent(success(group, second)):g}"
        for group in acting.values()
    )
    return {
        "figure_11": share_figure("Actions (Figures 10 and 11)", taken, names, notes),
        "figure_12": number_figure("Actions per trial (Figure 12)", taken, names),
    }


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
    return turn_curve(f"Actions by turn{of and f', {of}'} (Figure 13)", turns(trials), TURNS)


def turns(trials: InteractTrials) -> list[TurnRow]:
    """Each turn with the number of trials that reach it and the percent of each of `TURNS`."""
    kinds = [[a if a in TURNS else _LOOKS_UP for a in names] for names in actions_of(trials)]
    return turn_rows(kinds, TURNS)


def actions(groups: Iterable[InteractTrials]) -> list[str]:
    """The actions that were taken: the nine by price list, then agents' own."""
    return actions_taken(map(actions_of, groups), PRICES)


def actions_of(trials: InteractTrials) -> list[tuple[str, ...]]:
    """The actions of each trial."""
    return [trial.measures.actions for trial in trials]


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
