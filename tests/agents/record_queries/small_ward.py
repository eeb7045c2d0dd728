"""A small ward with its record map, for questions to a language model."""

from pathlib import Path

import duckdb

MAP = """\
layout = "ours"

[written."patient.sex"]
female = ["f"]
male = ["m"]

[patient]
from = "people"
columns = { patient = "no", sex = "sex", birth = "born", death = "died" }

[admission]
from = "stays"
columns = { patient = "person", admission = "no", time = "came", finish = "went" }

[drug]
from = "orders"
columns = { patient = "person", time = "ordered", name = "item" }

[lab]
from = "results"
columns = { patient = "person", time = "taken", name = "test", value = "result" }
"""
STATEMENTS = (
    "CREATE TABLE people (no INTEGER, sex TEXT, born DATE, died DATE)",
    "CREATE TABLE stays (no INTEGER, person INTEGER, came TIMESTAMP, went TIMESTAMP)",
    "CREATE TABLE orders (person INTEGER, ordered TIMESTAMP, item TEXT)",
    "CREATE TABLE results (person INTEGER, taken TIMESTAMP, test TEXT, result DOUBLE)",
    "INSERT INTO people SELECT n, CASE WHEN n % 2 = 0 THEN 'f' ELSE 'm' END, '2050-01-01', NULL "
    "FROM range(1, 21) r(n)",
    "INSERT INTO stays SELECT 100 + n, n, '2101-01-01', '2101-01-09' FROM range(1, 21) r(n)",
    "INSERT INTO orders SELECT n, '2101-01-02', 'Heparin' FROM range(1, 8) r(n)",
    "INSERT INTO orders SELECT n, '2101-01-03', 'Insulin' FROM range(5, 15) r(n)",
    "INSERT INTO results SELECT n, '2101-01-02', 'Potassium', 3 + n / 10.0 FROM range(1, 21) r(n)",
)


def write_ward(folder: Path) -> tuple[Path, Path]:
    """The database's file and that of its map, written to a folder."""
    path, map_path = folder / "ward.duckdb", folder / "map.toml"
    with duckdb.connect(str(path)) as made:
        for statement in STATEMENTS:
            made.execute(statement)
    map_path.write_text(MAP)
    return path, map_path
