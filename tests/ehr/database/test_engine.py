"""Engines recognised by location, without loading any of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.core.errors import UserError
from wardround.ehr.database import engine_of
from wardround.ehr.database.engine import engines

_ENGINES = ("bigquery", "duckdb", "googlesql", "postgres", "spark", "sqlite")


@for_each(
    [
        ("postgresql:ward", "postgres"),
        ("postgres://someone@example.org/ward", "postgres"),
        ("bigquery://project/dataset", "bigquery"),
        ("spark:/data/ward", "spark"),
        ("new.sqlite", "sqlite"),
        ("new.db", "sqlite"),
        ("new.ddb", "duckdb"),
    ]
)
def test_location_is_recognised_by_scheme_or_suffix(location: str, engine: str) -> None:
    assert engine_of(location) is engines()[engine]


def test_content_of_a_file_decides_before_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "ward.sqlite"
    path.write_bytes(b"\0" * 8 + b"DUCK" + b"\0" * 100)
    assert engine_of(str(path)) is engines()["duckdb"]
    path.write_bytes(b"PK" * 100)
    with pytest.raises(UserError, match="no installed engine"):
        engine_of(str(path))


def test_engine_that_cannot_write_says_what_can() -> None:
    with pytest.raises(UserError, match="EXPORT DATABASE"):
        engine_of("spark:ward").write("spark:ward")


def test_recognising_loads_declarations_only() -> None:
    script = """
import sys
from wardround.ehr.database import engine_of
for location in ("postgresql:ward", "bigquery://a/b", "ward.duckdb", "ward.sqlite"):
    engine_of(location)
print(*sorted(sys.modules))
"""
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(result.stdout.split())
    heavy = {"duckdb", "hashlib", "psycopg", "pydantic", "sqlglot", "sqlite3", "subprocess"}
    assert not loaded & heavy
    within = {name for name in loaded if name.startswith("wardround.ehr.database.")}
    parts = {name.removeprefix("wardround.ehr.database.") for name in within}
    assert {name for name in parts if "." in name} == {f"{name}.engine" for name in _ENGINES}
