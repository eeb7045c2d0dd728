"""Builds the synthetic hospital as a SQLite file."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from wardround.core.errors import UserError
from wardround.ehr.hospital.dictionaries import dictionary_rows
from wardround.ehr.hospital.people import PEOPLE
from wardround.ehr.hospital.rows import Row, lines_of
from wardround.ehr.schema import Renaming, Schema, create_statements, load_renaming, load_schema

ORIGINAL = "ehrsql_mimic_iv"
SCHEMAS = (ORIGINAL, "mimic_iv_star")
INDEXED = {"subject_id", "hadm_id", "stay_id", "itemid", "icd_code"}
BATCH = 2_000


def build_hospital(
    target: Path, *, patients: int = 100, seed: int = 0, schema: str = "mimic_iv_star"
) -> None:
    """Writes a synthetic hospital to a SQLite file, which appears only when it is whole.

    A person's rows depend on seed and place alone, so a larger hospital begins with the smaller
    one's people. The year is 2100 and the current time 2100-12-31 23:59:00, as in EHRSQL.

    Args:
        target: The file to write; one that is there is replaced.
        patients: How many people, 1 to 100,000.
        seed: Same seed, same rows.
        schema: "ehrsql_mimic_iv" (EHRSQL's form) or "mimic_iv_star" (EHR-ChatQA's renaming).

    Raises:
        UserError: If the number of patients or the schema cannot be served.
    """
    if not 1 <= patients <= PEOPLE:
        raise UserError(f"a hospital has 1 to {PEOPLE} patients, not {patients}")
    if schema not in SCHEMAS:
        raise UserError(f"no hospital in schema {schema!r}; choose one of {', '.join(SCHEMAS)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=target.parent, prefix=f".{target.name}-") as folder:
        path = Path(folder) / "hospital.sqlite"
        with closing(sqlite3.connect(path)) as database:
            _write(database, schema, seed, patients)
        path.replace(target)


def _write(database: sqlite3.Connection, schema: str, seed: int, patients: int) -> None:
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    for statement in create_statements(load_schema(schema)):
        database.execute(statement)
    original, names = load_schema(ORIGINAL), load_renaming(schema)
    writing = _Writing(database, original, names)
    for table, row in chain(dictionary_rows(), _lines(seed, patients)):
        writing.add(table, row)
    writing.flush()
    for statement in _indexes(original, names):
        database.execute(statement)
    database.commit()


def _lines(seed: int, patients: int) -> Iterator[tuple[str, Row]]:
    """Rows of all people, each charge directly after the event charged for."""
    numbers: Counter[str] = Counter()
    for index in range(patients):
        for table, row, price, charged in lines_of(seed, index):
            yield table, row
            if price is not None:
                yield "cost", (*row[:2], table, numbers[table], charged, price)
            numbers[table] += 1


class _Writing:
    """Numbers rows by table and inserts them in batches."""

    def __init__(
        self, database: sqlite3.Connection, original: Schema, names: Renaming | None
    ) -> None:
        self._database = database
        self._names = names
        self._columns = {
            table.name: [column.name for column in table.columns] for table in original.tables
        }
        self._numbers: Counter[str] = Counter()
        self._waiting: dict[str, list[Row]] = {table.name: [] for table in original.tables}

    def add(self, table: str, row: Row) -> None:
        """Takes a row, and inserts the table's waiting ones once there are enough."""
        self._waiting[table].append((self._numbers[table], *self._renamed(table, row)))
        self._numbers[table] += 1
        if len(self._waiting[table]) >= BATCH:
            self._insert(table)

    def flush(self) -> None:
        """Inserts all rows that wait."""
        for table in self._waiting:
            self._insert(table)

    def _insert(self, table: str) -> None:
        marks = ", ".join("?" * len(self._columns[table]))
        name = self._names.tables[table] if self._names else table
        self._database.executemany(f"INSERT INTO {name} VALUES ({marks})", self._waiting[table])  # noqa: S608
        self._waiting[table].clear()

    def _renamed(self, table: str, row: Row) -> Row:
        if self._names is None or table not in self._names.values:
            return row
        columns = self._columns[table][1:]
        return tuple(
            self._names.value(table, column, value) if isinstance(value, str) else value
            for column, value in zip(columns, row, strict=True)
        )


def _indexes(original: Schema, names: Renaming | None) -> Iterator[str]:
    for table in original.tables:
        for column in table.columns:
            if column.name in INDEXED:
                place = names.tables[table.name] if names else table.name
                target = names.columns[table.name][column.name] if names else column.name
                unique = "UNIQUE " if column.unique else ""
                yield f"CREATE {unique}INDEX {place}_{target} ON {place} ({target})"
