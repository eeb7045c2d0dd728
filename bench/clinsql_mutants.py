"""Counts mutants of shipped golds that ClinSQL's programs catch, and points of null submissions.

A mutant is caught if it fails a leaf that its kind breaks, and equal if its result is the gold's.
Null submissions are `SELECT 1`, constants inside the bands, and the gold of another item of the
same scenario and level. Mutants that somebody else wrote are read from JSON Lines, an object a line
with `task`, `sql` and `kind`: from the file that `WARDROUND_MUTANTS` names, or by
`python -m bench.clinsql_mutants FILE`, which names each one that passes with another result.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from bench.figures import Figure, figure
from tools.suites.clinsql_mutants import Mutant, mutants
from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.checks.leaf_verdicts import EX
from wardround.benchmarks.clinsql.declaration import BENCHMARK, STRICT, CohortOptions
from wardround.benchmarks.clinsql.execution import Execution
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.scorer import score
from wardround.benchmarks.clinsql.tasks import shipped_tasks
from wardround.core.actions import Call, Observation
from wardround.core.benchmark import JudgeContext
from wardround.core.declaration import Opening
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.models.roles import UnusedModels

GOAL_PERCENT = 2
GIVEN = "WARDROUND_MUTANTS"


@dataclass(frozen=True, slots=True)
class GivenMutant:
    """A query that somebody wrote with a fault of a kind, for a task."""

    task: str
    sql: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a given mutant: if it runs, gives the gold's result, and passes `strict`."""

    mutant: GivenMutant
    runs: bool
    equal: bool
    passed: bool


def measure() -> list[Figure]:
    """The share of mutants caught by kind, and the mean strict score of null submissions."""
    tasks = shipped_tasks().tasks
    with closing(shipped_benchmark()) as benchmark:
        given = Path(os.environ[GIVEN]) if GIVEN in os.environ else None
        found = _given_figures(benchmark, tasks, given) if given else ()
        return [*_mutants(benchmark, tasks), *_null_submissions(benchmark, tasks), *found]


def main(path: Path) -> None:
    """Scores the mutants of a file, and names those that pass with another result."""
    tasks = shipped_tasks().tasks
    with closing(shipped_benchmark()) as benchmark:
        outcomes = list(given_outcomes(benchmark, tasks, read_mutants(path)))
    for outcome in outcomes:
        if outcome.runs and outcome.passed and not outcome.equal:
            print(f"{outcome.mutant.task}\t{outcome.mutant.kind}\t{outcome.mutant.sql}")
    for each in _shares(outcomes):
        print(f"{each['name']}: {each['value']:g}{each['unit']} ({each['compared_with']})")


def read_mutants(path: Path) -> list[GivenMutant]:
    """The mutants of a file."""
    lines = (orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip())
    return [GivenMutant(each["task"], each["sql"], each.get("kind", "")) for each in lines]


def _given_figures(
    benchmark: CohortBenchmark, tasks: tuple[ClinTask, ...], path: Path
) -> list[Figure]:
    return list(_shares(list(given_outcomes(benchmark, tasks, read_mutants(path)))))


def given_outcomes(
    benchmark: CohortBenchmark, tasks: tuple[ClinTask, ...], given: Iterable[GivenMutant]
) -> Iterator[Outcome]:
    """What each mutant gave and whether it passed."""
    known: Mapping[str, ClinTask] = {task.id: task for task in tasks}
    for mutant in given:
        task = known[mutant.task]
        records = benchmark.executions.hiding(task.hidden.anchor)
        mine, gold = records.of(mutant.sql), records.of(task.hidden.sql)
        graded = score(
            task, _trajectory(mutant.sql), _verdicts(benchmark, task, mutant.sql)
        ).passed[STRICT]
        yield Outcome(mutant, bool(mine.rows), _same_cells(mine, gold), graded)


def _same_cells(mine: Execution, gold: Execution) -> bool:
    """True if all cells are equal as text, columns by place or by name, rows in any order."""
    by_name = [
        sorted(range(len(each.columns)), key=each.columns.__getitem__) for each in (mine, gold)
    ]
    by_place = [list(range(len(each.columns))) for each in (mine, gold)]
    return any(_cells(mine, places[0]) == _cells(gold, places[1]) for places in (by_place, by_name))


def _cells(result: Execution, places: list[int]) -> list[list[str]]:
    return sorted([str(row[at]) for at in places] for row in result.csv.rows)


