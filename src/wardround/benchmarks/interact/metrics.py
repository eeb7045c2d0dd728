"""BIRD-Interact's results as tables: Table 2, and what tells agents apart (5.2, J.3, K)."""

from collections.abc import Sequence
from statistics import fmean

from wardround.benchmarks.interact.figures import (
    FIRST,
    SECOND,
    TURNS,
    actions,
    by_turn,
    mean,
    of_actions,
    of_success,
    parts,
    share,
    taken,
    turns,
    with_part,
)
from wardround.benchmarks.interact.kinds import in_order
from wardround.benchmarks.kit.tables import (
    Cell,
    Trials,
    by_task,
    cost_table,
    fewest_trials,
    outcome_table,
    percent,
    reliability_cells,
    reliability_columns,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.record import RoleUse, TrialRecord
from wardround.scoring.statistics import bootstrap_means, correlation, ranks

ALL = "all"
GRADINGS = {"paper": "", "strict": " strict"}
CATEGORIES = ("BI", "DM")
_DIMENSIONS = {
    "ambiguities": "Ambiguity",
    "knowledge": "Masked knowledge",
    "follow_up": "Follow-up",
    "database": "Database",
}


def summarize(trials: Sequence[TrialRecord]) -> Summary:
    """The results of a run, in percent, in both grading modes."""
    scored = [trial for trial in trials if trial.outcome.scored]
    k = fewest_trials(trials)
    tables = {
        "table_2": _table_2(scored),
        "outcomes": outcome_table(categories(trials), "Category"),
        "breakdown": _breakdown(scored),
        "clarity": _clarity(scored),
        "actions": _actions(scored),
        "turns": _turns(scored),
        "by_trials": _by_trials(trials, k),
        "cost": cost_table(categories(trials), "Category"),
    }
    figures = {
        **of_actions(categories(scored)),
        **({"figure_13": by_turn(scored)} if turns(scored) else {}),
        **of_success({"first request": scored}),
    }
    return Summary({name: table for name, table in tables.items() if table.rows}, figures)


def success_and_reward(scored: Trials, *, second_try: bool) -> tuple[Cell, ...]:
    """A row of Table 2: success of both requests, the reward, and what the agent's model cost.

    Success is that of BI, of DM and of all, each with what the second try gained.

    Args:
        scored: Trials, one at least.
        second_try: Whether there is such a thing.
    """
    groups = categories(scored)
    found: list[Cell] = []
    for request in (FIRST, SECOND):
        for category in (*CATEGORIES, ALL):
            group = groups.get(category)
            found.append(percent(mean(group, request)) if group else None)
            found.append(_gained(group, request) if group and second_try else None)
    reward = percent(fmean(trial.scores.get("paper", 0.0) for trial in scored))
    return (*found, reward, agent_cost(scored))


def categories(trials: Trials) -> dict[str, list[TrialRecord]]:
    """The trials of each category that occurs, and all of them."""
    groups = {
        category: [trial for trial in trials if trial.labels.get("category") == category]
        for category in CATEGORIES
    }
    return {name: group for name, group in {**groups, ALL: list(trials)}.items() if group}


def agent_cost(trials: Trials) -> float | None:
    """US dollars of the agent's model per trial; None where its price is not known."""
    prices = [trial.use.get("agent", RoleUse()).cost for trial in trials]
    known = [price for price in prices if price is not None]
    return round(fmean(known), 6) if len(known) == len(prices) else None


def _table_2(scored: Trials) -> Table:
    """Success of both requests, with what the second try of c-Interact gained, and the reward."""
    rows = []
    for grading, suffix in GRADINGS.items():
        for category, group in categories(scored).items():
            rows.append((grading, category, len(group), *_success(group, grading, suffix)))
    return Table(
        "Success and reward (Tables 2 and 10)",
        (
            "Grading",
            "Category",
            "Trials",
            "First",
            "First gained",
            "First low",
            "First high",
            "Follow-up",
            "Follow-up gained",
            "Reward",
            "Reward low",
            "Reward high",
            "Cost",
        ),
        tuple(rows),
        "Percent of trials, with what was gained by trying again after a failed submission; "
        "rewards times 100; 95% bootstrap intervals over tasks. The follow-up is out of all "
        "trials, whether or not it was reached. Cost: US dollars of the agent's model per trial.",
    )


def _success(group: Trials, grading: str, suffix: str) -> tuple[Cell, ...]:
    first, second = (f"{request}{suffix}" for request in (FIRST, SECOND))
    return (
        percent(mean(group, first)),
        None if suffix else _gained(group, FIRST),
        *_interval([fmean([mean([t], first) for t in one]) for one in by_task(group).values()]),
        percent(mean(group, second)),
        None if suffix else _gained(group, SECOND),
        percent(_reward(group, grading)),
        *_interval([_reward(one, grading) for one in by_task(group).values()]),
        agent_cost(group),
    )


def _gained(group: Trials, request: str) -> float:
    """The points of success that needed more than one submission."""
    return percent(mean(group, request) - mean(group, f"{request} at once"))


def _reward(group: Trials, grading: str) -> float:
    return fmean(trial.scores.get(grading, 0.0) for trial in group)


def _interval(of_tasks: Sequence[float]) -> tuple[Cell, Cell]:
    [found] = bootstrap_means([(figure,) for figure in of_tasks])
    return (None, None) if found is None else (percent(found.low), percent(found.high))


def _breakdown(scored: Trials) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (title, value, len(group), percent(mean(group, FIRST)), percent(mean(group, SECOND)))
        for label, title in _DIMENSIONS.items()
        for value in in_order(parts(scored, label))
        if (group := with_part(scored, label, value))
    ]
    columns = ("Group", "Value", "Trials", "First", "Follow-up")
    note = "Percent, as published. Linear gaps of knowledge are one-shot, higher-order ones chain."
    return Table("Success by group (Figures 14 and 15)", columns, tuple(rows), note)


