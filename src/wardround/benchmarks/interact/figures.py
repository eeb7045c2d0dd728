"""Figures of actions and of success; only here do reports and comparisons of runs share figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.interact.scorer import InteractMeasures, RequestMeasures
from wardround.benchmarks.kit.figures import (
    TurnRow,
    actions_taken,
    number_figure,
    share_figure,
    turn_curve,
    turn_rows,
)
from wardround.benchmarks.kit.groups import listed_values
from wardround.benchmarks.kit.measures import Measured
from wardround.benchmarks.kit.tables import percent
from wardround.core.figures import Bars, Curve, Figure
from wardround.people.clarifying.kinds import in_order

InteractTrial: TypeAlias = Measured[InteractMeasures]
InteractTrials: TypeAlias = Sequence[InteractTrial]
Groups: TypeAlias = Mapping[str, InteractTrials]
Request: TypeAlias = Callable[[InteractMeasures], RequestMeasures]

first: Request = attrgetter("first")
second: Request = attrgetter("second")
REQUESTS = {"First": first, "Follow-up": second}

# Figure 13's groups of actions; all other actions look something up.
_LOOKS_UP = "look up"
TURNS = (_LOOKS_UP, "ask", "execute", "submit")

# Figure 15's words for the two types of masked knowledge (K).
_GAPS = {"one-shot": "linear", "chain": "higher-order"}

ambiguities = listed_values("ambiguities")


def success(trials: InteractTrials, request: Request, *, strict: bool = False) -> float:
    """The share of trials that carried out a request."""
    requests = [request(trial.measures) for trial in trials]
    return fmean(each.strict if strict else each.passed for each in requests)


def action_figures(groups: Groups) -> dict[str, Figure]:
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


def success_figures(groups: Groups) -> dict[str, Figure]:
    """Success of the first request by type of ambiguity (Figure 14) and of gap (Figure 15)."""
    kinds = in_order(k for group in groups.values() for trial in group for k in ambiguities(trial))
    names = dict(zip(kinds, kinds, strict=True))
    bars = {
        "figure_14": _success("Success by ambiguity (Figure 14)", "Ambiguity", groups, names),
        "figure_15": _success(
            "Success by masked knowledge (Figure 15)", "Masked knowledge", groups, _GAPS
        ),
    }
    return {name: each for name, each in bars.items() if _has_values(each)}


def turn_figure(trials: InteractTrials, run: str = "") -> Curve:
    """The shares of actions at each turn, over the trials that last so long (Figure 13).

    Args:
        trials: scored trials.
        run: their name in the title.
    """
    return turn_curve(f"Actions by turn{run and f', {run}'} (Figure 13)", turns(trials), TURNS)


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


def with_ambiguity(trials: InteractTrials, kind: str) -> list[InteractTrial]:
    """The trials of tasks that have an ambiguity of a kind."""
    return [trial for trial in trials if kind in ambiguities(trial)]


def _success(title: str, kind: str, groups: Groups, names: Mapping[str, str]) -> Bars:
    def shares(trials: InteractTrials) -> tuple[float | None, ...]:
        found = (with_ambiguity(trials, each) for each in names)
        return tuple(percent(success(group, first)) if group else None for group in found)

    series = {name: shares(group) for name, group in groups.items()}
    return Bars(title, kind, "first requests carried out, %", tuple(names.values()), series)


def _has_values(bars: Bars) -> bool:
    return any(value is not None for values in bars.series.values() for value in values)
