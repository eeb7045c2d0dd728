"""The alternative to `wardround score` for EHRSQL 2024: a process pool over all pairs.

Each process has its own connection and runs the gold and the prediction of a pair in sequence,
following the published rules.

Usage: `python bench/ehrsql_pool.py DATABASE LABELS PREDICTIONS PROCESSES`
"""

import json
import re
import sqlite3
import sys
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from typing import Any

NOW = "2100-12-31 23:59:00"
BOUNDS = {
    "temperature": ("35.5", "38.1"),
    "sao2": ("95.0", "100.0"),
    "heart_rate": ("60.0", "100.0"),
    "respiration": ("12.0", "18.0"),
    "systolic_bp": ("90.0", "120.0"),
    "diastolic_bp": ("60.0", "90.0"),
    "mean_bp": ("60.0", "110.0"),
}
connection: sqlite3.Connection


def main(database: str, labels_file: str, predictions_file: str, processes: int) -> None:
    """Prints the share of points for all labels as JSON."""
    golds, answers = (
        json.loads(Path(file).read_bytes()) for file in (labels_file, predictions_file)
    )
    pairs = [(gold, answers.get(id, "")) for id, gold in golds.items()]
    with Pool(processes, partial(connect, database)) as pool:
        results = pool.map(points, pairs, chunksize=8)
    print(json.dumps({"RS(0)": 100 * sum(point == 1 for point in results) / len(results)}))


def connect(database: str) -> None:
    """Opens the database in a process of the pool."""
    global connection
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)


def points(pair: tuple[str, str]) -> int:
    """Returns 1 for a right answer or refusal, 0 for a wrong refusal, -1 otherwise."""
    gold, answer = (rows(sql) for sql in pair)
    if answer is not None and answer == gold:
        return 1
    return 0 if answer == "null" else -1


def rows(sql: str) -> Any:
    """Returns the compared rows, "null" for a refusal, None for a failing query."""
    if sql == "null":
        return sql
    try:
        result = connection.execute(preprocessed(sql)).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return None
    return sorted([number(cell) for cell in row] for row in result)[:100]


def preprocessed(sql: str) -> str:
    """Preprocesses a query like the published scorer."""
    sql = re.sub(" +", " ", sql[max(sql.find("SELECT"), 0) :].replace("\n", " "))
    sql = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
    sql = sql.replace("current_time", f"'{NOW}'")
    for name, (lower, upper) in BOUNDS.items():
        if f"{name}_lower" in sql and f"{name}_upper" in sql:
            sql = sql.replace(f"{name}_lower", lower).replace(f"{name}_upper", upper)
    return sql.replace("%y", "%Y").replace("%j", "%J")


def number(cell: Any) -> str:
    """Formats a cell for comparison."""
    try:
        return str(round(float(cell), 3))
    except (TypeError, ValueError):
        return str(cell)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
