"""A small release, written as files, and a build of it."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from wardround.ehr.database import Cell, write_database
from wardround.ehr.ingest.release import BuildReport, build, find_sources
from wardround.ehr.schema import Column, Schema, Table

VISITS = Table(
    name="visits",
    meaning="One row per visit.",
    columns=(
        Column("visit_id", "INTEGER", "the visit"),
        Column("ward", "TEXT", "where", null=True),
        Column("day", "DATE", "which day", null=True),
        Column("came", "TIMESTAMP", "when", null=True),
        Column("weight", "REAL", "how heavy", null=True),
    ),
    key=("visit_id",),
    module="hosp",
    indexes=(("ward",),),
)
WARDS = Table("wards", "One row per ward.", (Column("ward", "TEXT", "its name"),), key=("ward",))
SCHEMA = Schema("small", "Two tables.", (WARDS, VISITS), {"1.0": {"wards": 1, "visits": 2}})

ENDINGS = (".sqlite", pytest.param(".duckdb", marks=pytest.mark.slow))
HEADER = b"visit_id,ward,day,came,weight\n"
ROWS = b'1,"east, ""new""",2100-01-02,2100-01-02 03:04:05,70.5\n2,,,,\n'


class Builder:
    """Builds databases of one engine from a folder and reads them back."""

    def __init__(self, folder: Path, suffix: str):
        self.folder = folder / "release"
        self.location = str(folder / f"built{suffix}")
        self.faults = folder / "faults"
        self.folder.mkdir()

    def write(self, name: str, content: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)

    def build(self, schema: Schema = SCHEMA, **others: Any) -> BuildReport:
        layout = find_sources(schema, self.folder)
        with closing(write_database(self.location)) as target:
            return build(schema, layout, target, self.faults, **others)

    def rows(self, sql: str) -> list[tuple[Cell, ...]]:
        with closing(write_database(self.location)) as target:
            return target.query(sql)

    def text(self, column: str) -> str:
        """SQL of a time as text, the same on every engine."""
        return f"CAST({column} AS VARCHAR)"


@pytest.fixture(params=ENDINGS)
def builder(tmp_path: Path, request: pytest.FixtureRequest) -> Builder:
    return Builder(tmp_path, request.param)


@pytest.fixture(params=ENDINGS)
def make_builder(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Callable[[], Builder]:
    return lambda: Builder(tmp_path_factory.mktemp("built"), request.param)
