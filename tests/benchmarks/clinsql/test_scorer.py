from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.clinsql.item_samples import LEAVES, item
from wardround.benchmarks.clinsql.checks.leaf_verdicts import (
    CHECKS,
    COMPARED,
    JUDGE,
    QUERY,
    RAN,
    RESULT,
    UNREADABLE_ONE,
)
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.scorer import score
from wardround.core.benchmark import Score
from wardround.core.trajectory import Called, Returned, Trajectory
from wardround.core.verdict import State, Verdict

SUBMITTED = Trajectory(
    [Called("submit_sql", {"query": "SELECT 1"}), Returned("submit_sql", "The query ran.")]
)


@pytest.fixture
def task(tmp_path: Path) -> ClinTask:
    return item(tmp_path)


def graded(task: ClinTask, states: dict[str, State], ran: State = "passed") -> Score:
    given = [Verdict(i, JUDGE, states.get(i, "passed")) for i in LEAVES]
    return score(task, SUBMITTED, [Verdict(QUERY, RAN, ran), *given])


def means(found: Score, tree: str, bound: str = "low") -> dict[str, float]:
    return {name: round(each[bound], 4) for name, each in found.measures[tree].items()}


def test_all_leaves_passed_passes_every_grading(task: ClinTask) -> None:
    found = graded(task, {})
    assert set(found.passed.values()) == {True}
    assert set(found.rewards.values()) == {1.0}


def test_the_published_rule_of_a_failed_query_gives_a_sixth(task: ClinTask) -> None:
    """Facts 2.4: the file exists by rule, its column does not."""
    failed: dict[str, State] = {i: "failed" for i in LEAVES if i.startswith("results:")}
    found = graded(task, failed, ran="failed")
    assert means(found, "results") == {
        "strict": 0.0,
        "paper": 0.0,
        "paper-17": round(1 / 6, 4),
        "algorithm": 0.0,
    }


def test_a_failed_critical_leaf_fails_its_tree(task: ClinTask) -> None:
    assert set(means(graded(task, {"sql:sex": "failed"}), "sql").values()) == {0.0}


def test_a_query_without_rows_scores_0_in_strict_alone(task: ClinTask) -> None:
    found = graded(task, {}, ran="failed")
    assert found.passed == {"strict": False, "paper": True, "paper-17": True, "algorithm": True}


@pytest.mark.parametrize(("state", "passes"), [("passed", True), ("failed", False), (None, False)])
def test_a_made_task_asks_for_the_golds_result_in_strict(
    task: ClinTask, state: State | None, passes: bool
) -> None:
    made = replace(task, hidden=replace(task.hidden, checks={LEAVES[0]: {"kind": "cohort"}}))
    verdicts = [Verdict(QUERY, RAN, "passed"), *(Verdict(i, JUDGE, "passed") for i in LEAVES)]
    compared = [Verdict(RESULT, COMPARED, state, reason="it differs")] if state else []
    found = score(made, SUBMITTED, [*verdicts, *compared])
    assert found.passed["strict"] is passes
    assert found.passed["paper"]
    assert found.note == ("it differs" if state == "failed" else "")


def test_undecided_leaves_give_bounds(task: ClinTask) -> None:
    found = graded(task, {"results:plausible": "undecided"})
    assert means(found, "results")["strict"] == round(1 / 3, 4)
    assert means(found, "results", "high")["strict"] == 1.0
    assert found.measures["undecided"] == 1


def test_an_unreadable_answer_with_a_1_counts_in_paper_alone(task: ClinTask) -> None:
    reason = f"{UNREADABLE_ONE}: Error 401"
    given = [Verdict(i, JUDGE, "passed") for i in LEAVES if i != "sql:sex"]
    unreadable = Verdict("sql:sex", JUDGE, "undecided", reason=reason)
    found = score(task, SUBMITTED, [*given, unreadable])
    assert found.passed == {"strict": False, "paper": True, "paper-17": True, "algorithm": False}
    assert found.measures["errored_ones"] == 1


def test_programs_come_before_judges_in_strict_and_after_them_in_paper(task: ClinTask) -> None:
    given = [Verdict(i, JUDGE, "passed") for i in LEAVES]
    found = score(task, SUBMITTED, [*given, Verdict("results:column", CHECKS, "failed")])
    assert (found.passed["strict"], found.passed["paper"]) == (False, True)


def test_a_trial_without_a_query_fails(task: ClinTask) -> None:
    found = score(task, Trajectory([]), [])
    assert set(found.passed.values()) == {False}
    assert found.note == "no query was submitted"