def _shares(outcomes: list[Outcome]) -> Iterator[Figure]:
    """The share that passes `strict` of mutants with another result, by kind and of all."""
    kinds = sorted({outcome.mutant.kind for outcome in outcomes})
    for kind in (*kinds, None):
        own = [o for o in outcomes if kind is None or o.mutant.kind == kind]
        changed = [o for o in own if o.runs and not o.equal]
        passed = sum(o.passed for o in changed)
        share = 100 * passed / len(changed) if changed else 0.0
        name = "all" if kind is None else kind
        equal, idle = sum(o.equal for o in own), sum(not o.runs for o in own)
        rest = f"{equal} equal to the gold, {idle} give nothing; goal: at most {GOAL_PERCENT}%"
        compared = f"{passed} of {len(changed)} with another result; {rest}"
        yield figure(f"ClinSQL given mutants that pass strict: {name}", share, "%", compared)


def shipped_benchmark() -> CohortBenchmark:
    """ClinSQL with the shipped suite, without a judge."""
    opening = Opening(CohortOptions(), {}, BENCHMARK.limits, UnusedModels())
    return CohortBenchmark.open(opening)


def _mutants(benchmark: CohortBenchmark, tasks: tuple[ClinTask, ...]) -> Iterator[Figure]:
    made, caught, equal = Counter[str](), Counter[str](), Counter[str]()
    for task in tasks:
        for mutant in mutants(task.hidden.sql):
            name = mutant.kind.name
            verdicts = _verdicts(benchmark, task, mutant.sql)
            if _is_caught(task, mutant, verdicts):
                caught[name] += 1
            elif _is_equal(verdicts):
                equal[name] += 1
            made[name] += 1
    for name, count in made.items():
        different = count - equal[name]
        compared = f"{caught[name]} of {different} that differ; {equal[name]} equal to the gold"
        share = 100 * caught[name] / different if different else 0.0
        yield figure(f"ClinSQL mutants caught: {name}", share, "%", compared)


def _is_caught(task: ClinTask, mutant: Mutant, verdicts: list[Verdict]) -> bool:
    """True if it fails a leaf with a check of a kind that it breaks."""
    checks = task.hidden.checks
    failed = (checks.get(v.item) for v in verdicts if v.state == "failed")
    return any(check and mutant.kind.breaks & _kinds(check) for check in failed)


def _kinds(check: dict[str, Any]) -> set[str]:
    """The kind of a check and of its parts."""
    parts = check.get("checks") or check.get("parts") or ()
    own = {str(check.get("kind"))}
    return own.union(*(_kinds(part) for part in parts if isinstance(part, dict)))


def _is_equal(verdicts: list[Verdict]) -> bool:
    return any(v.item == EX and v.points == 1 for v in verdicts)


def _null_submissions(benchmark: CohortBenchmark, tasks: tuple[ClinTask, ...]) -> Iterator[Figure]:
    submitted = {
        "SELECT 1": ["SELECT 1"] * len(tasks),
        "constants": [_constants(task) for task in tasks],
        "another item's gold": [_neighbour(task, tasks).hidden.sql for task in tasks],
    }
    for name, queries in submitted.items():
        rewards = [_reward(benchmark, t, sql) for t, sql in zip(tasks, queries, strict=True)]
        mean = 100 * sum(rewards) / len(rewards)
        goal = f"goal: at most {GOAL_PERCENT}%; largest {100 * max(rewards):.1f}%"
        yield figure(f"ClinSQL null submissions, strict: {name}", mean, "%", goal)


def _constants(task: ClinTask) -> str:
    """The gold's first row as constants."""
    result = task.hidden.result
    pairs = zip(result.rows[0], result.columns, strict=True)
    cells = (f"{_literal(str(cell))} AS {name}" for cell, name in pairs)
    return f"SELECT {', '.join(cells)}"


def _literal(cell: str) -> str:
    try:
        float(cell)
    except ValueError:
        return f"'{cell}'"
    return cell


def _neighbour(task: ClinTask, tasks: tuple[ClinTask, ...]) -> ClinTask:
    same = [each for each in tasks if each.labels == task.labels]
    return same[(same.index(task) + 1) % len(same)]


def _reward(benchmark: CohortBenchmark, task: ClinTask, sql: str) -> float:
    return score(task, _trajectory(sql), _verdicts(benchmark, task, sql)).rewards[STRICT]


def _verdicts(benchmark: CohortBenchmark, task: ClinTask, sql: str) -> list[Verdict]:
    async def collected() -> list[Verdict]:
        return [v async for v in benchmark.judge(task, _trajectory(sql), JudgeContext())]

    return asyncio.run(collected())


def _trajectory(sql: str) -> Trajectory:
    trajectory = Trajectory()
    action = Call("submit_sql", {"query": sql})
    trajectory.acted(action)
    trajectory.observed(Observation("", "tool", done=True), action)
    return trajectory


if __name__ == "__main__":
    main(Path(sys.argv[1]))
