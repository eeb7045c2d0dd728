"""Recognition of schemas with missing and additional tables."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.ehr.schema import (
    Schema,
    difference,
    load_renaming,
    load_schema,
    recognise,
    schema_names,
)

Tables = dict[str, list[str]]

SCHEMAS = {name: load_schema(name) for name in schema_names()}
NAMES = {table.name for schema in SCHEMAS.values() for table in schema.tables}
words = st.text("abcdefgh_", min_size=1, max_size=8)
other_tables = st.dictionaries(words.filter(lambda word: word not in NAMES), st.lists(words))
casings = st.sampled_from([str.lower, str.upper, str.title])


def tables_of(schema: Schema) -> Tables:
    return {table.name: [column.name for column in table.columns] for table in schema.tables}


def whole_in(name: str, tables: Tables) -> bool:
    """True if the schema has all tables with the same columns."""
    theirs = tables_of(SCHEMAS[name])
    return all(set(theirs.get(table, ())) == set(columns) for table, columns in tables.items())


@st.composite
def partial_databases(draw: st.DrawFn) -> tuple[str, Tables]:
    """A schema's name and some of its tables."""
    name = draw(st.sampled_from(sorted(SCHEMAS)))
    tables = tables_of(SCHEMAS[name])
    chosen_tables = draw(st.sets(st.sampled_from(sorted(tables)), min_size=1))
    return name, {table: draw(st.permutations(tables[table])) for table in sorted(chosen_tables)}


@given(partial_databases(), other_tables, casings)
@pytest.mark.integration
def test_any_tables_unique_to_a_schema_are_recognised(
    database: tuple[str, Tables], others: Tables, casing: Callable[[str], str]
) -> None:
    name, tables = database
    written = {casing(t): [casing(c) for c in columns] for t, columns in (tables | others).items()}
    alike = [item for item in SCHEMAS if whole_in(item, tables)]
    assert recognise(written) == (name if alike == [name] else None)


@given(partial_databases(), other_tables)
def test_difference_lists_missing_and_other_tables(
    database: tuple[str, Tables], others: Tables
) -> None:
    name, tables = database
    result = difference(SCHEMAS[name], tables | others)
    assert set(result.missing_tables) | set(tables) == set(tables_of(SCHEMAS[name]))
    assert not set(result.missing_tables) & set(tables)
    assert set(result.other_tables) == set(others)
    assert not result.missing_columns
    assert not result.other_columns


@given(partial_databases(), st.data())
def test_difference_lists_missing_and_other_columns(
    database: tuple[str, Tables], data: st.DataObject
) -> None:
    name, tables = database
    table = data.draw(st.sampled_from(sorted(tables)))
    column = data.draw(st.sampled_from(tables[table]))
    tables[table] = [*(item for item in tables[table] if item != column), "x y"]
    result = difference(SCHEMAS[name], tables)
    assert result.missing_columns == ((table, column),)
    assert result.other_columns == ((table, "x y"),)


def test_unknown_databases_are_not_recognised() -> None:
    assert recognise({}) is None
    assert recognise({"patients": ["subject_id", "gender", "anchor_age"], "x": ["y"]}) is None
    assert recognise({"demographics": ["patientid"], "hospitaladmissions": ["admissionid"]}) is None


def test_one_table_distinguishes_a_release_from_its_prepared_layout() -> None:
    for name in ("mimic_iii", "mimic_iv", "eicu"):
        release, form = tables_of(SCHEMAS[name]), tables_of(SCHEMAS[f"ehrsql_{name}"])
        for table in sorted(release.keys() & form.keys()):
            if set(release[table]) != set(form[table]):
                assert recognise({table: release[table]}) != f"ehrsql_{name}"
                assert recognise({table: form[table]}) != name


def test_a_renaming_is_distinguished_from_its_original() -> None:
    for name in ("mimic_iv_star", "eicu_star"):
        names = load_renaming(name)
        assert names is not None
        assert recognise(tables_of(SCHEMAS[name])) == name
        assert recognise(tables_of(SCHEMAS[names.of])) == names.of


def test_versions_of_omop_differ_in_the_columns_that_the_later_one_changed() -> None:
    earlier, later = SCHEMAS["omop_5_3"], SCHEMAS["omop_5_4"]
    result = difference(later, tables_of(earlier))
    assert not result.missing_tables
    assert ("visit_occurrence", "admitted_from_source_value") in result.missing_columns
    assert ("visit_occurrence", "admitting_source_value") in result.other_columns
    assert ("measurement", "measurement_event_id") in result.missing_columns
    keys = {key.column: key.table for key in earlier.table("visit_detail").foreign_keys}
    assert keys["visit_detail_parent_id"] == "visit_detail"


def test_a_table_without_its_header_counts_as_missing() -> None:
    tables = tables_of(SCHEMAS["omop_5_3"])
    for name in ("death", "cost", "visit_detail"):
        tables[name] = [f"column{number:02}" for number in range(len(tables[name]))]
    assert recognise(tables) == "omop_5_3"
    result = difference(SCHEMAS["omop_5_3"], tables)
    assert sorted(result.missing_tables) == ["cost", "death", "visit_detail"]
    assert not result.missing_columns
    assert not result.other_tables
