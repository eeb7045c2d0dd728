"""Renaming of databases, compared with the published copy."""

import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfileobj

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.ehr.making import make_database
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.core.thread_call import iterate_on_thread
from wardround.ehr.database.engine import Target, write_database
from wardround.ehr.database.interface import Cell
from wardround.ehr.ingest.new_database import new_database
from wardround.ehr.ingest.rename import RenamedTable, find_renaming, rename
from wardround.ehr.schema import Column, Renaming, load_schema, quoted

SHARED = Path(__file__).resolve().parents[3] / "../shared/data/ehrsql-2024"
STAR = find_renaming("mimic-iv-star")
# Databases that a property draws: four with slow tests.
DRAWN = max(2, settings().max_examples // 25)
RENAMINGS = [STAR, find_renaming("eicu_star")]
PUBLISHED = pytest.mark.skipif(
    not SHARED.is_dir(), reason="no published copies: they are not renamed"
)


def renamed(source: str, to: str, renaming: Renaming = STAR) -> list[RenamedTable]:
    """The result of renaming a file."""
    with closing(write_database(source)) as old, closing(write_database(to)) as new:
        return list(rename(old, new, renaming))


def rows(target: Target, table: str, columns: str = "*") -> list[tuple[Cell, ...]]:
    """All rows of a table in the order of their first column."""
    return target.query(f"SELECT {columns} FROM {quoted(table)} ORDER BY 1")


def tables_that_differ(one: str, other: str) -> list[str]:
    """The tables whose columns or rows differ between two databases."""
    names = [table.name for table in load_schema("mimic_iv_star").tables]
    with closing(write_database(one)) as first, closing(write_database(other)) as second:
        return [name for name in names if rows(first, name) != rows(second, name)]


def cells(column: Column, words: list[str]) -> st.SearchStrategy[Cell]:
    """Values of a column."""
    if column.type == "INTEGER":
        return st.integers(-(2**62), 2**62)
    if column.type in {"TEXT", "DATE", "TIMESTAMP"}:
        times = ["2100-02-28 23:59:59", "2104-02-29 00:00:00"]
        return st.sampled_from(times if column.type != "TEXT" else ["", "it's", "naïve", *words])
    return st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def records(draw: st.DrawFn, renaming: Renaming) -> dict[str, list[dict[str, Cell]]]:
    """A row of each table of the schema, including values that refer to tables."""
    made: dict[str, list[dict[str, Cell]]] = {}
    for table in load_schema(renaming.of).tables:
        row = {}
        for column in table.columns:
            words = list(renaming.values.get(table.name, {}).get(column.name, {}))
            cell = cells(column, words)
            row[column.name] = draw(st.none() | cell if column.null else cell)
        made[table.name] = [row]
    return made


@pytest.mark.parametrize("renaming", RENAMINGS, ids=lambda renaming: renaming.name)
@pytest.mark.parametrize("engine", [pytest.param(name, marks=needs(name)) for name in ENGINES])
def test_every_cell_is_copied(
    tmp_path_factory: pytest.TempPathFactory, renaming: Renaming, engine: str
) -> None:
    @settings(max_examples=DRAWN, database=None, phases=[Phase.generate])
    @given(records(renaming))
    def check(made: dict[str, list[dict[str, Cell]]]) -> None:
        folder = tmp_path_factory.mktemp("renaming")
        plain = str(folder / "plain.sqlite")
        make_database(plain, renaming.of, made)
        with made_database(engine, folder, []) as star:
            renamed(plain, star, renaming)
            check_cells(star, renaming, made)

    check()


def test_interrupted_copy_leaves_nothing(tmp_path: Path) -> None:
    renaming = RENAMINGS[0]
    plain = str(tmp_path / "plain.sqlite")
    make_database(plain, renaming.of, {})

    def broken_off() -> None:
        with closing(write_database(plain)) as old, new_database(star) as new:
            for _ in iterate_on_thread(rename(old, new, renaming), stop=lambda: None):
                raise KeyboardInterrupt

    star = str(tmp_path / "star.duckdb")
    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert [path.name for path in tmp_path.iterdir()] == ["plain.sqlite"]


def check_cells(location: str, renaming: Renaming, made: dict[str, list[dict[str, Cell]]]) -> None:
    """Check every cell of the renamed database."""
    with closing(write_database(location)) as target:
        for table, (row,) in made.items():
            names = {old: quoted(renaming.columns[table][old]) for old in row}
            result = target.query(
                f"SELECT {', '.join(names.values())} FROM {quoted(renaming.tables[table])}"
            )
            want = [
                renaming.value(table, old, cell) if isinstance(cell, str) else cell
                for old, cell in row.items()
            ]
            assert [_text(cell) for cell in result[0]] == want


def _text(cell: object) -> object:
    return cell if isinstance(cell, int | float | None) else str(cell)


@pytest.fixture
def source(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A small database in the layout ehrsql_mimic_iv, at `plain.sqlite`."""
    path = tmp_path / "plain.sqlite"
    three: list[dict[str, Cell]] = [{}, {}, {}]
    tables = {table.name: three for table in load_schema("ehrsql_mimic_iv").tables}
    make_database(str(path), "ehrsql_mimic_iv", tables)
    with closing(sqlite3.connect(path)) as database:
        yield database


def test_late_cell_of_another_type_is_read(source: sqlite3.Connection, tmp_path: Path) -> None:
    """The SQLite driver infers types from the first thousand rows."""
    for number in range(3, 5001):
        source.execute("INSERT INTO labevents VALUES (?, 0, 0, 0, '', 1, NULL)", (number,))
    source.execute("INSERT INTO labevents VALUES (5001, 0, 0, 0, '', 0.5, 'mg/dl')")
    source.commit()
    renamed(str(tmp_path / "plain.sqlite"), str(tmp_path / "star.sqlite"))
    with closing(sqlite3.connect(tmp_path / "star.sqlite")) as database:
        sql = "SELECT resultunit, resultvalue FROM labresults ORDER BY recordid DESC LIMIT 2"
        assert database.execute(sql).fetchall() == [("mg/dl", 0.5), (None, 1.0)]


def test_published_variant_is_converted_to_the_schema(
    source: sqlite3.Connection, tmp_path: Path
) -> None:
    for table in ("d_icd_diagnoses", "d_icd_procedures", "diagnoses_icd", "procedures_icd"):
        source.execute(f"CREATE TABLE released AS SELECT * FROM {table}")
        source.execute(f"DROP TABLE {table}")
        source.execute("ALTER TABLE released DROP COLUMN icd_version")
        source.execute(f"ALTER TABLE released RENAME TO {table}")
        source.execute(f"UPDATE {table} SET icd_code = 'icd10|0jh|' WHERE row_id = 1")
        source.execute(f"UPDATE {table} SET icd_code = 'icd9|0088' WHERE row_id <> 1")
    source.execute("ALTER TABLE inputevents DROP COLUMN totalamountuom")
    source.execute("ALTER TABLE inputevents RENAME COLUMN totalamount TO amount")
    source.execute("UPDATE inputevents SET amount = 12.5 WHERE row_id = 2")
    source.commit()
    renamed(str(tmp_path / "plain.sqlite"), str(tmp_path / "star.sqlite"))
    with closing(write_database(str(tmp_path / "star.sqlite"))) as star:
        codes = rows(star, "admissiondiagnoses", "recordid, icdcode, codeversion")
        assert codes == [(0, "0088", 9), (1, "0jh|", 10), (2, "0088", 9)]
        volumes = rows(star, "intakerecords", "recordid, totalvolume, volumeunit")
        assert volumes == [(0, None, "ml"), (1, None, "ml"), (2, 12.5, "ml")]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("DROP TABLE cost", "lacks cost of ehrsql_mimic_iv"),
        ("ALTER TABLE cost DROP COLUMN chargetime", "Table cost .* lacks chargetime"),
        ("UPDATE admissions SET age = 'old' WHERE row_id = 2", "admissions .* cannot be renamed"),
    ],
)
def test_invalid_source_is_refused_and_the_target_unchanged(
    source: sqlite3.Connection, tmp_path: Path, change: str, says: str
) -> None:
    source.execute(change)
    source.commit()
    target = str(tmp_path / "star.sqlite")
    with pytest.raises(UserError, match=says):
        renamed(str(tmp_path / "plain.sqlite"), target)
    with closing(write_database(target)) as star:
        assert star.tables() == []


@pytest.mark.usefixtures("source")
def test_target_with_these_tables_is_refused(tmp_path: Path) -> None:
    plain, star = str(tmp_path / "plain.sqlite"), tmp_path / "star.sqlite"
    renamed(plain, str(star))
    before = star.read_bytes()
    with pytest.raises(UserError, match=r"already has admissiondiagnoses, "):
        renamed(plain, str(star))
    assert star.read_bytes() == before


def test_unknown_renaming_is_refused() -> None:
    with pytest.raises(UserError, match="choose one of eicu-star, mimic-iv-star"):
        find_renaming("mimic-iv")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published database of 2024, and its published renamed copy."""
    folder = tmp_path_factory.mktemp("published")
    for name in ("mimic_iv.sqlite", "mimic_iv_star.sqlite"):
        with gzip.open(SHARED / f"{name}.gz") as packed, (folder / name).open("wb") as unpacked:
            copyfileobj(packed, unpacked)
    return folder


@PUBLISHED
def test_renaming_without_values_equals_the_published_copy(published: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "star.sqlite")
    renamed(str(published / "mimic_iv.sqlite"), target, replace(STAR, values={}))
    assert tables_that_differ(target, str(published / "mimic_iv_star.sqlite")) == []


@PUBLISHED
def test_published_copy_differs_only_in_values_that_refer_to_tables(
    published: Path, tmp_path: Path
) -> None:
    """The copy says `labevents` in two tables where the paper's rules (A.5.1) say `labresults`."""
    target, copy = str(tmp_path / "star.sqlite"), tmp_path / "copy.sqlite"
    renamed(str(published / "mimic_iv.sqlite"), target)
    copy.write_bytes((published / "mimic_iv_star.sqlite").read_bytes())
    assert tables_that_differ(target, str(copy)) == ["clinicalitemtypes", "costrecords"]
    with closing(sqlite3.connect(copy)) as database, database:
        for table, column in (("cost", "event_type"), ("d_items", "linksto")):
            for was, now in STAR.values[table][column].items():
                new = STAR.columns[table][column]
                sql = f"UPDATE {STAR.tables[table]} SET {new} = ? WHERE {new} = ?"
                database.execute(sql, (now, was))
    assert tables_that_differ(target, str(copy)) == []


@pytest.mark.parametrize(
    ("options", "kind"), [([], "labevents"), (["--rename-values"], "labresults")]
)
def test_command_renames_values_on_request(tmp_path: Path, options: list[str], kind: str) -> None:
    plain, star = str(tmp_path / "plain.sqlite"), str(tmp_path / "star.duckdb")
    make_database(plain, STAR.of, {"cost": [{"event_type": "labevents"}]})
    result = CliRunner().invoke(app, ["data", "rename", STAR.name, plain, "--to", star, *options])
    assert result.exit_code == 0, result.output
    with closing(write_database(star)) as target:
        assert target.query("SELECT eventtype FROM costrecords") == [(kind,)]
