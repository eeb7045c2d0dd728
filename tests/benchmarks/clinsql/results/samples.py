"""Folders in the published forms, written for tests."""

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.clinsql.item_samples import GOLD, RESULTS_RUBRIC, SQL_RUBRIC

ITEM = "Vital_Signs_Monitoring/easy/001"
OTHER = "Medication_Management/hard/001"
# Leaves of `items.py` by tree.
LEAVES = {"sql": ("sex", "age"), "results": ("csv-file-exists", "column", "plausible")}
PLACEHOLDER = 'result\n""'


def item_path(id: str = ITEM) -> Path:
    scenario, level, number = id.split("/")
    return Path(scenario, f"{level}_level_queries", number)


def write_submission(
    folder: Path,
    model: str = "a-model",
    id: str = ITEM,
    *,
    split: str = "test",
    form: str = "summary",
    sql: str = GOLD,
    result: str | None = "admissions,mean_los_days\n10,4.5\n",
    errors: tuple[str, ...] = (),
    rows: int = 1,
) -> Path:
    """A submission: attempts that failed with errors, and a last one that ran if it has rows."""
    path = folder / "outputs" / "inference" / model / split / item_path(id)
    path.mkdir(parents=True)
    number = path.name
    attempts: list[dict[str, Any]] = [
        {"attempt": n, "success": False, "row_count": 0, "error": error}
        for n, error in enumerate(errors, start=1)
    ]
    if rows >= 0:
        last = {"attempt": len(errors) + 1, "success": True, "row_count": rows, "error": None}
        attempts.append(last)
    (path / f"query_{number}.txt").write_text("A question.")
    (path / f"sql_{number}.sql").write_text(sql)
    if result is not None:
        (path / f"result_{number}.csv").write_text(result)
    # Copies of the rubrics, which readers ignore.
    (path / "sql_rubric_tree.json").write_text(json.dumps(SQL_RUBRIC))
    (path / "results_rubric_tree.json").write_text(json.dumps(RESULTS_RUBRIC))
    summary: dict[str, Any] = {
        "query": "A question.",
        "final_sql": sql,
        "execution_success": rows >= 0,
        "row_count": max(rows, 0),
        "final_error": None if rows >= 0 else errors[-1],
        "model": model,
        "model_id": f"{model}-2025",
        "refinement_attempts": attempts,
    }
    if form == "attempts":
        listed = [{**attempt, "sql": sql} for attempt in attempts]
        name = f"attempts_{number}.json"
        summary = {"attempts": listed, "final_success": rows >= 0, "final_row_count": max(rows, 0)}
        (path / name).write_text(json.dumps(summary))
    elif form == "summary":
        (path / "execution_summary.json").write_text(json.dumps(summary))
    return path


def sample(
    id: str = ITEM,
    failed: tuple[str, ...] = (),
    *,
    scores: tuple[float, float] = (1.0, 1.0),
    split: str = "test",
    inner: dict[str, dict[str, float]] | None = None,
    root: str = "/somewhere/of/theirs/outputs/inference/a-model",
    explanation: str = "As it should be.",
) -> dict[str, Any]:
    """A graded sample; `failed` names leaves, `inner` adds grades of inner nodes."""

    def grade(score: float) -> dict[str, Any]:
        return {"score": score, "explanation": explanation, "critical": False, "weight": 1}

    graded = {
        f"{tree}_evaluations": {
            **{leaf: grade(float(leaf not in failed)) for leaf in leaves},
            **{id: grade(score) for id, score in (inner or {}).get(tree, {}).items()},
        }
        for tree, leaves in LEAVES.items()
    }
    path = f"{root}/{split}/{item_path(id)}"
    sql, results = scores
    return {"sample_path": path, "sql_score": sql, "results_score": results, **graded}


def write_grades(
    folder: Path, samples: list[dict[str, Any]], model: str = "a-model", split: str = "test"
) -> Path:
    """Both verdict files of a model and split."""
    path = folder / "outputs" / "evaluation" / model / split
    path.mkdir(parents=True)
    details = {"summary": {"split": split}, "detailed_evaluations": samples}
    kept = ("sample_path", "sql_score", "results_score")
    short = [{name: each[name] for name in kept if name in each} for each in samples]
    (path / "detailed_grading.json").write_text(json.dumps(details))
    (path / "scoring_results.json").write_text(json.dumps({"summary": {}, "samples": short}))
    return path
