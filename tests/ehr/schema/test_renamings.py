"""The renamed schemas match the published tables (Lee et al. 2025, Tables 12 and 13)."""

from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.ehr.schema import load_renaming, load_schema

CASES = Path(__file__).parent / "cases"


def lines(name: str) -> list[list[str]]:
    """The fields of each line of a fixture file that is not a comment."""
    text = (CASES / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


MISPRINTS = {tuple(key): written for *key, written in lines("misprints.tsv")}
PRINTED = lines("renamed.tsv")


@for_each(PRINTED)
def test_table_is_renamed_as_published(schema: str, table: str, renamed: str, columns: str) -> None:
    def written(side: str, name: str) -> str:
        return MISPRINTS.get((schema, table, side, name), name)

    pairs = [pair.split() for pair in columns.split(", ")]
    expected = [(written("old", old), written("new", new)) for old, new in pairs]
    names = load_renaming(schema)
    assert names is not None
    assert names.tables[table] == renamed
    assert list(names.columns[table].items()) == expected
    original = load_schema(names.of).table(table)
    assert [column.name for column in original.columns] == [old for old, _ in expected]


@pytest.mark.parametrize("name", ["mimic_iv_star", "eicu_star"])
def test_every_renamed_table_is_published(name: str) -> None:
    names = load_renaming(name)
    assert names is not None
    assert list(names.tables) == [table for schema, table, _, _ in PRINTED if schema == name]


@for_each(MISPRINTS)
def test_listed_misprints_are_in_the_paper(schema: str, table: str, side: str, name: str) -> None:
    (columns,) = [row[3] for row in PRINTED if row[:2] == [schema, table]]
    assert name in [pair.split()[side == "new"] for pair in columns.split(", ")]


@pytest.mark.parametrize("name", ["mimic_iv_star", "eicu_star"])
def test_values_that_refer_to_tables_are_renamed(name: str) -> None:
    names = load_renaming(name)
    assert names is not None
    for table, columns in names.values.items():
        for column, values in columns.items():
            assert column in names.columns[table]
            assert set(values.items()) <= set(names.tables.items())


@pytest.mark.parametrize("name", ["mimic_iv_star", "eicu_star"])
def test_renamed_schema_has_the_keys_and_indexes_of_its_original(name: str) -> None:
    names = load_renaming(name)
    assert names is not None
    for table in load_schema(names.of).tables:
        renamed = load_schema(name).table(names.tables[table.name])
        columns = names.columns[table.name]
        assert renamed.key == tuple(columns[column] for column in table.key)
        assert renamed.indexes == tuple(tuple(columns[c] for c in index) for index in table.indexes)
        assert [key.target for key in renamed.foreign_keys] == [
            names.columns[key.table][key.target] for key in table.foreign_keys
        ]
