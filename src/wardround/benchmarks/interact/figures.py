"""Actions and success as figures and tables, which reports and comparisons of runs share."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import TypeAlias, TypeVar

from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.interact.scorer import InteractMeasures
from wardround.benchmarks.kit.groups import Cell, listed_values
from wardround.benchmarks.kit.measures import Measured
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.people.clarifying.kinds import in_order
from wardround.scoring.statistics.intervals import correlation, ranks

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

_FEWEST_TO_CORRELATE = 3
# The names of each trial's actions, in order.
Actions: TypeAlias = Sequence[Sequence[str]]
# Turn number, number of trials that reach it, percent of each kind of action.
TurnRow: TypeAlias = tuple[int, int, *tuple[float, ...]]
Group = TypeVar("Group")

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


def actions_taken(groups: Iterable[Actions], first: Collection[str]) -> list[str]:
    """Lists the actions that occur: those of `first` in its order, then the rest by name.

    >>> actions_taken([[["submit", "look"]], [["ask"]]], ["ask", "execute", "submit"])
    ['ask', 'submit', 'look']
    """
    names = {name for group in groups for trial in group for name in trial}
    return [name for name in first if name in names] + sorted(names.difference(first))


def times_taken(trials: Actions, action: str) -> int:
    """Counts the occurrences of an action."""
    return sum(trial.count(action) for trial in trials)


def action_share(trials: Actions, action: str) -> float:
    """Returns the share of an action among all actions, from 0 to 1; 0.0 without actions."""
    total = sum(map(len, trials))
    return times_taken(trials, action) / total if total else 0.0


def correlation_table(
    groups: Sequence[Actions], names: Iterable[str], passed: Sequence[float]
) -> Table:
    """Correlates each action's share with success over runs; no rows for fewer than three runs.

    Args:
        groups: each run's actions by trial.
        names: the actions.
        passed: the success of each run.
    """
    rows = tuple((name, *success_correlations(groups, name, passed)) for name in names)
    return Table(
        "Actions and success over runs",
        ("Action", "Pearson", "Spearman"),
        rows if len(groups) >= _FEWEST_TO_CORRELATE else (),
        f"Between an action's share and the success of first requests, over {len(groups)} runs.",
    )


def success_correlations(
    groups: Iterable[Actions], action: str, passed: Sequence[float]
) -> tuple[float | None, float | None]:
    """Computes Pearson's and Spearman's correlation of an action's share with success.

    Args:
        groups: the actions of each trial, or of the trials of each run.
        action: the action.
        passed: the success of each group.

    Returns:
        Both coefficients, rounded to 3 decimals; None where shares or success do not vary.
    """
    shares = [action_share(group, action) for group in groups]
    coefficients = correlation(shares, passed), correlation(ranks(shares), ranks(passed))
    pearson, spearman = (None if value is None else round(value, 3) for value in coefficients)
    return pearson, spearman


def share_figure(
    title: str, groups: Mapping[str, Actions], names: Iterable[str], notes: tuple[str, ...]
) -> Shares:
    """Makes a figure of each action's share in each group.

    Args:
        title: the figure's title.
        groups: actions by trial, by the group's name in the figure.
        names: the actions shown.
        notes: a note beside each group.
    """
    shares = {
        name: tuple(percent(action_share(group, name)) for group in groups.values())
        for name in names
    }
    return Shares(title, "Action", "share of actions, %", tuple(groups), shares, notes)


def value_bars(
    title: str,
    kind: str,
    names: Mapping[str, str],
    label: str,
    groups: Mapping[str, Group],
    figure: Callable[[Group, str], float | None],
) -> Bars:
    """Makes a bar chart with a bar for each group and value.

    Args:
        title: the figure's title.
        kind: the values' name, such as "Ambiguity".
        names: the values, with their names in the figure.
        label: the bars' label, with the unit.
        groups: trials by the group's name in the figure.
        figure: computes a bar's height from a group and a value.
    """
    series = {
        name: tuple(figure(group, value) for value in names) for name, group in groups.items()
    }
    return Bars(title, kind, label, tuple(names.values()), series)


def number_figure(title: str, groups: Mapping[str, Actions], names: Iterable[str]) -> Cells:
    """Makes a figure of the number of times each action occurs per trial."""
    rows = {
        name: tuple(round(times_taken(group, name) / len(group), 2) for group in groups.values())
        for name in names
    }
    return Cells(title, "Action", "times a trial", tuple(groups), rows)


def turn_rows(trials: Actions, kinds: Sequence[str]) -> list[TurnRow]:
    """Returns a row for each turn: its number, trials that reach it, percent of each kind.

    Args:
        trials: the kinds of each trial's actions.
        kinds: the kinds, in column order.

    >>> turn_rows([["ask", "submit"], ["submit"]], ["ask", "submit"])
    [(1, 2, 50.0, 50.0), (2, 1, 0.0, 100.0)]
    """
    rows: list[TurnRow] = []
    for turn in range(max(map(len, trials), default=0)):
        at_turn = [trial[turn] for trial in trials if len(trial) > turn]
        counts = Counter(at_turn)
        shares = (percent(counts[kind] / len(at_turn)) for kind in kinds)
        rows.append((turn + 1, len(at_turn), *shares))
    return rows


def turn_curve(title: str, rows: Sequence[TurnRow], kinds: Sequence[str]) -> Curve:
    """Makes a curve of the share of each kind at each turn, over the trials that reach it."""
    lines = {
        kind: tuple((float(turn), shares[column]) for turn, _, *shares in rows)
        for column, kind in enumerate(kinds)
        if any(shares[column] for _, _, *shares in rows)
    }
    return Curve(title, "turn", "trials that go on, %", lines)


def turn_table(
    title: str, rows: Iterable[tuple[Cell, ...]], kinds: Iterable[str], *columns: str
) -> Table:
    """Makes a table of actions by turn.

    Args:
        title: the table's title.
        rows: the cells of `columns`, followed by a row of `turn_rows`.
        kinds: the kinds of actions.
        columns: names of additional columns before the turn.
    """
    return Table(
        title,
        (*columns, "Turn", "Trials", *(kind.capitalize() for kind in kinds)),
        tuple(rows),
        "Percent of the trials that go on so long.",
    )
