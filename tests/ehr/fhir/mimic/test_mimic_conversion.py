"""Resources made of a synthetic hospital, and of single rows."""

import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given
from hypothesis.strategies import datetimes, none, sampled_from

from tests.ehr.making import Rows, make_database
from wardround.core.errors import UserError
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import absent_tables, resources
from wardround.ehr.fhir.mimic.kinds import REQUEST
from wardround.ehr.fhir.mimic.zone import Zone
from wardround.ehr.fhir.validation import defects

# Value, number and comments of laboratory results, and what they become.
RESULTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("7.5", 7.5, None), {"value": 7.5}),
    (("<0.01", None, None), {"value": 0.01, "comparator": "<"}),
    (("GREATER THAN 500", 500, None), {"value": 500, "comparator": ">"}),
    (("<1>50", None, None), {"valueString": "<1>50"}),
    ((None, None, "HEMOLYZED"), {"valueString": "HEMOLYZED"}),
    ((None, None, None), {"dataAbsentReason": "unknown"}),
]
ORDERS = [{"poe_id": f"1-{number}", "poe_seq": number} for number in (1, 2, 3)]
GIVEN = [{"emar_id": f"1-{number}", "emar_seq": number} for number in (1, 2, 3)]
# A dose with its prescription, a dose due for a prescription, and a dose of an order only.
PHARMACY: list[dict[str, Any]] = [{"pharmacy_id": 5}, {"pharmacy_id": 5}, {}]
ROWS: dict[str, Rows] = {
    "labevents": [
        dict(zip(("value", "valuenum", "comments"), cells, strict=True)) for cells, _ in RESULTS
    ],
    "omr": [{"result_name": "Blood Pressure", "result_value": "110/65"}],
    "prescriptions": [{"pharmacy_id": 5, "drug": "Senna", "drug_type": "MAIN"}],
    "poe": ORDERS,
    "emar": [
        {**dose, **order, "poe_id": dose["emar_id"], "medication": "Senna"}
        for dose, order in zip(GIVEN, PHARMACY, strict=True)
    ]
    + [
        {"emar_id": f"1-{number}", "emar_seq": number, "medication": "Senna", "event_txt": event}
        for number, event in ((4, "Not Given"), (5, "Assessed"), (6, "Delayed Not Started"))
    ],
    "emar_detail": [
        {**dose, "parent_field_ordinal": "1.1", "pharmacy_id": pharmacy}
        for dose, pharmacy in zip(GIVEN, (5, None, None), strict=True)
    ],
}
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[45]:00")


