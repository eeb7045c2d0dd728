"""The paper's tables and figures, compared with values computed by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pytest

from tests.records import trial_record
from wardround.benchmarks.interact.comparison import compare, names_of
from wardround.benchmarks.interact.report import summarize
from wardround.benchmarks.interact.scorer import InteractMeasures, RequestMeasures
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Bars, Cells, Curve, Shares
from wardround.core.record import Outcome, RoleUse, TrialRecord


def a_trial(
    task: str,
    *actions: str,
    first: int = 0,
    second: int = 0,
    category: str = "BI",
    kinds: str = "semantic",
    cost: float | None = 0.1,
    outcome: Outcome = Outcome.FAILED,
    number: int = 0,
) -> TrialRecord:
    """A trial whose requests passed at the first (1) or second submission (2) or failed (0)."""
    reward = {0: 0.0, 1: 0.7, 2: 0.5}[first] + {0: 0.0, 1: 0.3, 2: 0.2}[second]
    measures = InteractMeasures(
        RequestMeasures(first > 0, first == 1),
        RequestMeasures(second > 0, second == 1),
        actions,
        (),
        0,
    )
    return trial_record(
        task,
        number,
        outcome,
        seed=number,
        scores={"paper": reward, "strict": 0.0},
        labels={"category": category, "ambiguities": kinds},
        use={"agent": RoleUse(1, 1, 1, cost), "user": RoleUse(1, 1, 1, 5.0)},
        measures=asdict(measures),
    )


RUN = [
    a_trial("one", "get_schema", "ask", "submit", first=1, second=2, kinds="semantic, one-shot"),
    a_trial("two", "ask", "execute", "submit", "submit", first=2, kinds="sort, chain"),
    a_trial("three", "execute", "execute", "submit", category="DM", kinds="semantic, chain"),
    a_trial("four", "submit", first=1, second=1, category="DM", outcome=Outcome.PASSED),
]
LOST = a_trial("five", "own_action", outcome=Outcome.INFRA_ERROR)


def rows_of(table: Table) -> dict[Any, dict[str, Any]]:
    """The rows by their first cells."""
    return {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}


def settings(mode: str = "c", **changes: Any) -> dict[str, Any]:
    common = {"agent": "tools", "models": {"agent": {"name": "openai:gpt-5"}}, "user": "model"}
    return {**common, "mode": mode, "patience": 3, "seed": 0, "graft": None, **changes}


def compared(*runs: tuple[Mapping[str, Any], Sequence[TrialRecord]]) -> Summary:
    return compare(runs)


def test_table_2_equals_values_computed_by_hand() -> None:
    table = summarize([*RUN, LOST]).tables["table_2"]
    rows = {row[:2]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    bi, total = rows["paper", "BI"], rows["paper", "all"]
    assert (bi["Trials"], bi["First"], bi["First gained"]) == (2, 100.0, 50.0)
    assert (bi["Follow-up"], bi["Follow-up gained"], bi["Reward"]) == (50.0, 50.0, 70.0)
    assert (total["Trials"], total["First"], total["First gained"]) == (4, 75.0, 25.0)
    assert (total["Follow-up"], total["Reward"], total["Cost"]) == (50.0, 60.0, 0.1)
    assert rows["strict", "all"]["First gained"] is None


def test_intervals_are_over_tasks_not_trials() -> None:
    single = summarize(RUN).tables["table_2"].rows[2]
    thrice = summarize([trial for trial in RUN for _ in range(3)]).tables["table_2"].rows[2]
    assert (single[1], thrice[2]) == ("all", 12)
    assert single[3:] == thrice[3:]


def test_unknown_cost_is_none() -> None:
    table = summarize([*RUN, a_trial("dear", cost=None)]).tables["table_2"]
    assert [row[-1] for row in table.rows if row[1] == "DM"] == [0.1, 0.1]
    assert [row[-1] for row in table.rows if row[1] == "all"] == [None, None]


def test_run_has_the_paper_s_figures_and_a_table_for_each() -> None:
    summary = summarize(RUN)
    assert list(summary.figures) == [f"figure_{n}" for n in (11, 12, 13, 14, 15)]
    titles = " ".join(table.title for table in summary.tables.values())
    for title in ("Tables 2 and 10", "Figures 10 to 12", "Figure 13", "Figures 14 and 15"):
        assert title in titles


def test_action_shares_are_shown_with_success() -> None:
    shares = summarize(RUN).figures["figure_11"]
    assert isinstance(shares, Shares)
    assert shares.wholes == ("BI", "DM", "all")
    assert shares.beside[2] == "P1 75, P2 50"
    assert list(shares.parts) == ["execute", "get_schema", "ask", "submit"]
    assert shares.parts["submit"] == pytest.approx((42.9, 50.0, 45.5))
    for n in range(3):
        assert sum(part[n] for part in shares.parts.values()) == pytest.approx(100, abs=0.3)


def test_actions_per_trial_are_averaged() -> None:
    cells = summarize(RUN).figures["figure_12"]
    assert isinstance(cells, Cells)
    assert cells.columns == ("BI", "DM", "all")
    assert cells.rows["execute"] == (0.5, 1.0, 0.75)


def test_an_agent_s_own_actions_are_shown_after_the_nine() -> None:
    run = [*RUN, a_trial("six", "find_tables", "submit")]
    cells = summarize(run).figures["figure_12"]
    assert isinstance(cells, Cells)
    assert list(cells.rows) == ["execute", "get_schema", "ask", "submit", "find_tables"]


def test_actions_by_turn_count_trials_that_reach_the_turn() -> None:
    summary = summarize(RUN)
    curve = summary.figures["figure_13"]
    assert isinstance(curve, Curve)
    assert curve.lines["look up"] == ((1.0, 25.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0))
    assert curve.lines["submit"] == ((1.0, 25.0), (2.0, 0.0), (3.0, 100.0), (4.0, 100.0))
    assert [row[:2] for row in summary.tables["turns"].rows] == [(1, 4), (2, 3), (3, 3), (4, 1)]


def test_success_is_broken_down_by_ambiguity_and_gap() -> None:
    figures = summarize(RUN).figures
    ambiguities, gaps = figures["figure_14"], figures["figure_15"]
    assert isinstance(ambiguities, Bars)
    assert isinstance(gaps, Bars)
    assert ambiguities.things == ("semantic", "sort", "one-shot", "chain")
    assert ambiguities.series["first request"] == (66.7, 100.0, 100.0, 50.0)
    assert gaps.things == ("linear", "higher-order")
    assert gaps.series["first request"] == (100.0, 50.0)


def test_figure_15_needs_masked_knowledge() -> None:
    assert "figure_15" not in summarize(RUN[3:]).figures
    assert not summarize([LOST]).figures


def test_success_by_patience_has_the_single_turn_ideal() -> None:
    summary = compared(
        (settings(patience=0), RUN[2:3]),
        (settings(patience=5), RUN[:2]),
        (settings(patience=5, seed=1), RUN[2:]),
        (settings("a", patience=5), RUN[1:3]),
        (settings("a", free=True), RUN[:3]),
        (settings("clear"), RUN[:1]),
        (settings(graft="runs/other"), RUN[:1]),
    )
    curve = summary.figures["figure_4_tools-gpt-5"]
    assert isinstance(curve, Curve)
    assert curve.lines == {"c-Interact": ((0.0, 0.0), (5.0, 75.0)), "a-Interact": ((5.0, 50.0),)}
    assert curve.levels == {"nothing to ask (ideal)": 100.0, "a-Interact, nothing to pay": 66.7}
    rows = summary.tables["figure_4_tools-gpt-5"].rows
    assert rows == ((0, 0.0, None, 66.7, 100.0), (5, 75.0, 50.0, 66.7, 100.0))
    assert list(curve.lines) == ["c-Interact", "a-Interact"]


def test_users_have_their_own_lines() -> None:
    summary = compared((settings(), RUN), (settings(user="baseline"), RUN[:1]))
    curve = summary.figures["figure_4_tools-gpt-5"]
    assert isinstance(curve, Curve)
    assert curve.lines["c-Interact, user baseline"] == ((3.0, 100.0),)
    assert curve.lines["c-Interact, user model"] == ((3.0, 75.0),)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"reset": "execute"}, "c-Interact, reset execute"),
        ({"limit": 9}, "c-Interact, limit 9"),
        (
            {"models": {"agent": {"name": "openai:gpt-5", "temperature": 1.0}}},
            "c-Interact, agent temperature 1.0",
        ),
        ({"current_time": "2105-12-31 23:59:00"}, "c-Interact, current time 2105-12-31 23:59:00"),
    ],
)
def test_runs_are_merged_over_seeds_only(changes: dict[str, Any], line: str) -> None:
    model = {"agent": {"name": "openai:gpt-5", "temperature": 0.0}}
    usual: dict[str, Any] = {"reset": "submit", "limit": 4, "current_time": "2100", "models": model}
    summary = compared(
        (settings(**usual), RUN[:2]),
        (settings(**usual, seed=1, concurrency=2), RUN[2:3]),
        (settings(**{**usual, **changes}), RUN[:1]),
    )
    curve = summary.figures["figure_4_tools-gpt-5"]
    assert isinstance(curve, Curve)
    assert curve.lines[line] == ((3.0, 100.0),)
    assert sorted(curve.lines.values()) == [((3.0, 66.7),), ((3.0, 100.0),)]


def test_agents_with_settings_of_their_own_are_not_merged() -> None:
    runs = [settings(agent_settings={"penalty": value}) for value in ("0", "5")]
    assert [name.split(" c-")[0] for name in names_of(runs)] == [
        "tools gpt-5 penalty=0",
        "tools gpt-5 penalty=5",
    ]
    figures = compared((runs[0], RUN[:1]), (runs[1], RUN[2:3])).figures
    lines = {name: figure for name, figure in figures.items() if name.startswith("figure_4_")}
    assert list(lines) == ["figure_4_tools-gpt-5-penalty-0", "figure_4_tools-gpt-5-penalty-5"]


def test_agents_and_models_have_their_own_figures() -> None:
    parser = settings(agent="parser", models={})
    figures = compared((settings(), RUN), (parser, RUN)).figures
    assert {"figure_4_tools-gpt-5", "figure_4_parser"} <= set(figures)


def test_memory_grafting_is_compared_with_own_questions() -> None:
    parser = settings(agent="parser", models={})
    grafted = settings(graft="/some/runs/better")
    summary = compared((settings(), RUN[2:]), (grafted, RUN[:2]), (parser, RUN))
    bars = summary.figures["figure_5"]
    assert isinstance(bars, Bars)
    assert bars.things == ("tools gpt-5 c-Interact", "tools gpt-5 c-Interact, given better")
    assert bars.series == {"first request": (50.0, 100.0), "follow-up": (50.0, 50.0)}
    assert "figure_5" not in compared((settings(), RUN), (parser, RUN)).figures


def test_table_2_has_a_row_for_each_run() -> None:
    rows = rows_of(compared((settings(), RUN), (settings("a"), RUN)).tables["table_2"])
    talk, acts = rows["tools gpt-5 c-Interact"], rows["tools gpt-5 a-Interact"]
    assert (talk["First BI"], talk["First BI gained"], talk["First DM"]) == (100.0, 50.0, 50.0)
    assert (talk["Follow-up all"], talk["Follow-up all gained"]) == (50.0, 25.0)
    assert (talk["Reward"], talk["Cost"], talk["Trials"]) == (60.0, 0.1, 4)
    assert (acts["First all"], acts["First all gained"]) == (75.0, None)


def test_actions_are_compared_between_runs_that_act() -> None:
    acting = [(settings("a", patience=n), RUN[:n]) for n in (1, 2, 4)]
    summary = compared(*acting, (settings(), RUN), (settings(graft="runs/x"), RUN))
    shares, success = summary.figures["figure_11"], summary.figures["figure_14"]
    assert isinstance(shares, Shares)
    assert isinstance(success, Bars)
    assert [name.split(", ")[-1] for name in shares.wholes] == [f"patience {n}" for n in (1, 2, 4)]
    assert list(success.series) == [*shares.wholes, "tools gpt-5 c-Interact, patience 3"]
    assert sum(name.startswith("figure_13_") for name in summary.figures) == 3
    assert len(summary.tables["figure_13"].rows) == 3 + 4 + 4
    rows = rows_of(summary.tables["actions_and_success"])
    assert rows["execute"]["Spearman"] < 0  # success 100, 100, 75 percent with a growing share
    assert "actions_and_success" not in compared(*acting[:2]).tables


def test_every_plot_of_a_comparison_has_its_table() -> None:
    summary = compared((settings("a"), RUN), (settings(), RUN), (settings(graft="runs/x"), RUN))
    for name in summary.figures:
        assert name.startswith("figure_13") or name in summary.tables
    assert {"figure_5", "figure_11", "figure_12", "figure_14", "figure_15"} <= set(summary.tables)


def test_run_names_are_distinct() -> None:
    same = [settings(), settings(), settings(user="baseline"), settings("clear", patience=9)]
    assert names_of(same) == [
        "tools gpt-5 c-Interact, user model",
        "tools gpt-5 c-Interact, user model (2)",
        "tools gpt-5 c-Interact, user baseline",
        "tools gpt-5 single turn",
    ]


def test_a_run_without_scored_trials_is_left_out() -> None:
    summary = compared((settings(), [LOST]), (settings("a"), RUN))
    assert list(rows_of(summary.tables["table_2"])) == ["tools gpt-5 a-Interact"]
    assert not compared((settings(), [LOST]), (settings("a"), [])).figures
