"""Comparison of runs: Table 2 and Figures 4, 5 and 10 to 15 (only this paper compares runs)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from wardround.benchmarks.interact import figures
from wardround.benchmarks.interact.figures import REQUESTS, correlation_table, success, turn_table
from wardround.benchmarks.interact.report import CATEGORIES, success_and_reward
from wardround.benchmarks.interact.scorer import InteractMeasures
from wardround.benchmarks.kit.compared_runs import (
    ComparedRun,
    Settings,
    differences,
    distinct_names,
    file_name,
    system,
)
from wardround.benchmarks.kit.figures import table_of
from wardround.benchmarks.kit.groups import ALL, Trials, grouped_by
from wardround.benchmarks.kit.measures import measured
from wardround.benchmarks.kit.tables import filled, percent
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Bars, Curve, Figure
from wardround.core.serialization import flattened

Run: TypeAlias = ComparedRun[InteractMeasures]

MODES = {"c": "c-Interact", "a": "a-Interact", "clear": "single turn"}
_ALWAYS = ("free", "graft")
# Settings on the axis of Figure 4, or already in the name of a line.
_NOT_A_LINE = ("seed", "patience", "mode", "free", "graft", "agent_settings")


def compare(runs: Sequence[tuple[Settings, Trials]]) -> Summary:
    """Builds Table 2 with a row per run, and Figures 4, 5 and 10 to 15, each also as a table."""
    names = names_of([settings for settings, _ in runs])
    compared = [
        ComparedRun(name, settings, measured(trials, InteractMeasures))
        for name, (settings, trials) in zip(names, runs, strict=True)
    ]
    scored = [run for run in compared if run.trials]
    asking = {run.name: run.trials for run in scored if _asks(run.settings)}
    acting = {run.name: asking[run.name] for run in scored if _acts(run.settings)}
    plotted = {
        **_scaling_figures(scored),
        **_grafting_figure(scored),
        **figures.action_figures(acting),
    }
    by_turn = {
        f"figure_13_{file_name(name)}": figures.turn_figure(acting[name], name) for name in acting
    }
    by_kind = figures.success_figures(asking)
    tables = {
        "table_2": _table_2(scored),
        **{name: table_of(figure) for name, figure in plotted.items()},
        "actions_and_success": correlation_table(
            [figures.actions_of(group) for group in acting.values()],
            figures.actions(acting.values()),
            [success(group, "first") for group in acting.values()],
        ),
        "figure_13": turn_table(
            "Actions by turn (Figure 13)",
            ((name, *row) for name, group in acting.items() for row in figures.turns(group)),
            figures.TURNS,
            "Run",
        ),
        **{name: table_of(figure) for name, figure in by_kind.items()},
    }
    return Summary(filled(tables), plotted | by_turn | by_kind)


def names_of(runs: Sequence[Settings]) -> list[str]:
    """Names runs for figures: system, mode, and the settings in which they differ.

    >>> of = {"agent": "parser", "mode": "c", "user": "script", "seed": 0}
    >>> names_of([of | {"patience": 0}, of | {"patience": 3}])
    ['parser c-Interact, patience 0', 'parser c-Interact, patience 3']
    """
    names = [f"{system(settings)} {MODES[settings['mode']]}" for settings in runs]
    return distinct_names(names, [_details(settings) for settings in runs], _ALWAYS)


def _scaling_figures(runs: Sequence[Run]) -> dict[str, Figure]:
    """Success of the first request over the user's patience, a figure per system (Figure 4).

    Runs in clear mode and runs with free actions are horizontal lines.
    """
    scaled = [run for run in runs if run.settings["mode"] == "clear" or _asks(run.settings)]
    systems = grouped_by(scaled, lambda run: run.system)
    curves = {f"figure_4_{file_name(name)}": _scaling(name, runs) for name, runs in systems.items()}
    return {name: curve for name, curve in curves.items() if curve.lines}


def _scaling(name: str, runs: Sequence[Run]) -> Curve:
    by_mode = sorted(runs, key=lambda run: [*MODES].index(run.settings["mode"]))
    suffixes = differences([_of_trials(run.settings) for run in by_mode], _NOT_A_LINE)
    points = [_point(run.settings, suffix) for run, suffix in zip(by_mode, suffixes, strict=True)]
    groups = grouped_by(zip(points, by_mode, strict=True), lambda pair: pair[0])
    lines: dict[str, dict[float, float]] = {}
    levels: dict[str, float] = {}
    for (line, patience), group in groups.items():
        share = percent(success([trial for _, run in group for trial in run.trials], "first"))
        if patience is None:
            levels[line] = share
        else:
            lines.setdefault(line, {})[float(patience)] = share
    return Curve(
        f"Success over patience, {name} (Figure 4)",
        "patience",
        "first requests carried out, %",
        {line: tuple(sorted(points.items())) for line, points in lines.items()},
        levels,
    )


def _of_trials(settings: Settings) -> Settings:
    """The settings, without the user's settings if the agent cannot ask."""
    unused = () if _asks(settings) else ("user", "models.user")
    return {k: v for k, v in flattened(settings).items() if not k.startswith(unused)}


