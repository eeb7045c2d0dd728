"""The paper's tables over runs, errors and divergence, on measures written by hand."""

from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records import trial_record
from wardround.benchmarks.clinsql.comparison import compare
from wardround.benchmarks.clinsql.failures.error_classes import (
    AGGREGATION,
    COHORT,
    EXECUTION,
    OUTPUT,
    QUANTILE,
    TIME,
    failed_by_class,
    main_class,
)
from wardround.benchmarks.clinsql.item_scores import correlations
from wardround.benchmarks.clinsql.items.item import CohortGold
from wardround.benchmarks.clinsql.items.result_files import PLACEHOLDER
from wardround.benchmarks.clinsql.report import summarize
from wardround.benchmarks.clinsql.scorer import GRADINGS, CohortMeasures, TreeScore
from wardround.core.record import Outcome, TrialRecord
from wardround.scoring.rubrics.tree import RubricNode

SCENARIO = "Vital_Signs_Monitoring"
_SCORES = st.integers(0, 20).map(lambda points: points / 20)


def trial(
    number: int,
    sql: float,
    results: float,
    *,
    at: int = 1,
    failed: dict[str, list[str]] | None = None,
    level: str = "easy",
    error: str = "",
) -> TrialRecord:
    def each(score: float) -> dict[str, TreeScore]:
        return {grading: TreeScore(score, score) for grading in GRADINGS}

    measures = CohortMeasures(each(sql), each(results), max(at, 1), at, 5, 0, 0, failed or {})
    measures = replace(measures, error=error)
    return trial_record(
        f"{SCENARIO}/{level}/{number:03}",
        outcome=Outcome.PASSED if sql == results == 1 else Outcome.FAILED,
        scores=dict.fromkeys(GRADINGS, (sql + results) / 2),
        labels={"scenario": SCENARIO, "level": level, "split": "validation"},
        measures=asdict(measures),
    )


def settings(model: str, regime: str = "cot") -> dict[str, Any]:
    about = {"name": f"openai:{model}", "temperature": 1.0}
    return {"agent": "query", "models": {"agent": about}, "regime": regime, "seed": 0}


def test_table_4_ranks_share_ties_and_table_7_has_the_settings() -> None:
    good, bad = [trial(1, 1.0, 1.0), trial(2, 0.5, 1.0)], [trial(1, 0.0, 0.0), trial(2, 0.0, 0.0)]
    runs = [(settings("a"), good), (settings("b"), good), (settings("c"), bad)]
    tables = compare(runs).tables
    rows = [row for row in tables["table_4"].rows if row[:2] == ("paper", "upper")]
    assert [row[2:6] for row in rows] == [
        ("query a", 1.5, 75.0, 100.0),
        ("query b", 1.5, 75.0, 100.0),
        ("query c", 3.0, 0.0, 0.0),
    ]
    assert tables["table_7"].rows[0] == ("query a", "query", "openai:a", 1.0, "", "cot", "")


def test_attempts_are_shares_of_all_items() -> None:
    trials = [trial(1, 1, 1, at=1), trial(2, 1, 1, at=2), trial(3, 0, 0, at=0)]
    [row] = compare([(settings("a"), trials)]).tables["table_10_12"].rows
    assert row[1:5] == (33.33, 33.33, 0.0, 66.67)


def test_pairs_are_compared_on_items_that_both_decided() -> None:
    first = [trial(1, 1.0, 1.0), trial(2, 0.5, 0.5)]
    second = [trial(1, 0.5, 1.0), trial(3, 0.0, 0.0)]
    rows = compare([(settings("a"), first), (settings("b"), second)]).tables["paired"].rows
    assert rows[0][:5] == ("query a", "query b", "strict", 1, 50.0)


def test_regimes_are_compared_with_cot_and_drawn() -> None:
    runs = [
        (settings("a"), [trial(1, 0.5, 0.5), trial(2, 0.5, 0.5)]),
        (settings("a", "hinted"), [trial(1, 1.0, 0.75), trial(2, 1.0, 0.75)]),
    ]
    compared = compare(runs)
    last = compared.tables["regimes"].rows[-1]
    assert (*last[:5], last[7]) == ("query a", "hinted", "all", 2, 50.0, 25.0)
    assert set(compared.figures) == {"figure_21", "figure_22"}


