"""Maps of databases of which only some tables have been read."""

from tests.hospitals import hospital_file
from wardround.ehr.database import open_database
from wardround.ehr.records.partial_schema import fitting_map, tables_of
from wardround.ehr.records.recognition import maps_naming, maps_of
from wardround.ehr.schema import schema_names


def columns_of(layout: str) -> dict[str, list[str]]:
    database = open_database(hospital_file(layout, 8, seed=3))
    try:
        tables = database.columns_by_table()
        return {table: [column.name for column in columns] for table, columns in tables.items()}
    finally:
        database.close()


def test_a_release_without_one_of_its_tables_is_still_its_own() -> None:
    # The layout that is prepared from it has all its tables in such a release.
    columns = columns_of("mimic_iv")
    tables = sorted({*columns} - {"discharge", "radiology", "emar_detail"})
    read = {name: columns[name] for name in ("procedures_icd", "d_icd_procedures", "admissions")}
    found = fitting_map(tables, read)
    assert found is not None
    assert found.layout == "mimic_iv"


def test_before_any_table_is_read_the_fewest_tables_are_missing() -> None:
    found = fitting_map(sorted(columns_of("ehrsql_mimic_iv")), {})
    assert found is not None
    assert found.layout == "ehrsql_mimic_iv"


def test_no_map_fits_tables_of_ones_own() -> None:
    assert fitting_map(["pt", "enc", "chem"], {}) is None


def test_every_table_of_a_map_leads_to_it() -> None:
    for records in (each for layout in schema_names() for each in maps_of(layout)):
        for table in tables_of(records):
            assert records in maps_naming({table}), (records.layout, table)


def test_maps_of_layouts_without_a_name_are_not_read() -> None:
    assert list(maps_naming({"pt", "enc"})) == []
    assert {records.layout for records in maps_naming({"icuepisodes"})} == {"mimic_iv_star"}
