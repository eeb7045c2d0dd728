"""What of a build is done, kept in the database that is being built until it is whole."""

from collections.abc import Collection
from dataclasses import dataclass

from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Target, quote_text
from wardround.ehr.ingest.release.layout import Source
from wardround.ehr.schema import Column, Schema, Table

LEDGER = "wardround_building_"
_COUNTS = ("size", "loaded", "faults", "records")


@dataclass(frozen=True)
class Outcome:
    """How one table came out.

    Attributes:
        file: The file, as `Source.label`.
        bytes: The size of the file.
        rows: Rows in the database.
        faults: Records that cannot be read; they are in the table's fault file.
        records: Records of the file, counted apart from the reading.
        notes: What else there is to say, a sentence each.
    """

    table: str
    file: str
    bytes: int
    rows: int
    faults: int
    records: int
    notes: tuple[str, ...] = ()


class Ledger:
    """The outcomes of the tables that are whole, in a table beside them.

    A table and its line are written in one transaction, so that a build cut off anywhere goes on
    with the tables that have no line.
    """

    def __init__(self, target: Target, schema: Schema):
        self._target = target
        self._table = _table(schema)

    def begin(self, sources: tuple[Source, ...]) -> dict[str, Outcome]:
        """What is done already, by table; an empty database gets its ledger.

        Raises:
            UserError: If the database holds anything but a half-built copy of these files.
        """
        there = self._target.tables()
        if not there:
            self._target.create(self._table)
            return {}
        if self._table.name not in there:
            raise UserError(
                f"Database {self._target.location} is there already and is not the same build, "
                "half done; name another, or delete it first."
            )
        done = self._read()
        self._check(done, sources, [name for name in there if name != self._table.name])
        return done

    def add(self, outcome: Outcome) -> None:
        """Note that a table is whole."""
        texts = (quote_text(each) for each in (outcome.table, outcome.file))
        counts = map(str, (outcome.bytes, outcome.rows, outcome.faults, outcome.records))
        line = ", ".join([*texts, *counts, quote_text("\n".join(outcome.notes))])
        self._target.execute(f"INSERT INTO {self._table.name} VALUES ({line})")  # noqa: S608

    def end(self) -> None:
        """Take the ledger away: the database is whole."""
        self._target.execute(f"DROP TABLE {self._table.name}")

    def _read(self) -> dict[str, Outcome]:
        rows = self._target.query(f"SELECT * FROM {self._table.name}")  # noqa: S608
        return {outcome.table: outcome for outcome in map(_outcome, rows)}

    def _check(
        self, done: dict[str, Outcome], sources: tuple[Source, ...], there: Collection[str]
    ) -> None:
        sizes = {source.table.name: source.bytes for source in sources}
        changed = [table for table in done if sizes.get(table) != done[table].bytes]
        if strange := [*changed, *(table for table in there if table not in done)]:
            raise UserError(
                f"Database {self._target.location} was begun from other files: table "
                f"{strange[0]} is not that of this folder; name another, or delete it first."
            )


def _table(schema: Schema) -> Table:
    columns = [Column("table_name", "TEXT", "the table"), Column("file", "TEXT", "its file")]
    columns += [Column(name, "INTEGER", "a number of it") for name in _COUNTS]
    columns.append(Column("notes", "TEXT", "sentences about it", null=True))
    return Table(LEDGER + schema.name, "Tables that are whole.", tuple(columns), key=())


def _outcome(row: tuple[Cell, ...]) -> Outcome:
    table, file, size, rows, faults, records, notes = row
    return Outcome(
        table=str(table),
        file=str(file),
        bytes=int(str(size)),
        rows=int(str(rows)),
        faults=int(str(faults)),
        records=int(str(records)),
        notes=tuple(str(notes or "").splitlines()),
    )