def _point(settings: Settings, differing: str) -> tuple[str, int | None]:
    """A run's line in Figure 4 and its patience; None for a horizontal line."""
    ending = f", {differing}" if differing else ""
    if settings["mode"] == "clear":
        return f"nothing to ask (ideal){ending}", None
    line = f"{MODES[settings['mode']]}{ending}"
    if settings.get("free"):
        return f"{line}, nothing to pay", None
    return line, settings["patience"]


def _grafting_figure(runs: Sequence[Run]) -> dict[str, Figure]:
    """Success with the agent's own questions and with another run's (Figure 5)."""
    grafted = {run.system for run in runs if run.settings.get("graft")}
    shown = {
        run.name: run.trials
        for run in runs
        if run.system in grafted and run.settings["mode"] == "c"
    }
    series = {
        title: tuple(percent(success(group, stage)) for group in shown.values())
        for title, stage in {"first request": "first", "follow-up": "second"}.items()
    }
    bars = Bars("Memory grafting (Figure 5)", "Run", "carried out, %", tuple(shown), series)
    return {"figure_5": bars} if shown else {}


def _table_2(runs: Sequence[Run]) -> Table:
    rows = [
        (
            run.name,
            len(run.trials),
            *success_and_reward(run.trials, second_try=run.settings["mode"] != "a"),
        )
        for run in runs
    ]
    columns = tuple(
        column
        for request in REQUESTS
        for category in (*CATEGORIES, ALL)
        for column in (f"{request} {category}", f"{request} {category} gained")
    )
    return Table(
        "Success and reward by run (Tables 2 and 10)",
        ("Run", "Trials", *columns, "Reward", "Cost"),
        tuple(rows),
        "Percent of trials as published, with what the second try gained; rewards times 100; "
        "US dollars of the agent's model per trial.",
    )


def _asks(settings: Settings) -> bool:
    """True if the agent can ask the user in this mode."""
    return settings["mode"] in ("c", "a") and not settings.get("graft")


def _acts(settings: Settings) -> bool:
    """True if the agent chooses among all actions, and can ask the user."""
    return _asks(settings) and settings["mode"] == "a"


def _details(settings: Settings) -> dict[str, str]:
    """Settings that distinguish runs of a system and mode; "" for those that do not apply."""
    asks = _asks(settings)
    free = settings["mode"] == "a" and settings.get("free")
    return {
        "free": "nothing to pay" if free else "",
        "patience": f"patience {settings['patience']}" if asks and not free else "",
        "graft": f"given {Path(settings['graft']).name}" if settings.get("graft") else "",
        "user": f"user {settings['user']}" if asks else "",
        "seed": f"seed {settings['seed']}",
    }
