"""Runs side by side, only here: Table 2 and Figures 4, 5 and 10 to 15 take several runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from wardround.benchmarks.interact.figures import (
    TURNS,
    Groups,
    actions,
    actions_of,
    by_turn,
    of_actions,
    of_success,
    turns,
)
from wardround.benchmarks.interact.measures import (
    InteractMeasures,
    InteractTrial,
    InteractTrials,
    first,
    second,
    success,
)
from wardround.benchmarks.interact.report import correlations, success_and_reward
from wardround.benchmarks.kit.figures import action_share, table_of, turn_table
from wardround.benchmarks.kit.groups import Trials, grouped_by
from wardround.benchmarks.kit.measures import measured
from wardround.benchmarks.kit.run_names import distinct_names, file_name, system
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Bars, Curve, Figure

Settings: TypeAlias = Mapping[str, Any]
Run: TypeAlias = tuple[Settings, InteractTrials]

MODES = {"c": "c-Interact", "a": "a-Interact", "clear": "single turn"}
_ALWAYS = ("free", "graft")
_FEWEST_TO_CORRELATE = 3


def compare(runs: Sequence[tuple[Settings, Trials]]) -> Summary:
    """Table 2 with a row a run, and Figures 4, 5 and 10 to 15, each as a table too."""
    names = names_of([settings for settings, _ in runs])
    scored = [(settings, measured(trials, InteractMeasures)) for settings, trials in runs]
    named = {name: run for name, run in zip(names, scored, strict=True) if run[1]}
    asking = {name: group for name, (settings, group) in named.items() if _asks(settings)}
    acting = {name: group for name, group in asking.items() if named[name][0]["mode"] == "a"}
    before = {**scaling(list(named.values())), **grafting(named), **of_actions(acting)}
    turn_by_turn = {
        f"figure_13_{file_name(name)}": by_turn(group, name) for name, group in acting.items()
    }
    after = of_success(asking)
    tables = {
        "table_2": _table_2(named),
        **{name: table_of(figure) for name, figure in before.items()},
        "actions_and_success": _actions_and_success(acting),
        "figure_13": turn_table(
            "Actions by turn (Figure 13)",
            ((name, *row) for name, group in acting.items() for row in turns(group)),
            TURNS,
            "Run",
        ),
        **{name: table_of(figure) for name, figure in after.items()},
    }
    shown = {name: table for name, table in tables.items() if table.rows}
    return Summary(shown, before | turn_by_turn | after)


def names_of(runs: Sequence[Settings]) -> list[str]:
    """Names of runs for figures: system, mode, and the settings in which they differ.

    >>> of = {"agent": "parser", "mode": "c", "user": "script", "seed": 0}
    >>> names_of([of | {"patience": 0}, of | {"patience": 3}])
    ['parser c-Interact, patience 0', 'parser c-Interact, patience 3']
    """
    names = [f"{system(settings)} {MODES[settings['mode']]}" for settings in runs]
    return distinct_names(names, [_details(settings) for settings in runs], _ALWAYS)


def scaling(runs: Sequence[Run]) -> dict[str, Figure]:
    """Success of the first request over the user's patience, a figure a system (Figure 4).

    Runs with nothing to ask, or nothing to pay, are levels.
    """
    systems = grouped_by(runs, lambda run: system(run[0]))
    curves = {
        f"figure_4_{file_name(name)}": _scaling(name, found) for name, found in systems.items()
    }
    return {name: curve for name, curve in curves.items() if curve.lines}


def grafting(named: Mapping[str, Run]) -> dict[str, Figure]:
    """Success with the agent's own questions and with those of another run (Figure 5)."""
    grafted = {system(settings) for settings, _ in named.values() if settings.get("graft")}
    shown = {
        name: group
        for name, (settings, group) in named.items()
        if system(settings) in grafted and settings["mode"] == "c"
    }
    series = {
        title: tuple(percent(success(group, request)) for group in shown.values())
        for title, request in {"first request": first, "follow-up": second}.items()
    }
    bars = Bars("Memory grafting (Figure 5)", "Run", "carried out, %", tuple(shown), series)
    return {"figure_5": bars} if shown else {}


def _scaling(name: str, runs: Sequence[Run]) -> Curve:
    found = defaultdict[str, dict[int, list[InteractTrial]]](lambda: defaultdict(list))
    levels = defaultdict[str, list[InteractTrial]](list)
    users = {settings["user"] for settings, _ in runs if _asks(settings)}
    for settings, trials in sorted(runs, key=lambda run: [*MODES].index(run[0]["mode"])):
        user = f", user {settings['user']}" if len(users) > 1 else ""
        line = f"{MODES[settings['mode']]}{user}"
        if settings["mode"] == "clear":
            levels["nothing to ask (ideal)"] += trials
        elif _asks(settings) and settings.get("free"):
            levels[f"{line}, nothing to pay"] += trials
        elif _asks(settings):
            found[line][settings["patience"]] += trials
    lines = {
        line: tuple(
            (float(x), percent(success(group, first))) for x, group in sorted(points.items())
        )
        for line, points in found.items()
    }
    ideal = {level: percent(success(group, first)) for level, group in levels.items()}
    title = f"Success over patience, {name} (Figure 4)"
    return Curve(title, "patience", "first requests carried out, %", lines, ideal)


def _table_2(named: Mapping[str, Run]) -> Table:
    rows = [
        (name, len(group), *success_and_reward(group, second_try=settings["mode"] != "a"))
        for name, (settings, group) in named.items()
    ]
    columns = tuple(
        column
        for request in ("First", "Follow-up")
        for category in ("BI", "DM", "all")
        for column in (f"{request} {category}", f"{request} {category} gained")
    )
    return Table(
        "Success and reward by run (Tables 2 and 10)",
        ("Run", "Trials", *columns, "Reward", "Cost"),
        tuple(rows),
        "Percent of trials as published, with what the second try gained; rewards times 100; "
        "US dollars of the agent's model per trial.",
    )


def _actions_and_success(acting: Groups) -> Table:
    """Correlations over runs between an action's share and success (J.3)."""
    groups = list(acting.values())
    passed = [success(group, first) for group in groups]
    rows = []
    for name in actions(groups):
        shares = [action_share(actions_of(group), name) for group in groups]
        rows.append((name, *correlations(shares, passed)))
    return Table(
        "Actions and success over runs",
        ("Action", "Pearson", "Spearman"),
        tuple(rows) if len(groups) >= _FEWEST_TO_CORRELATE else (),
        f"Between an action's share and the success of first requests, over {len(groups)} runs.",
    )


def _asks(settings: Settings) -> bool:
    """True if the agent has to resolve the ambiguities by itself."""
    return settings["mode"] in ("c", "a") and not settings.get("graft")


def _details(settings: Settings) -> dict[str, str]:
    """Settings that tell a run from others of its system and mode; "" where one does not apply."""
    asks = _asks(settings)
    free = settings["mode"] == "a" and settings.get("free")
    graft = settings.get("graft")
    return {
        "free": "nothing to pay" if free else "",
        "patience": f"patience {settings['patience']}" if asks and not free else "",
        "graft": f"given {Path(graft).name}" if graft else "",
        "user": f"user {settings['user']}" if asks else "",
        "seed": f"seed {settings['seed']}",
    }
