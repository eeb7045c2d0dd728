"""Inputs of clinical scores from a chart and from FHIR: the same on one hospital, and the rules."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, timedelta
from inspect import signature
from pathlib import Path

import pytest

from tests.cases import one_in
from wardround.benchmarks.assist.suite.record import SCHEMA, hospital, made_chart, made_database
from wardround.core.errors import UserError
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.database import Database, open_database
from wardround.ehr.fhir.interaction import FhirServer
from wardround.ehr.fhir.mimic.zone import Zone
from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.scores import (
    FUNCTIONS,
    Facts,
    Windows,
    chart_facts,
    fhir_facts,
    paper,
    score_from,
    score_inputs,
    strict,
)
from wardround.ehr.scores.facts import Infusion, Measurement, Order, Stay, facts_of

BEGIN = datetime(2150, 3, 1, 8)
NOW = BEGIN + timedelta(days=3)
# A night in which the clocks are put forward; FHIR has no 02:00 in it.
SUMMER_TIME = 24156317


@pytest.fixture(scope="module")
def chart() -> Iterator[Database]:
    database = open_database(made_database("hand_written"))
    yield database
    database.close()


@pytest.fixture(scope="module")
def record() -> Iterator[FhirServer]:
    server = made_chart("hand_written").workspace()
    yield server
    server.close()


def times(chart: Database) -> list[tuple[int, int, datetime]]:
    """Every fourth admission at its end, and some in their second day."""
    sql = "SELECT subject_id, hadm_id, admittime, dischtime FROM admissions ORDER BY hadm_id"
    rows = chart.execute(sql, rows=None).rows
    ends = [(int(str(s)), int(str(h)), datetime.fromisoformat(str(e))) for s, h, _, e in rows[::4]]
    days = [(int(str(s)), int(str(h)), datetime.fromisoformat(str(b))) for s, h, b, _ in rows[1::6]]
    return ends + [(s, h, begin + timedelta(hours=30)) for s, h, begin in days]


def test_a_chart_and_its_fhir_record_have_the_same_facts(
    chart: Database, record: FhirServer
) -> None:
    for subject_id, hadm_id, time in one_in(5, times(chart)):
        left = chart_facts(chart, subject_id, hadm_id, time)
        right = fhir_facts(record, subject_id, hadm_id, time)
        if hadm_id != SUMMER_TIME:
            assert left == right
        for name in FUNCTIONS:
            assert score_inputs(left, name) == score_inputs(right, name)


def test_a_record_with_a_clock_has_the_same_facts(record: FhirServer) -> None:
    database = open_database(made_database("hand_written"))
    for subject_id, hadm_id, time in times(database)[-4:]:
        instant = datetime.fromisoformat(str(Zone("America/New_York").instant(time)))
        gated = made_chart("hand_written").workspace(instant)
        assert fhir_facts(gated, subject_id, hadm_id, time) == fhir_facts(
            record, subject_id, hadm_id, time
        )
        gated.close()
    database.close()


def test_sqlite_has_the_same_facts(chart: Database, tmp_path: Path) -> None:
    seed, people = hospital("hand_written").values()
    build_hospital(tmp_path / "h.sqlite", seed=seed, schema=SCHEMA, indices=people[:1])
    small = open_database(tmp_path / "h.sqlite")
    rows = small.execute("SELECT subject_id, hadm_id, dischtime FROM admissions").rows
    for subject_id, hadm_id, end in rows:
        time = datetime.fromisoformat(str(end))
        left = chart_facts(small, int(str(subject_id)), int(str(hadm_id)), time)
        assert left == chart_facts(chart, int(str(subject_id)), int(str(hadm_id)), time)
    small.close()


def test_an_unknown_admission_is_named(chart: Database, record: FhirServer) -> None:
    with pytest.raises(UserError, match="no admission 1 "):
        chart_facts(chart, 10006843, 1, NOW)
    with pytest.raises(UserError, match="no admission 1 "):
        fhir_facts(record, 10006843, 1, NOW)


def test_a_database_without_a_record_map_is_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "own.sqlite")) as own:
        own.execute("CREATE TABLE visits (id INTEGER)")
    database = open_database(tmp_path / "own.sqlite")
    with closing(database), pytest.raises(UserError, match="No record map fits own"):
        chart_facts(database, 10006843, 1, NOW)


def test_inputs_are_arguments_and_their_sources_exist() -> None:
    rows = list(read_rows("wardround.ehr.scores", "inputs.tsv"))
    findings = {row[0] for row in read_rows("wardround.ehr.scores", "findings.tsv")}
    measured = {row[0] for row in read_rows("wardround.ehr.scores", "measures.tsv")}
    measured |= {"pao2_fio2", "arterial_pao2", "base_deficit"}
    for score, argument, source, value, window in rows:
        assert argument in signature(FUNCTIONS[score]).parameters
        assert not value or source in measured
        assert not source.startswith("finding:") or source[8:] in findings
        assert window in ("last", "arrival", "first", "stay", "ever")
    nowhere = {
        (name, argument)
        for name, function in FUNCTIONS.items()
        for argument in signature(function).parameters
    } - {(row[0], row[1]) for row in rows}
    assert nowhere == {
        ("ranson", "fluid_sequestration"),
        ("has_bled", "labile_inr"),
        ("wells_pe", "thrombosis_signs"),
        ("wells_pe", "likeliest"),
        ("wells_pe", "immobile"),
    }


def test_codes_of_findings_are_prefixes_of_codes() -> None:
    for name, ninth, tenth, *_ in read_rows("wardround.ehr.scores", "findings.tsv"):
        for code in (*split_cell(ninth), *split_cell(tenth)):
            assert code.isalnum(), name
            assert code.isupper() or code.isdigit(), name


def measurement(hours: float, measure: str, value: float | None, words: str = "") -> Measurement:
    return Measurement(BEGIN + timedelta(hours=hours), measure, value, words)


def facts(*measurements: Measurement, end: datetime | None = None, **changes: object) -> Facts:
    empty = facts_of(
        NOW,
        Stay(BEGIN, end),
        birth=date(2085, 3, 5),
        female=True,
        codes=frozenset(),
        measurements=measurements,
        infusions=(),
        orders=(),
    )
    return replace(empty, **changes)  # type: ignore[arg-type]


def test_the_worst_value_of_the_last_day_counts() -> None:
    known = facts(*(measurement(h, "platelets", v) for h, v in ((40, 15), (50, 90), (60, 120))))
    assert score_inputs(known, "sofa")["platelets"] == 90
    assert score_inputs(known, "sofa", Windows(last=40))["platelets"] == 15
    assert score_inputs(known, "sofa", Windows(last=6))["platelets"] is None


@pytest.mark.parametrize(
    ("temperatures", "worst"), [((37, 39, 37.5), 39), ((37, 35.5), 35.5), ((37, 36.5), 36.5)]
)
def test_the_worst_temperature_is_high_or_low(temperatures: list[float], worst: float) -> None:
    found = [measurement(60 + n, "temperature", t) for n, t in enumerate(temperatures)]
    assert score_inputs(facts(*found), "sirs")["temperature"] == worst


def test_meld_takes_the_last_values_and_bounds_what_is_missing() -> None:
    known = facts(
        measurement(2, "bilirubin", 1.2),
        measurement(50, "bilirubin", 4.0),
        measurement(1, "inr", 1.5),
        measurement(40, "creatinine", 2.0),
    )
    inputs = score_inputs(known, "meld")
    assert inputs == {"bilirubin": 4.0, "inr": 1.5, "creatinine": 2.0, "dialysis": None}
    low, high = strict(score_from(known, "meld"))
    assert low < high, "dialysis is unknown before the stay is coded"
    assert strict(score_from(known, "meld", dialysis=False)) == (low, low)
    assert paper(score_from(known, "meld")) == low


def test_ranson_takes_changes_of_two_days() -> None:
    rows = ((1, 42), (20, 30), (60, 20))
    known = facts(
        *(measurement(hours, "hematocrit", value) for hours, value in rows),
        *(measurement(hours, "urea_nitrogen", value) for hours, value in ((1, 20), (30, 31))),
        measurement(30, "ldh", 900),
    )
    inputs = score_inputs(known, "ranson")
    assert (inputs["hematocrit_fall"], inputs["urea_nitrogen_rise"]) == (12, 11)
    assert inputs["ldh"] is None, "it was measured after the first day"
    assert score_inputs(known, "ranson", Windows(first=72))["hematocrit_fall"] == 22


def test_a_finding_is_absent_only_in_a_coded_stay() -> None:
    codes = frozenset({(9, "4280"), (10, "E119")})
    open_stay = score_inputs(facts(codes=codes), "cha2ds2_vasc")
    assert (open_stay["heart_failure"], open_stay["diabetes"]) == (True, True)
    assert (open_stay["stroke"], open_stay["age"]) == (None, 64)
    coded = score_inputs(facts(codes=codes, coded=True), "cha2ds2_vasc")
    assert coded["stroke"] is False
    assert strict(score_from(facts(codes=codes, coded=True), "cha2ds2_vasc")) == (3, 3)


def test_a_grade_or_a_habit_is_not_read_off_codes() -> None:
    coded = facts(codes=frozenset({(10, "R188")}), coded=True)
    assert score_inputs(coded, "child_pugh")["ascites"] is None
    assert score_inputs(coded, "child_pugh")["encephalopathy"] is False
    assert score_inputs(coded, "has_bled")["alcohol"] is None


def test_oxygenation_needs_an_arterial_sample_and_a_share_of_oxygen() -> None:
    gases = (measurement(60, "pao2", 80), measurement(60, "oxygen", 40))
    assert score_inputs(facts(*gases), "sofa")["pao2_fio2"] == 200
    venous = measurement(60, "specimen", None, "VEN.")
    assert score_inputs(facts(*gases, venous), "sofa")["pao2_fio2"] is None
    late = (measurement(50, "oxygen", 0.4), measurement(60, "pao2", 80))
    assert score_inputs(facts(*late), "sofa")["pao2_fio2"] is None


def coma(hours: float, eye: float, verbal: float, motor: float) -> list[Measurement]:
    return [
        measurement(hours, "eye_opening", eye),
        measurement(hours, "verbal_response", verbal),
        measurement(hours, "motor_response", motor),
    ]


def test_a_tube_is_no_coma() -> None:
    mode = measurement(59, "ventilator_mode", None, "CMV/ASSIST")
    assert score_inputs(facts(*coma(60, 4, 1, 6)), "qsofa")["coma_scale"] == 11
    assert score_inputs(facts(mode, *coma(60, 4, 1, 6)), "qsofa")["coma_scale"] is None
    assert score_inputs(facts(mode), "sofa")["ventilated"] is True
    assert score_inputs(facts(*coma(60, 4, 4, 6)), "curb_65")["confusion"] is True
    assert score_inputs(facts(*coma(60, 4, 1, 6)), "curb_65")["confusion"] is None
    delirious = facts(codes=frozenset({(10, "F05")}), coded=True)
    assert score_inputs(delirious, "curb_65")["confusion"] is True


def test_vasopressors_count_after_an_hour_and_are_absent_in_a_chart_without() -> None:
    charted = measurement(60, "heart_rate", 90)
    rates = [(50.0, 50.5, 0.3), (50.5, 52.0, 0.05), (52.0, 52.5, 0.3)]
    given = tuple(
        Infusion(BEGIN + timedelta(hours=start), BEGIN + timedelta(hours=end), "221906", rate)
        for start, end, rate in rates
    )
    assert score_inputs(facts(infusions=given), "sofa")["norepinephrine"] == 0.3
    assert score_inputs(facts(infusions=given[1:]), "sofa")["norepinephrine"] == 0.05
    assert score_inputs(facts(charted), "sofa")["norepinephrine"] == 0
    assert score_inputs(facts(), "sofa")["norepinephrine"] is None
    unknown = facts(charted, infusions=(replace(given[0], rate=None),))
    assert score_inputs(unknown, "sofa")["norepinephrine"] is None


def test_urine_counts_where_the_chart_covers_the_day() -> None:
    voided = (measurement(50, "urine", 300), measurement(70, "urine", 100))
    whole = [measurement(hours, "heart_rate", 80) for hours in (47, 71)]
    assert score_inputs(facts(*voided, *whole), "sofa")["urine"] == 400
    assert score_inputs(facts(*voided, *whole[1:]), "sofa")["urine"] is None


def test_drugs_count_by_class_while_ordered() -> None:
    old = Order(BEGIN, BEGIN + timedelta(hours=5), "Ketorolac")
    aspirin = Order(BEGIN, NOW, "Aspirin EC")
    assert score_inputs(facts(orders=(old,)), "has_bled")["drugs"] is False
    assert score_inputs(facts(orders=(old, aspirin)), "has_bled")["drugs"] is True
    assert score_inputs(facts(), "has_bled")["drugs"] is None
