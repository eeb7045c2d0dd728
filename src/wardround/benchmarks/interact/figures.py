"""Figures of actions and success, shared by reports and comparisons of runs."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.interact.scorer import InteractMeasures
from wardround.benchmarks.kit.figures import (
    TurnRow,
    actions_taken,
    number_figure,
    share_figure,
    turn_curve,
    turn_rows,
    value_bars,
)
from wardround.benchmarks.kit.groups import listed_values
from wardround.benchmarks.kit.measures import Measured
from wardround.benchmarks.kit.tables import percent
from wardround.core.figures import Curve, Figure
from wardround.people.clarifying.kinds import in_order

InteractTrial: TypeAlias = Measured[InteractMeasures]
InteractTrials: TypeAlias = Sequence[InteractTrial]
# Scored trials by the group's name in figures.
Groups: TypeAlias = Mapping[str, InteractTrials]

# Stages by their names in tables.
REQUESTS = {"First": "first", "Follow-up": "second"}

# Figure 13's groups of actions; all other actions count as "look up".
_LOOKS_UP = "look up"
TURNS = (_LOOKS_UP, "ask", "execute", "submit")

# Figure 15's names for the two types of masked knowledge (K).
_GAPS = {"one-shot": "linear", "chain": "higher-order"}

_LABEL = "first requests carried out, %"

ambiguities = listed_values("ambiguities")


def success(trials: InteractTrials, stage: str, *, strict: bool = False) -> float:
    """Returns the share of trials that carried out a request, from 0 to 1."""
    requests = [trial.measures.request(stage) for trial in trials]
    return fmean(each.strict if strict else each.passed for each in requests)


def action_figures(groups: Groups) -> dict[str, Figure]:
    """Makes the figures of actions (Figures 10 to 12); none if no action was taken."""
    acting = {name: group for name, group in groups.items() if actions([group])}
    if not acting:
        return {}
    actions_by_group = {name: actions_of(group) for name, group in acting.items()}
    names = actions(acting.values())
    notes = tuple(
        f"P1 {percent(success(group, 'first')):g}, P2 {percent(success(group, 'second')):g}"
        for group in acting.values()
    )
    return {
        "figure_11": share_figure("Actions (Figures 10 and 11)", actions_by_group, names, notes),
        "figure_12": number_figure("Actions per trial (Figure 12)", actions_by_group, names),
    }


def success_figures(groups: Groups) -> dict[str, Figure]:
    """Makes figures of success by type of ambiguity (Figure 14) and of gap (Figure 15)."""
    kinds = in_order(k for group in groups.values() for trial in group for k in ambiguities(trial))
    own_names = dict(zip(kinds, kinds, strict=True))
    figures = {
        "figure_14": ("Success by ambiguity (Figure 14)", "Ambiguity", own_names),
        "figure_15": ("Success by masked knowledge (Figure 15)", "Masked knowledge", _GAPS),
    }
    bars = {name: value_bars(*about, _LABEL, groups, _share) for name, about in figures.items()}
    return {name: each for name, each in bars.items() if set(chain(*each.series.values())) - {None}}


def turn_figure(trials: InteractTrials, run: str = "") -> Curve:
    """Makes the curves of actions at each turn, over the trials that reach it (Figure 13)."""
    return turn_curve(f"Actions by turn{run and f', {run}'} (Figure 13)", turns(trials), TURNS)


def turns(trials: InteractTrials) -> list[TurnRow]:
    """Returns a row for each turn: its number, trials that reach it, percent of each of `TURNS`."""
    kinds = [[a if a in TURNS else _LOOKS_UP for a in names] for names in actions_of(trials)]
    return turn_rows(kinds, TURNS)


def actions(groups: Iterable[InteractTrials]) -> list[str]:
    """Lists the actions that occur: the nine of the price list, then agents' own."""
    return actions_taken(map(actions_of, groups), PRICES)


def actions_of(trials: InteractTrials) -> list[tuple[str, ...]]:
    """Returns the actions of each trial."""
    return [trial.measures.actions for trial in trials]


def with_ambiguity(trials: InteractTrials, kind: str) -> list[InteractTrial]:
    """Returns the trials of tasks with an ambiguity of a kind."""
    return [trial for trial in trials if kind in ambiguities(trial)]


def _share(trials: InteractTrials, kind: str) -> float | None:
    group = with_ambiguity(trials, kind)
    return percent(success(group, "first")) if group else None
