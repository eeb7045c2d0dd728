"""A database is told by the tables that it has, whatever it lacks and whatever else it holds."""

from collections.abc import Callable

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
    """Whether a schema has each of the tables with the same columns."""
    theirs = tables_of(SCHEMAS[name])
    return all(set(theirs.get(table, ())) == set(columns) for table, columns in tables.items())


@st.composite
def partial_databases(draw: st.DrawFn) -> tuple[str, Tables]:
    """A schema's name and some of its tables."""
    name = draw(st.sampled_from(sorted(SCHEMAS)))
    tables = tables_of(SCHEMAS[name])
    kept = draw(st.sets(st.sampled_from(sorted(tables)), min_size=1))
    return name, {table: draw(st.permutations(tables[table])) for table in sorted(kept)}


@given(partial_databases(), other_tables, casings)
def test_some_tables_are_enough_unless_they_are_alike_in_several_schemas(
    database: tuple[str, Tables], others: Tables, casing: Callable[[str], str]
) -> None:
    name, tables = database
    written = {casing(t): [casing(c) for c in columns] for t, columns in (tables | others).items()}
    alike = [other for other in SCHEMAS if whole_in(other, tables)]
    assert recognise(written) == (name if alike == [name] else None)


@given(partial_databases(), other_tables)
def test_the_difference_names_what_is_missing_and_what_is_more(
    database: tuple[str, Tables], others: Tables
) -> None:
    name, tables = database
    found = difference(SCHEMAS[name], tables | others)
    assert set(found.missing_tables) | set(tables) == set(tables_of(SCHEMAS[name]))
    assert not set(found.missing_tables) & set(tables)
    assert set(found.other_tables) == set(others)
    assert not found.missing_columns
    assert not found.other_columns


@given(partial_databases(), st.data())
def test_the_difference_names_a_lost_and_a_new_column(
    database: tuple[str, Tables], data: st.DataObject
) -> None:
    name, tables = database
    table = data.draw(st.sampled_from(sorted(tables)))
    column = data.draw(st.sampled_from(tables[table]))
    tables[table] = [*(other for other in tables[table] if other != column), "x y"]
    found = difference(SCHEMAS[name], tables)
    assert found.missing_columns == ((table, column),)
    assert found.other_columns == ((table, "x y"),)


def test_other_databases_are_not_recognised() -> None:
    assert recognise({}) is None
    assert recognise({"patients": ["subject_id", "gender", "anchor_age"], "x": ["y"]}) is None
    assert recognise({"demographics": ["patientid"], "hospitaladmissions": ["admissionid"]}) is None


def test_a_release_and_its_prepared_form_are_told_apart_by_one_table() -> None:
    for name in ("mimic_iii", "mimic_iv", "eicu"):
        release, form = tables_of(SCHEMAS[name]), tables_of(SCHEMAS[f"ehrsql_{name}"])
        for table in sorted(release.keys() & form.keys()):
            if set(release[table]) != set(form[table]):
                assert recognise({table: release[table]}) != f"ehrsql_{name}"
                assert recognise({table: form[table]}) != name


def test_a_renaming_is_not_its_original() -> None:
    for name in ("mimic_iv_star", "eicu_star"):
        names = load_renaming(name)
        assert names is not None
        assert recognise(tables_of(SCHEMAS[name])) == name
        assert recognise(tables_of(SCHEMAS[names.of])) == names.of