def test_divergence_counts_gaps_of_20_points_by_direction() -> None:
    trials = [trial(1, 0.5, 0.7), trial(2, 0.9, 0.2), trial(3, 0.5, 0.6), trial(4, 0.1, 0.9)]
    tables = summarize(trials).tables
    row = dict(zip(tables["divergence"].columns, tables["divergence"].rows[0], strict=True))
    assert (row["Points"], row["Gap >= 20"], row["Exec higher"]) == (4, 3, 66.7)
    assert len(tables["diverging"].rows) == 3


def test_errors_are_counted_and_one_of_each_class_is_shown() -> None:
    trials = [
        trial(1, 0.0, 0.5, failed={COHORT: ["sql:sex"], OUTPUT: ["results:a"]}, error=COHORT),
        trial(2, 0.0, 0.5, failed={OUTPUT: ["results:a"]}, error=OUTPUT),
        trial(3, 0.0, 0.0, failed={EXECUTION: []}, error=EXECUTION),
        trial(4, 1.0, 1.0),
    ]
    tables = summarize(trials).tables
    assert [row[:2] for row in tables["errors"].rows] == [(EXECUTION, 1), (COHORT, 1), (OUTPUT, 1)]
    assert [row[0] for row in tables["failed_examples"].rows] == [EXECUTION, COHORT, OUTPUT]
    [sampled] = summarize(trials, sampled=1, seed=3).tables["failed_examples"].rows
    assert sampled == summarize(trials, sampled=1, seed=3).tables["failed_examples"].rows[0]


def test_leaves_have_the_class_of_their_check_sentence_or_section() -> None:
    def section(id: str, *leaves: tuple[str, str]) -> RubricNode:
        return RubricNode(id, children=tuple(RubricNode(name, text) for name, text in leaves))

    sql = RubricNode(
        "root",
        children=(
            section("patient-cohort-construction", ("sex", "Only men are kept.")),
            section(
                "clinical-analytics",
                ("mean", "The mean is computed."),
                ("quartile", "The upper quartile is computed."),
                ("window", "Values of the first 24 hours are kept."),
                ("checked", "A rate is computed."),
            ),
        ),
    )
    results = RubricNode("results", children=(RubricNode("file", "A file is there."),))
    gold = CohortGold("", PLACEHOLDER, sql, results, {"sql:checked": {"kind": "window"}})
    items = [*(f"sql:{leaf.id}" for leaf in sql.leaves()), "results:file"]
    assert failed_by_class(gold, items, ran=True) == {
        COHORT: ["sql:sex"],
        OUTPUT: ["results:file"],
        AGGREGATION: ["sql:mean"],
        TIME: ["sql:window", "sql:checked"],
        QUANTILE: ["sql:quartile"],
    }
    assert failed_by_class(gold, items, ran=False) == {EXECUTION: items}
    assert main_class(gold, failed_by_class(gold, items, ran=True)) == COHORT


@pytest.mark.parametrize(
    ("failed", "error"),
    [
        (["results:column", "sql:mean"], OUTPUT),
        (["results:value", "sql:mean"], AGGREGATION),
        (["results:value"], OUTPUT),
        (["results:column", "sql:sex"], COHORT),
        ([], ""),
    ],
)
def test_a_trials_class_is_that_whose_leaves_weigh_most(failed: list[str], error: str) -> None:
    def section(id: str, weight: int, *leaves: str) -> RubricNode:
        return RubricNode(id, id, weight, children=tuple(RubricNode(name) for name in leaves))

    sql = RubricNode(
        "sql",
        children=(
            section("patient-cohort-construction", 3, "sex"),
            section("clinical-analytics", 2, "mean", "median", "rate"),
        ),
    )
    format, values = section("output-format-validation", 1, "column"), section("values", 2, "value")
    gold = CohortGold("", PLACEHOLDER, sql, RubricNode("results", children=(format, values)))
    assert main_class(gold, failed_by_class(gold, failed, ran=True)) == error


@given(st.lists(st.tuples(_SCORES, _SCORES), max_size=8))
def test_correlations_are_symmetric_and_bounded(pairs: list[tuple[float, float]]) -> None:
    found = correlations(pairs)
    assert found == correlations([(y, x) for x, y in pairs])
    assert all(value is None or -1 <= value <= 1 for value in found)
