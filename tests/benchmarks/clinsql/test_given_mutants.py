"""Mutants of the shipped golds that somebody wrote without sight of the checks.

At first scoring, of all 246, 206 gave another result than the gold, and two of these passed
`strict` (23 November 2026): each adds a column that was not asked for. Of 36 that gave the gold's
on the shipped hospital, nine passed, one of them rightly. The checks have been changed with these
in sight since. A part is scored here; `python -m
bench.clinsql_mutants tests/benchmarks/clinsql/fixtures/mutants.jsonl` scores all.
"""

from contextlib import closing
from pathlib import Path

import pytest

from bench.clinsql_mutants import given_outcomes, read_mutants, shipped_benchmark
from wardround.benchmarks.clinsql.tasks import shipped_tasks

MUTANTS = Path(__file__).parent / "fixtures/mutants.jsonl"
EACH = 62
# Lines of wrong queries that passed at first: with the gold's result on the shipped hospital, and
# with a column that was not asked for.
EQUAL_HERE = (2, 27, 95, 107, 119, 159, 160, 191)
FURTHER_COLUMN = (108, 235)


def test_mutants_written_without_sight_of_the_checks_fail() -> None:
    mutants = read_mutants(MUTANTS)
    assert len(mutants) == 246
    with closing(shipped_benchmark()) as benchmark:
        outcomes = list(given_outcomes(benchmark, shipped_tasks().tasks, mutants[::EACH]))
    changed = [outcome for outcome in outcomes if outcome.runs and not outcome.equal]
    assert (len(outcomes), len(changed)) == (4, 3)
    assert [outcome.mutant for outcome in changed if outcome.passed] == []


@pytest.mark.usefixtures("default_cohorts")
def test_wrong_queries_with_the_golds_result_on_one_hospital_fail() -> None:
    mutants = read_mutants(MUTANTS)
    chosen = [mutants[line] for line in (*EQUAL_HERE, *FURTHER_COLUMN)]
    with closing(shipped_benchmark()) as benchmark:
        outcomes = list(given_outcomes(benchmark, shipped_tasks().tasks, chosen))
    assert [outcome.mutant for outcome in outcomes if outcome.passed] == []
    assert all(outcome.equal for outcome in outcomes[: len(EQUAL_HERE)])
