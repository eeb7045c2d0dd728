"""Items in the published form, written for tests."""

import json
from pathlib import Path
from typing import Any

from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.items.item_folders import ItemFolder
from wardround.benchmarks.clinsql.tasks import read_item

QUESTION = (
    "I am looking after a 60-year-old woman. Among women aged 55 to 65, how many admissions were "
    "there, and what was their mean length of stay in days?"
)
GOLD = """SELECT COUNT(*) AS admissions,
  ROUND(AVG(DATETIME_DIFF(a.dischtime, a.admittime, HOUR) / 24), 2) AS mean_los_days
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 55 AND 65"""
RESULT = "admissions,mean_los_days\n10,4.5\n"


def leaf(id: str, requirement: str, **more: Any) -> dict[str, Any]:
    flags = {"sequential": False, "critical": False, "scoring": "1/0", "sub_tasks": []}
    return {"id": id, "requirements": requirement, **flags, **more}


SQL_RUBRIC: dict[str, Any] = {
    "id": "sql-query-evaluation-root",
    "requirements": "SQL Query Evaluation",
    "sequential": False,
    "sub_tasks": [
        {
            "id": "patient-cohort-construction",
            "requirements": "Patient Cohort Construction",
            "weight": 3,
            "sub_tasks": [
                leaf("sex", "Only women are kept (gender is 'F').", critical=True),
                leaf("age", "Ages 55 to 65 are kept."),
            ],
        }
    ],
}
RESULTS_RUBRIC: dict[str, Any] = {
    "id": "results-validation-root",
    "requirements": "Results Validation",
    "sequential": False,
    "sub_tasks": [
        {
            "id": "output-format-validation",
            "requirements": "Output Format Validation",
            "weight": 1,
            "sequential": True,
            "sub_tasks": [
                leaf("csv-file-exists", "A CSV file is there."),
                leaf("column", "A column of admissions is there (e.g. `admissions`)."),
            ],
        },
        {
            "id": "output-feature-validation",
            "requirements": "Clinical Value Validation",
            "weight": 2,
            "sequential": True,
            "sub_tasks": [leaf("plausible", "Admissions lie between 1 and 1000.")],
        },
    ],
}
LEAVES = ["sql:sex", "sql:age", "results:csv-file-exists", "results:column", "results:plausible"]


def write_item(
    folder: Path,
    id: str = "Vital_Signs_Monitoring/easy/001",
    *,
    sql: str = GOLD,
    result: str = RESULT,
    sql_rubric: Any = SQL_RUBRIC,
    results_rubric: Any = RESULTS_RUBRIC,
) -> Path:
    """An item's folder below `folder`; its path."""
    scenario, level, number = id.split("/")
    path = folder / scenario / f"{level}_level_queries" / number
    path.mkdir(parents=True, exist_ok=True)
    (path / f"query_{number}.txt").write_text(QUESTION)
    (path / f"sql_{number}.sql").write_text(sql)
    (path / f"result_{number}.csv").write_text(result)
    (path / "sql_rubric_tree.json").write_text(json.dumps(sql_rubric))
    (path / "results_rubric_tree.json").write_text(json.dumps(results_rubric))
    return path


def item(folder: Path, **more: Any) -> ClinTask:
    """The item of `write_item`, read."""
    path = write_item(folder, **more)
    return read_item(ItemFolder(path, "Vital_Signs_Monitoring", "easy", "001", "test"))[0]
