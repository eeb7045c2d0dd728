"""The records of a database at hand: empty tables count as absent, ends that never come do not."""

from contextlib import closing
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import open_database
from wardround.ehr.records import latest_time, records_of

MAP = """\
layout = "ours"

[patient]
from = "people"
columns = { patient = "no" }

[drug]
from = "orders"
columns = { patient = "person", time = "ordered", name = "item" }

[lab]
from = "results"
columns = { patient = "person", time = "taken", name = "test" }
"""
STATEMENTS = (
    "CREATE TABLE people (no INTEGER)",
    "CREATE TABLE orders (person INTEGER, ordered TIMESTAMP, item TEXT)",
    "CREATE TABLE results (person INTEGER, taken TIMESTAMP, test TEXT)",
    "INSERT INTO people VALUES (1)",
    "INSERT INTO orders VALUES (1, '2101-02-03 04:05:06.7', 'Heparin'), (1, '9999-12-31', 'Water')",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "small.duckdb")) as made:
        for statement in STATEMENTS:
            made.execute(statement)
    return tmp_path / "small.duckdb"


def written(text: str, folder: Path) -> Path:
    (folder / "map.toml").write_text(text)
    return folder / "map.toml"


def test_an_empty_table_counts_as_absent(path: Path, tmp_path: Path) -> None:
    with closing(open_database(path)) as database:
        assert set(records_of(database, written(MAP, tmp_path)).kinds) == {"patient", "drug"}


def test_the_latest_time_is_that_of_a_record(path: Path, tmp_path: Path) -> None:
    with closing(open_database(path)) as database:
        records = records_of(database, written(MAP, tmp_path))
        assert latest_time(records, database) == datetime(2101, 2, 3, 4, 5, 6)


def test_a_map_that_names_a_missing_column_is_refused_with_its_line(
    path: Path, tmp_path: Path
) -> None:
    text = MAP.replace('"item"', '"itm"')
    with (
        closing(open_database(path)) as database,
        pytest.raises(UserError, match=r"map\.toml, line 9: 'drug' names a column that orders"),
    ):
        records_of(database, written(text, tmp_path))


def test_a_changed_map_may_have_more_than_the_database(path: Path, tmp_path: Path) -> None:
    text = MAP.replace('layout = "ours"', 'layout = "ours"\nof = "omop_5_4"')
    with closing(open_database(path)) as database:
        assert "drug" in records_of(database, written(text, tmp_path)).kinds