def parts(element: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an element with the names that they stand under."""
    if isinstance(element, dict):
        for key, part in element.items():
            yield from parts(part, key)
    elif isinstance(element, list):
        for part in element:
            yield from parts(part, name)
    else:
        yield name, element


def own_code(resource: Resource) -> Any:
    """MIMIC's own code of a resource, its first."""
    return resource.get("code", {}).get("coding", [{}])[0].get("code")


@pytest.fixture(scope="module")
def rows_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with single rows."""
    path = tmp_path_factory.mktemp("rows") / "rows.duckdb"
    make_database(str(path), "mimic_iv", ROWS)
    return path


@pytest.fixture
def rows_copy(rows_made: Path, tmp_path: Path) -> Path:
    """A copy of the database with single rows, to change."""
    return Path(shutil.copy(rows_made, tmp_path))


def of_type(path: Path, kind: str) -> list[Resource]:
    return [each for each in resources(str(path)) if each["resourceType"] == kind]


def test_every_reference_is_to_a_resource_that_was_made(hospital: list[Resource]) -> None:
    names = Counter(f"{each['resourceType']}/{each['id']}" for each in hospital)
    references = {value for name, value in parts(hospital) if name == "reference"}
    assert references <= names.keys()
    assert set(names.values()) == {1}


def test_times_carry_an_offset(hospital: list[Resource]) -> None:
    times = [value for _, value in parts(hospital) if re.match(r"\d{4}-\d\d-\d\dT", str(value))]
    assert len(times) == 11939
    assert all(INSTANT.fullmatch(time) for time in times)


def test_no_element_is_empty(hospital: list[Resource]) -> None:
    assert all(value not in ("", None) for _, value in parts(hospital))


def test_a_hospital_has_all_types(hospital: list[Resource]) -> None:
    assert {each["resourceType"] for each in hospital} == {
        "Condition", "DiagnosticReport", "Encounter", "Location", "Medication",
        "MedicationAdministration", "MedicationDispense", "MedicationRequest", "Observation",
        "Organization", "Patient", "Procedure", "Specimen",
    }  # fmt: skip


def test_resources_are_valid(hospital: list[Resource]) -> None:
    kinds = defaultdict[str, list[Resource]](list)
    for each in hospital:
        kinds[each.get("meta", {}).get("profile", [each["resourceType"]])[0]].append(each)
    # A sample of each kind from its beginning to its end.
    sample = [each for kind in kinds.values() for each in kind[:: 1 + len(kind) // 200]]
    assert [each for each in sample if defects(each)] == []


def test_vital_signs_are_in_the_standard_category_with_loinc(hospital: list[Resource]) -> None:
    rate = next(each for each in hospital if own_code(each) == "220045")
    loinc = {"system": "http://loinc.org", "code": "8867-4", "display": "Heart rate"}
    assert rate["code"]["coding"][1] == loinc
    categories = [each["coding"][0]["code"] for each in rate["category"]]
    assert categories == ["Routine Vital Signs", "vital-signs"]


def test_laboratory_results_have_a_loinc_code_beside_their_own(hospital: list[Resource]) -> None:
    sodium = next(each["code"]["coding"] for each in hospital if own_code(each) == "50983")
    assert [code["code"] for code in sodium] == ["50983", "2951-2"]
    assert sodium[1]["system"] == "http://loinc.org"


def test_laboratory_values(rows_made: Path) -> None:
    results = [each for each in of_type(rows_made, "Observation") if "specimen" in each]
    assert [laboratory_value(each) for each in results] == [value for _, value in RESULTS]


def laboratory_value(result: Resource) -> dict[str, Any]:
    quantity = result.get("valueQuantity", {})
    if "dataAbsentReason" in result:
        return {"dataAbsentReason": result["dataAbsentReason"]["coding"][0]["code"]}
    value = {name: quantity[name] for name in ("value", "comparator") if name in quantity}
    return value or {"valueString": result["valueString"]}


def test_an_outpatient_blood_pressure_has_two_components(rows_made: Path) -> None:
    observations = of_type(rows_made, "Observation")
    pressure = next(each for each in observations if "component" in each)
    assert pressure["effectiveDateTime"] == "2100-01-01"
    assert [part["valueQuantity"]["value"] for part in pressure["component"]] == [110, 65]


def test_a_dose_refers_to_its_prescription_or_else_to_its_order(rows_made: Path) -> None:
    doses = [
        each
        for each in of_type(rows_made, "MedicationAdministration")
        if each["status"] == "completed"
    ]
    expected = [REQUEST.reference(key) for key in (5, 5, "1-3")]
    assert [each["request"] for each in doses] == expected


def test_a_dose_that_was_withheld_is_not_done_and_says_why(
    rows_made: Path, hospital: list[Resource]
) -> None:
    doses = of_type(rows_made, "MedicationAdministration")
    withheld = [each for each in doses if each["status"] == "not-done"]
    assert [each["statusReason"][0]["text"] for each in withheld] == [
        "Not Given", "Delayed Not Started",
    ]  # fmt: skip
    assert len(doses) == len(GIVEN) + 2
    made = [each for each in hospital if each.get("status") == "not-done"]
    assert {each["statusReason"][0]["text"] for each in made} == {"Not Given"}
    assert not any("dosage" in each for each in made)


def test_another_layout_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "eicu.duckdb")
    with duckdb.connect(path) as database:
        database.execute("CREATE TABLE patient (patientunitstayid BIGINT, gender VARCHAR)")
    with pytest.raises(UserError, match="is not in MIMIC-IV's layout; build one"):
        absent_tables(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.duckdb"
    path.write_text("no database")
    with pytest.raises(UserError, match="cannot be opened as a DuckDB file"):
        absent_tables(str(path))
    with pytest.raises(UserError, match="There is no database"):
        absent_tables(str(tmp_path / "nowhere"))


def test_an_unknown_zone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no time zone 'Mars/Base'"):
        resources(str(tmp_path / "nowhere"), "Mars/Base")


def test_a_table_without_a_column_is_refused(rows_copy: Path) -> None:
    with duckdb.connect(rows_copy) as database:
        database.execute("ALTER TABLE omr DROP COLUMN result_value")
    with pytest.raises(UserError, match=r"rows.duckdb cannot be read as MIMIC-IV: .*result_value"):
        list(resources(str(rows_copy)))


def test_absent_tables_are_named_with_what_they_would_give(rows_copy: Path) -> None:
    with duckdb.connect(rows_copy) as database:
        database.execute("DROP TABLE omr")
    absent = absent_tables(str(rows_copy))
    assert absent["omr"] == ("ObservationOMR",)
    assert absent["discharge"] == ("DocumentReference", "CarePlan", "AllergyIntolerance")
    assert set(absent) == {"omr", "discharge", "radiology"}
    assert next(iter(resources(str(rows_copy))))["resourceType"] == "Organization"


local_times = datetimes(datetime(2100, 1, 1), datetime(2210, 1, 1), timezones=none())


@given(local_times, sampled_from(["America/New_York", "Europe/Berlin", "Australia/Lord_Howe"]))
def test_an_instant_is_the_local_time_of_its_zone(local: datetime, name: str) -> None:
    local = local.replace(microsecond=0)
    instant = datetime.fromisoformat(Zone(name).instant(local) or "")
    zone = ZoneInfo(name)
    assert instant.utcoffset() == instant.astimezone(zone).utcoffset()
    skipped = local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None)
    assert instant.replace(tzinfo=None) in (local, skipped)
