"""Mutants of the shipped golds that somebody wrote without sight of the checks.

Of all 246, 206 gave another result than the gold, and two of these passed `strict` (23 November
2026): each adds a column that was not asked for. Of 36 that gave the gold's, at least eight passed.
A part is scored here; `python -m
bench.clinsql_mutants tests/benchmarks/clinsql/fixtures/mutants.jsonl` scores all.
"""

from contextlib import closing
from pathlib import Path

from bench.clinsql_mutants import given_outcomes, read_mutants, shipped_benchmark
from wardround.benchmarks.clinsql.item_folders import shipped_items

MUTANTS = Path(__file__).parent / "fixtures/mutants.jsonl"
EACH = 62


def test_mutants_written_without_sight_of_the_checks_fail() -> None:
    mutants = read_mutants(MUTANTS)
    assert len(mutants) == 246
    with closing(shipped_benchmark()) as benchmark:
        outcomes = list(given_outcomes(benchmark, shipped_items().tasks, mutants[::EACH]))
    changed = [outcome for outcome in outcomes if outcome.runs and not outcome.equal]
    assert (len(outcomes), len(changed)) == (4, 3)
    assert [outcome.mutant for outcome in changed if outcome.passed] == []
