"""Record of completed tables, stored in the target database until the build is complete."""

from collections.abc import Collection
from dataclasses import dataclass

from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Target, quote_text
from wardround.ehr.ingest.release.release_files import TableFile
from wardround.ehr.schema import Column, Schema, Table

LEDGER = "wardround_building_"
_COUNTS = ("size", "loaded", "faults", "records")


@dataclass(frozen=True)
class LoadedTable:
    """A loaded table.

    Attributes:
        file: The file, as `TableFile.label`.
        bytes: The size of the file.
        rows: Rows in the database.
        faults: Number of unreadable records, which are in the table's fault file.
        records: Records of the file by an independent count.
        notes: Remarks, one sentence each.
    """

    table: str
    file: str
    bytes: int
    rows: int
    faults: int
    records: int
    notes: tuple[str, ...] = ()


class Ledger:
    """The completed tables of a build, kept in a database table.

    A table and its ledger entry are written in one transaction, so that an interrupted build
    resumes with the tables that have no entry.
    """

    def __init__(self, target: Target, schema: Schema):
        self._target = target
        self._table = _table(schema)

    def begin(self, sources: tuple[TableFile, ...]) -> dict[str, LoadedTable]:
        """Tables already loaded, by name; creates the ledger in an empty database.

        Raises:
            UserError: If the database holds anything but an interrupted build of these files.
        """
        present = self._target.tables()
        if not present:
            self._target.create(self._table)
            return {}
        if self._table.name not in present:
            raise UserError(
                f"Database {self._target.location} already exists and is not the same build, "
                "interrupted; name another, or delete it first."
            )
        done = self._read()
        self._check(done, sources, [name for name in present if name != self._table.name])
        return done

    def add(self, outcome: LoadedTable) -> None:
        """Record a completed table."""
        quoted_texts = (quote_text(text) for text in (outcome.table, outcome.file))
        counts = map(str, (outcome.bytes, outcome.rows, outcome.faults, outcome.records))
        line = ", ".join([*quoted_texts, *counts, quote_text("\n".join(outcome.notes))])
        self._target.execute(f"INSERT INTO {self._table.name} VALUES ({line})")  # noqa: S608

    def end(self) -> None:
        """Remove the ledger of a complete database."""
        self._target.execute(f"DROP TABLE {self._table.name}")

    def _read(self) -> dict[str, LoadedTable]:
        rows = self._target.query(f"SELECT * FROM {self._table.name}")  # noqa: S608
        return {outcome.table: outcome for outcome in map(_outcome, rows)}

    def _check(
        self, done: dict[str, LoadedTable], sources: tuple[TableFile, ...], present: Collection[str]
    ) -> None:
        sizes = {source.table.name: source.bytes for source in sources}
        changed = [table for table in done if sizes.get(table) != done[table].bytes]
        if foreign := [*changed, *(table for table in present if table not in done)]:
            raise UserError(
                f"Database {self._target.location} was begun from other files: table "
                f"{foreign[0]} is not that of this folder; name another, or delete it first."
            )


def _table(schema: Schema) -> Table:
    columns = [Column("table_name", "TEXT", "the table"), Column("file", "TEXT", "its file")]
    columns += [Column(name, "INTEGER", "a number of it") for name in _COUNTS]
    columns.append(Column("notes", "TEXT", "sentences about it", null=True))
    return Table(LEDGER + schema.name, "Tables that are whole.", tuple(columns), key=())


def _outcome(row: tuple[Cell, ...]) -> LoadedTable:
    table, file, size, rows, faults, records, notes = row
    return LoadedTable(
        table=str(table),
        file=str(file),
        bytes=int(str(size)),
        rows=int(str(rows)),
        faults=int(str(faults)),
        records=int(str(records)),
        notes=tuple(str(notes or "").splitlines()),
    )
