"""Measures compiling and deciding the checks of ClinSQL items, queries left out.

Items are made here with as many leaves and columns as published ones have on average (hard ones:
14 SQL leaves, 15 results leaves); results have 1 or 1,773 rows, the most of a published gold. Half
of the submissions rename their columns.
"""

from statistics import median
from time import perf_counter

from bench.figures import Figure, figure
from wardround.benchmarks.clinsql.checks.finding import Finding
from wardround.benchmarks.clinsql.checks.model import LeafCheck
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.program_verdicts import ProgramGrader
from wardround.benchmarks.clinsql.result_files import CsvTable
from wardround.benchmarks.clinsql.tasks import ClinTask, CohortGold, CohortQuestion
from wardround.core.task import Task
from wardround.scoring.rubrics.tree import RubricNode

ITEMS, GOAL_MS = 200, 50
ROWS = (1, 1773)
_COLUMNS = ("admission_count", "mean_los_days", "q1_los", "median_los", "mortality_pct")
_RENAMED = ("admission_count", "avg_length_of_stay", "p25_stay", "stay_middle", "death_share")
_SQL = (
    "Keeps women only (gender = 'F').",
    "Keeps ages {low} to {high} by anchor_age.",
    "Joins patients and admissions on subject_id.",
    "Diagnoses are found by ICD-10 codes that begin with I21 or I22.",
    "Keeps the first 24 hours after ICU admission.",
    "Builds an instability score from vital signs.",
    "Counts distinct patients.",
)


def measure() -> list[Figure]:
    """The median time of an item, first seen and seen again, by rows of its result."""
    return [found for rows in ROWS for found in _figures(rows)]


def _figures(rows: int) -> list[Figure]:
    tasks = [_task(number) for number in range(ITEMS)]
    grader = ProgramGrader(_NoDatabase(), 1.0, _decide_sql)
    first = median(_milliseconds(grader, task, rows) for task in tasks)
    again = median(_milliseconds(grader, task, rows) for task in tasks)
    name = f"ClinSQL checks, 29 leaves, {rows:,} rows"
    goal = f"goal: at most {GOAL_MS} ms an item"
    return [
        figure(f"{name}: first submission", first, "ms", goal),
        figure(f"{name}: another submission", again, "ms", goal),
    ]


def _milliseconds(grader: ProgramGrader, task: ClinTask, rows: int) -> float:
    columns = _COLUMNS if int(task.id) % 2 else _RENAMED
    cells: tuple[float, ...] = (120, 4.5, 2.0, 3.5, 7.5)
    outcome = Execution(columns, [cells] * rows)
    began = perf_counter()
    found = list(grader.verdicts(task, "SELECT 1", outcome))
    taken = 1000 * (perf_counter() - began)
    assert found
    return taken


class _NoDatabase(Executions):
    """Stands for a database as large as MIMIC-IV 3.1; runs nothing."""

    def __init__(self) -> None:
        pass

    def of(self, sql: str) -> Execution:
        """The published number of rows."""
        return Execution(("n",), [(364_627 if "patients" in sql else 546_028,)])


def _decide_sql(check: LeafCheck, task: ClinTask, sql: str, outcome: Execution) -> Finding:
    return Finding("undecided")


def _task(number: int) -> ClinTask:
    sql = [text.format(low=40 + number % 30, high=50 + number % 30) for text in (*_SQL, *_SQL)]
    gold = CohortGold(
        sql="SELECT 1",
        result=CsvTable(_COLUMNS, (("120", "4.5", "2", "3.5", "7.5"),)),
        sql_rubric=RubricNode("sql", "SQL", children=_leaves("s", sql)),
        results_rubric=RubricNode("results", "Results", children=(_format(), *_values(number))),
    )
    return Task(str(number), CohortQuestion("?"), gold)


def _format() -> RubricNode:
    texts = [
        "A CSV file with rows exists.",
        *(f"A column exists for this (e.g. `{name}`)." for name in _COLUMNS),
        "No cell is NULL or empty.",
    ]
    return RubricNode("format", "Format", sequential=True, children=_leaves("f", texts))


def _values(number: int) -> tuple[RubricNode, ...]:
    texts = [f"Clinically Plausible (0-{1000 + number})", "Acceptable Range (1-200)"]
    return tuple(
        RubricNode(f"value-{name}", name.replace("_", " "), children=_leaves(name, texts))
        for name in _COLUMNS[:4]
    )


def _leaves(prefix: str, texts: list[str]) -> tuple[RubricNode, ...]:
    return tuple(RubricNode(f"{prefix}-{at}", text) for at, text in enumerate(texts))