def _clarity(scored: Trials) -> Table:
    """How many of the ambiguities were asked about, by kind (M)."""
    rows: list[tuple[Cell, ...]] = []
    for kind in in_order(parts(scored, "ambiguities")):
        group = with_part(scored, "ambiguities", kind)
        met = sum(f"cleared {kind}" in trial.measures for trial in group)
        rows.append((kind, len(group), percent(met / len(group))))
    leaks = sum(trial.measures.get("leaks", 0.0) for trial in scored)
    return Table(
        "Ambiguities asked about",
        ("Ambiguity", "Trials", "Asked about"),
        tuple(rows),
        f"Percent of the trials with one of the kind. The user nearly gave away {leaks:g} pieces "
        "of gold, which were taken out.",
    )


def _actions(scored: Trials) -> Table:
    """How often each action was taken, and whether more of it goes with success (J.3)."""
    success = [mean([trial], FIRST) for trial in scored]
    rows: list[tuple[Cell, ...]] = []
    for name in actions([scored]):
        shares = [share([trial], name) for trial in scored]
        rows.append(
            (
                name,
                round(taken(scored, name) / len(scored), 2),
                percent(share(scored, name)),
                *correlations(shares, success),
            )
        )
    return Table(
        "Actions (Figures 10 to 12)",
        ("Action", "Per trial", "Share", "Pearson", "Spearman"),
        tuple(rows),
        "Correlations are between an action's share of a trial and the success of its first "
        "request.",
    )


def _turns(scored: Trials) -> Table:
    columns = ("Turn", "Trials", *(name.capitalize() for name in TURNS))
    note = "Percent of the trials that go on so long."
    return Table("Actions by turn (Figure 13)", columns, tuple(turns(scored)), note)


def correlations(
    shares: Sequence[float], success: Sequence[float]
) -> tuple[float | None, float | None]:
    """Pearson's and Spearman's correlation; None without spread."""
    found = correlation(shares, success), correlation(ranks(shares), ranks(success))
    pearson, spearman = (None if one is None else round(one, 3) for one in found)
    return pearson, spearman


def _by_trials(trials: Trials, k: int) -> Table:
    rows = [(grading, *reliability_cells(trials, grading, k)) for grading in GRADINGS]
    columns = ("Grading", *reliability_columns(k))
    return Table(f"Tasks over {k} trials", columns, tuple(rows) if k > 1 else ())
