"""Measures compiling and deciding the checks of ClinSQL items, the run of queries left out.

Items are made here with as many leaves and columns as published ones have on average (hard ones:
14 SQL leaves, 15 results leaves); results have 1 or 1,773 rows, the most of a published gold. Half
of the submissions rename their columns. Checks of the query's text are decided too, with the codes,
items and drugs of a synthetic hospital; the gold is analysed with the first submission. These
items are alike, so that most of their conditions have been tried on items before. The shipped items
are measured besides, on their hospital: each gold first seen, then the gold of a neighbour.
"""

import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from bench.figures import Figure, figure
from wardround.benchmarks.clinsql.checks.program_verdicts import ProgramGrader
from wardround.benchmarks.clinsql.checks.queries.decider import decide_sql
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold.sql_grader import SqlGrader
from wardround.benchmarks.clinsql.items.checks import LeafCheck, ResultsCheck
from wardround.benchmarks.clinsql.items.item import ClinTask, CohortGold, CohortQuestion
from wardround.benchmarks.clinsql.items.result_files import CsvTable
from wardround.benchmarks.clinsql.record_database import open_records
from wardround.benchmarks.clinsql.tasks import shipped_tasks
from wardround.benchmarks.kit.checks import Finding
from wardround.core.task import Task
from wardround.ehr.database import Database, ResultTable, open_database
from wardround.ehr.hospital import build_hospital, default_cohort_hospital
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
_STATEMENT = """
WITH stays AS (
  SELECT p.subject_id, a.hadm_id, i.stay_id, i.intime,
    DATETIME_DIFF(a.dischtime, a.admittime, HOUR) / 24 AS los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON a.subject_id = p.subject_id
  JOIN `physionet-data.mimiciv_3_1_icu.icustays` AS i ON i.hadm_id = a.hadm_id
  WHERE p.gender = 'F' AND {ages} AND a.hadm_id IN (
    SELECT d.hadm_id FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    WHERE d.icd_version = 10 AND (d.icd_code LIKE 'I21%' OR d.icd_code LIKE 'I22%'))
), vitals AS (
  SELECT s.stay_id, AVG(c.valuenum) AS score FROM stays AS s
  JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS c ON c.stay_id = s.stay_id
  WHERE c.itemid = 220045
    AND c.charttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 24 HOUR)
  GROUP BY s.stay_id
)
SELECT COUNT(DISTINCT s.subject_id) AS admission_count, AVG(s.los) AS mean_los_days
FROM stays AS s JOIN vitals AS v ON v.stay_id = s.stay_id
"""
_GOLD_AGES = "p.anchor_age >= {low} AND p.anchor_age <= {high}"
_BETWEEN = "p.anchor_age BETWEEN {low} AND {high}"
_COMPARED = "p.anchor_age > {low} - 1 AND NOT p.anchor_age > {high}"


def measure() -> list[Figure]:
    """The median time of an item, first seen and seen again, by rows of its result."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hospital.duckdb"
        build_hospital(path, patients=20, schema="mimic_iv")
        with closing(open_database(f"googlesql:{path}")) as database:
            records = Executions(database, 60.0)
            vocabulary(records)
            found = [each for rows in ROWS for each in _figures(rows, records)]
    return [*found, *_shipped_figures()]


def _figures(rows: int, records: Executions) -> list[Figure]:
    grader = ProgramGrader(_NoDatabase(), 1.0, partial(_decide_sql, records))
    firsts, others = [], []
    for number in range(ITEMS):
        task = _task(number)
        firsts.append(_milliseconds(grader, task, rows, _query(_BETWEEN, number)))
        others.append(_milliseconds(grader, task, rows, _query(_COMPARED, number)))
    first, again = median(firsts), median(others)
    name = f"ClinSQL checks, 29 leaves, SQL decided, {rows:,} rows"
    goal = f"goal: at most {GOAL_MS} ms an item"
    return [
        figure(f"{name}: first submission", first, "ms", goal),
        figure(f"{name}: another submission", again, "ms", goal),
    ]


def _shipped_figures() -> list[Figure]:
    """The median processor time of a shipped item's checks, beside the queries that they run."""
    tasks = shipped_tasks().tasks
    golds = [task.hidden.sql for task in tasks]
    with closing(_Timed(default_cohort_hospital())) as database:
        records = Executions(database, 60.0)
        vocabulary(records)
        queries = SqlGrader(records, hospitals=False)
        grader = ProgramGrader(records, 1.0, queries.decide)

        def beside(task: ClinTask, sql: str) -> float:
            """The milliseconds of a submission's checks without those of queries."""
            outcome = records.hiding(task.hidden.anchor).of(sql)
            began, before = process_time(), database.seconds
            list(grader.verdicts(task, sql, outcome))
            list(queries.verdicts(task, sql, outcome))
            return 1000 * (process_time() - began - (database.seconds - before))

        first = median(map(beside, tasks, golds))
        again = median(map(beside, tasks, [*golds[1:], golds[0]]))
    name, goal = "ClinSQL checks of shipped items", f"goal: at most {GOAL_MS} ms an item"
    return [
        figure(f"{name}: the gold, first seen", first, "ms of processor time", goal),
        figure(f"{name}: the gold of another item", again, "ms of processor time", goal),
    ]


class _Timed(Database):
    """A database that adds up the seconds of its queries."""

    def __init__(self, path: Path) -> None:
        super().__init__(open_records(str(path)).driver)
        self.seconds = 0.0

    def execute(
        self, sql: str, *, rows: int | None = 100, seconds: float = 60.0, memory: int | None = None
    ) -> ResultTable:
        """Runs a query, its time counted."""
        began = process_time()
        try:
            return super().execute(sql, rows=rows, seconds=seconds, memory=memory)
        finally:
            self.seconds += process_time() - began


def _milliseconds(grader: ProgramGrader, task: ClinTask, rows: int, sql: str) -> float:
    columns = _COLUMNS if int(task.id) % 2 else _RENAMED
    cells: tuple[float, ...] = (120, 4.5, 2.0, 3.5, 7.5)
    outcome = Execution(columns, [cells] * rows)
    began = perf_counter()
    found = list(grader.verdicts(task, sql, outcome))
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


def _decide_sql(
    records: Executions, check: LeafCheck, task: ClinTask, sql: str, outcome: Execution
) -> Finding:
    if isinstance(check, ResultsCheck):  # one that the result leaves open
        return Finding("undecided")
    return decide_sql(check, sql, task, records)


def _query(ages: str, number: int) -> str:
    return _STATEMENT.format(ages=ages.format(low=40 + number % 30, high=50 + number % 30))


def _task(number: int) -> ClinTask:
    sql = [text.format(low=40 + number % 30, high=50 + number % 30) for text in (*_SQL, *_SQL)]
    gold = CohortGold(
        sql=_query(_GOLD_AGES, number),
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
