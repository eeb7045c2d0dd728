"""The keys of which ids of FHIR resources are made are unique, whatever the seed."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.cases import for_each
from wardround.ehr.fhir.mimic import resources
from wardround.ehr.hospital import build_hospital
from wardround.ehr.hospital.layouts.layout import Numbers, TableRow
from wardround.ehr.hospital.layouts.mimic_iv import stays
from wardround.ehr.hospital.layouts.mimic_iv.layout import MIMIC_IV
from wardround.ehr.hospital.patient_record import patient_record, stays_of
from wardround.ehr.hospital.people import person
from wardround.ehr.schema import load_schema

SEEDS = range(20)
KEYS = {
    "omr": ("subject_id", "chartdate", "seq_num", "result_name"),
    "chartevents": ("stay_id", "charttime", "itemid", "value"),
    "outputevents": ("stay_id", "charttime", "itemid"),
    "datetimeevents": ("stay_id", "charttime", "itemid"),
    "diagnoses_icd": ("hadm_id", "seq_num", "icd_code"),
    "procedures_icd": ("hadm_id", "seq_num", "icd_code"),
    "procedureevents": ("stay_id", "orderid", "itemid"),
    "inputevents": ("stay_id", "orderid", "itemid"),
    "admissions": ("hadm_id",),
    "icustays": ("stay_id",),
    "labevents": ("labevent_id",),
    "microbiologyevents": ("microevent_id",),
    "pharmacy": ("pharmacy_id",),
    "poe": ("poe_id",),
    "emar": ("emar_id",),
}
_COLUMNS = {
    table.name: [column.name for column in table.columns]
    for table in load_schema("mimic_iv").tables
}


def repeated(rows: Iterable[TableRow]) -> list[tuple[str, Any]]:
    """The keys that stand in more than one row, with their table."""
    counts = Counter[tuple[str, Any]]()
    for table, row in rows:
        values = dict(zip(_COLUMNS[table], row, strict=True))
        if table in KEYS:
            counts[table, tuple(values[name] for name in KEYS[table])] += 1
    return [key for key, count in counts.items() if count > 1]


@for_each(SEEDS)
def test_keys_of_outpatient_visits_are_unique(seed: int) -> None:
    people = [person(seed, index) for index in range(40)]
    assert len({someone.subject_id for someone in people}) == len(people)
    every = [stays_of(someone) for someone in people]
    admitted = [stay.hadm_id for several in every for stay in several]
    assert len(set(admitted)) == len(admitted)
    assert repeated(row for several in every for row in stays.outpatient(several)) == []


@for_each(SEEDS)
def test_keys_of_a_persons_record_are_unique(seed: int) -> None:
    assert repeated(MIMIC_IV.rows(patient_record(seed, 0), Numbers())) == []


def test_patient_with_two_visits_on_a_day_has_a_record(tmp_path: Path) -> None:
    hospital = tmp_path / "hospital.duckdb"
    build_hospital(hospital, patients=2, seed=8, schema="mimic_iv", workers=1)
    ids = Counter((each["resourceType"], each["id"]) for each in resources(str(hospital)))
    assert [key for key, count in ids.items() if count > 1] == []
