import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records import trial_record
from wardround.benchmarks.chatqa import report
from wardround.benchmarks.chatqa.report import flow_groups, summarize, task_turns
from wardround.benchmarks.kit import tables
from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve
from wardround.core.record import ByteRange, Outcome, RejectedAttempt, RoleUse, TrialRecord, by_task
from wardround.report.headline import headline

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
INFRA, UNSCORED, USER = Outcome.INFRA_ERROR, Outcome.UNSCORED, Outcome.USER_ERROR


def a_trial(task: str, number: int, outcome: Outcome = PASSED, **changes: Any) -> TrialRecord:
    paper = float(outcome is PASSED)
    record = trial_record(
        task,
        number,
        outcome,
        seed=number,
        scores={"paper": paper, "strict": paper} if outcome.scored else {},
        labels={"flow": "incre", "database": "hospital"},
        counts={"user_turns": 4, "tool_calls": 6, "actions": 10, "attempts": 1},
        seconds=2.0,
    )
    return replace(record, **changes)


def a_task(name: str, *outcomes: Outcome, **changes: Any) -> list[TrialRecord]:
    return [a_trial(name, n, outcome, **changes) for n, outcome in enumerate(outcomes)]


def rows_of(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def lines(summary: Summary, name: str) -> Mapping[str, tuple[tuple[float, float], ...]]:
    curve = summary.figures[name]
    assert isinstance(curve, Curve)
    return curve.lines


ADAPT = {"flow": "adapt", "database": "hospital", "category": "Schema fallback handling"}
TWO_FLOWS = [
    *a_task("i1", PASSED, PASSED, PASSED, PASSED),
    *a_task("i2", PASSED, FAILED, FAILED, FAILED),
    *a_task("a1", FAILED, FAILED, FAILED, FAILED, labels=ADAPT),
    *a_task("a2", PASSED, PASSED, FAILED, INFRA, labels=ADAPT),
]


def test_table_3_matches_hand_computed_values() -> None:
    first, *_ = rows = rows_of(summarize(TWO_FLOWS).tables["table_3"])
    assert [(row["Flow"], row["Grading"]) for row in rows] == [
        (flow, grading) for flow in ("IncreQA", "AdaptQA", "all") for grading in ("paper", "strict")
    ]
    assert (first["Tasks"], first["Left out"]) == (2, 0)
    assert (first["SR-4"], first["Pass@4"], first["Pass^4"], first["Gap-4"]) == (62.5, 100, 50, 50)
    assert (first["Pass^4 low"], first["Pass^4 high"]) == (1.3, 98.7)  # Clopper-Pearson, 1 of 2
    adapt, all_flows = rows[2], rows[4]
    assert (adapt["Tasks"], adapt["Left out"], adapt["SR-4"], adapt["SR-4 low"]) == (1, 1, 0, None)
    assert (all_flows["Tasks"], all_flows["Left out"], all_flows["SR-4"]) == (3, 1, 41.7)


def test_results_by_k_match_hand_computed_values() -> None:
    rows = rows_of(summarize(TWO_FLOWS).tables["by_k"])
    incre = [row for row in rows if (row["Flow"], row["Grading"]) == ("IncreQA", "paper")]
    assert [row["k"] for row in incre] == [1, 2, 3, 4]
    assert [row["Pass@k"] for row in incre] == [62.5, 75, 87.5, 100]
    assert [row["Pass^k"] for row in incre] == [62.5, 50, 50, 50]
    adapt = [row for row in rows if (row["Flow"], row["Grading"]) == ("AdaptQA", "paper")]
    assert [row["Left out"] for row in adapt] == [0, 0, 0, 1]


def test_table_and_headline_give_the_same_interval() -> None:
    trials = [
        trial for n in range(50) for trial in a_task(f"i{n}", PASSED, PASSED if n % 12 else FAILED)
    ]
    row, *_ = rows_of(summarize(trials).tables["table_3"])
    low, high = (f"{row[f'Pass^2 {end}']:.0f}%" for end in ("low", "high"))
    assert f"95% interval {low} to {high}" in headline(trials, "paper")


def test_gap_at_1_has_no_interval() -> None:
    row, *_ = rows_of(summarize([*a_task("i1", PASSED), *a_task("i2", FAILED)]).tables["table_3"])
    assert (row["Gap-1"], row["Gap-1 low"], row["Gap-1 high"]) == (0, None, None)


def test_many_trials_of_a_task_are_tallied_once_for_all_k(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work grows with the trials, not with trials times k."""
    grouped = 0

    def counting(trials: Iterable[TrialRecord]) -> dict[str, list[TrialRecord]]:
        nonlocal grouped
        grouped += len(own := list(trials))
        return by_task(own)

    for module in (tables, report):
        monkeypatch.setattr(module, "by_task", counting)
    trials = a_task("i1", *[PASSED, FAILED] * 300)
    by_k = rows_of(summarize(trials).tables["by_k"])
    assert [row["k"] for row in by_k][:3] == [1, 2, 3]
    assert by_k[-1]["k"] == len(trials)
    assert grouped <= 40 * len(trials)


def test_tables_show_both_gradings() -> None:
    lenient = a_task("t", PASSED, PASSED, scores={"paper": 1.0, "strict": 0.0})
    paper, strict = rows_of(summarize(lenient).tables["table_3"])
    assert (paper["SR-2"], strict["SR-2"]) == (100, 0)


def test_outcomes_are_counted() -> None:
    rejected = (RejectedAttempt("left a condition out", ByteRange(0, 0)),) * 2
    trials = a_task("t", PASSED, FAILED, USER, INFRA, UNSCORED, rejected=rejected)
    [row] = rows_of(summarize(trials).tables["outcomes"])
    assert row == {
        "Flow": "IncreQA",
        "Tasks": 1,
        "Trials": 5,
        "Passed": 1,
        "Failed": 1,
        "User error": 1,
        "Infra error": 1,
        "Unscored": 1,
        "Scored": 2,
        "Rejected attempts": 10,
    }


def test_groups_of_the_breakdown() -> None:
    short = {"user_turns": 3}
    long = {"user_turns": 11}
    trials = [*TWO_FLOWS, *a_task("i3", FAILED, counts=short), *a_task("i4", FAILED, counts=long)]
    rows = rows_of(summarize(trials).tables["breakdown"])
    groups = [(row["Group"], row["Value"]) for row in rows if row["Grading"] == "paper"]
    assert groups == [
        ("Flow", "AdaptQA"),
        ("Flow", "IncreQA"),
        ("Database", "hospital"),
        ("Category", "Schema fallback handling"),
        ("User turns", "2-3"),
        ("User turns", "4-5"),
        ("User turns", "10-11"),
    ]


def test_interactions_are_means_over_scored_trials() -> None:
    trials = [
        a_trial("t", 0, counts={"user_turns": 3, "tool_calls": 5, "actions": 8}),
        a_trial("t", 1, FAILED, counts={"user_turns": 4, "tool_calls": 9, "actions": 13}),
        a_trial("t", 2, INFRA, counts={"user_turns": 90, "tool_calls": 90, "actions": 180}),
    ]
    [row] = rows_of(summarize(trials).tables["interactions"])
    assert list(row.values()) == ["IncreQA", 2, 3.5, 7.0, 10.5, 2.0]


def test_cost_by_role_counts_every_trial() -> None:
    use = {"agent": RoleUse(3, 1000, 50, 0.03), "user": RoleUse(2, 100, 10, None)}
    trials = [a_trial("t", 0, use=use), a_trial("t", 1, INFRA, use={"agent": use["agent"]})]
    agent, user = rows_of(summarize(trials).tables["cost"])
    assert (agent["Role"], agent["Cost per trial"], agent["Cost per task"]) == ("agent", 0.03, 0.06)
    assert (agent["Requests per trial"], agent["Input tokens per trial"]) == (3.0, 1000)
    assert (user["Role"], user["Total cost"], user["Requests per trial"]) == ("user", None, 1.0)


def test_within_task_correlation_ignores_differences_between_tasks() -> None:
    def task(name: str, base: int) -> list[TrialRecord]:
        return [
            a_trial(name, n, FAILED if n > 1 else PASSED, counts={"user_turns": base + n})
            for n in range(4)
        ]

    # Success rises with turns between tasks, and falls with turns within a task.
    steady = a_task("steady", PASSED, PASSED, counts={"user_turns": 40})
    summary = summarize([*task("a", 2), *task("b", 20), *steady])
    [paper, _] = rows_of(summary.tables["within_task"])
    assert (paper["Tasks"], paper["Trials"], paper["Correlation"]) == (2, 8, -0.894)
    assert lines(summary, "figure_3c")["IncreQA"] == ((-2.0, 100.0), (0.0, 50.0), (2.0, 0.0))


def test_curves_match_hand_computed_values() -> None:
    summary = summarize(TWO_FLOWS)
    by_k = lines(summary, "figure_3a_increqa_paper")
    assert [y for _, y in by_k["Gap-k"]] == [0, 25, 37.5, 50]
    assert [x for x, _ in by_k["Pass@k"]] == [1, 2, 3, 4]
    assert list(lines(summary, "figure_3b")["IncreQA SR-4"]) == [(4.0, 62.5)]


def test_single_flow_has_no_total_row() -> None:
    assert list(flow_groups(a_task("t", PASSED))) == ["IncreQA"]


def test_summary_without_trials() -> None:
    tables = summarize([]).tables
    assert rows_of(tables["table_3"])[0]["SR-1"] is None
    assert tables["cost"].note.endswith("No model was asked.")


def test_a_task_without_scored_trials_has_no_turns() -> None:
    assert task_turns(a_task("t", INFRA)) is None


outcomes = st.lists(st.sampled_from(list(Outcome)), min_size=3, max_size=5)


@given(st.lists(outcomes, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_summary_is_independent_of_trial_order(
    tasks: list[list[Outcome]], draw: random.Random
) -> None:
    trials = [trial for n, ended in enumerate(tasks) for trial in a_task(f"t{n}", *ended)]
    shuffled = draw.sample(trials, len(trials))
    for name in ("outcomes", "interactions", "within_task", "cost"):
        assert summarize(shuffled).tables[name] == summarize(trials).tables[name]
    for row, item in zip(_figures(trials), _figures(shuffled), strict=True):
        assert row == pytest.approx(item)


@given(st.lists(outcomes, min_size=1, max_size=6))
def test_figures_keep_their_order(tasks: list[list[Outcome]]) -> None:
    trials = [trial for n, ended in enumerate(tasks) for trial in a_task(f"t{n}", *ended)]
    for rate, at, hat, gap in _figures(trials):
        assert hat - 0.11 <= rate <= at + 0.11
        assert gap == pytest.approx(at - hat, abs=0.11)
    rows = rows_of(summarize(trials).tables["by_k"])
    for row, after in pairwise(row for row in rows if row["Grading"] == "paper"):
        assert after["Left out"] >= row["Left out"]


def _figures(trials: list[TrialRecord]) -> list[tuple[float, float, float, float]]:
    rows = rows_of(summarize(trials).tables["by_k"])
    names = ("SR-k", "Pass@k", "Pass^k", "Gap-k")
    return [tuple(row[name] for name in names) for row in rows if row["Tasks"]]
