"""A small record of two patients in MIMIC-IV's layout, with notes, and desks on it."""

import asyncio
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from tests.ehr.making import Rows, make_database
from wardround.benchmarks.assist.tools.arguments import Shapes
from wardround.benchmarks.assist.tools.desk import Desk
from wardround.benchmarks.assist.tools.results import is_error
from wardround.ehr.fhir.interaction import FhirServer, Resource
from wardround.ehr.fhir.mimic import resources
from wardround.ehr.fhir.proxy import ProxyServer
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.workspace import Workspace

ANN, BOB = 101, 102
# Ann's former, present and later stay, and Bob's.
BEFORE, NOW, AFTER, BOBS = 201, 202, 204, 203
# The discharge of Ann's present stay.
CLOCK = datetime.fromisoformat("2150-07-05T12:00:00-04:00")
LONG = "Course: uneventful. " * 300
SUMMARY = f"""
Brief Hospital Course:
{LONG}

Discharge Medications:
1. Furosemide 40 mg PO DAILY

Discharge Instructions:
Weigh yourself every morning.

Followup Instructions:
Cardiology in two weeks.
"""
FILM = "EXAMINATION:  CHEST (PA AND LAT)\n\nIMPRESSION:\n\nNo acute process.\n"
SCAN = "EXAMINATION:  CT HEAD W/O CONTRAST\n\nIMPRESSION:\n\nNo bleeding.\n"
SOUND = "EXAMINATION:  LIVER OR GALLBLADDER US\n\nIMPRESSION:\n\nTwo gallstones.\n"

_STAYS = (
    (ANN, BEFORE, "2149-01-02 08:00:00", "2149-01-04 12:00:00"),
    (ANN, NOW, "2150-07-01 08:00:00", "2150-07-05 12:00:00"),
    (ANN, AFTER, "2150-08-20 08:00:00", "2150-08-22 12:00:00"),
    (BOB, BOBS, "2150-07-01 08:00:00", "2150-07-09 12:00:00"),
)
_TESTS = (
    (50983, "Sodium"), (50971, "Potassium"), (50912, "Creatinine"), (51301, "White Blood Cells"),
    (51274, "PT"), (51275, "PTT"), (51251, "Microcytes"),
)  # fmt: skip
# Patient, stay, item, time and value of each laboratory result.
_RESULTS: tuple[tuple[int, int | None, int, str, float], ...] = (
    (ANN, BEFORE, 50971, "2149-01-02 09:00:00", 4.4),
    (ANN, NOW, 50971, "2150-07-01 09:00:00", 5.9),
    (ANN, NOW, 50971, "2150-07-03 09:00:00", 4.8),
    (ANN, NOW, 50971, "2150-07-05 09:00:00", 4.1),
    (ANN, NOW, 50971, "2150-08-20 09:00:00", 6.6),
    (ANN, NOW, 50912, "2150-07-02 09:00:00", 1.4),
    (ANN, NOW, 51301, "2150-07-02 09:00:00", 13.1),
    (ANN, NOW, 51274, "2150-07-02 09:00:00", 12.0),
    (ANN, NOW, 51275, "2150-07-02 09:00:00", 31.0),
    (ANN, NOW, 51251, "2150-07-02 09:00:00", 1.0),
    (BOB, BOBS, 50971, "2150-07-02 09:00:00", 3.3),
)
# Pharmacy number, stay, drug, dose, unit, route, frequency, start and end.
_ORDERS = (
    (1, BEFORE, "Furosemide", "20", "mg", "PO", "DAILY", "2149-01-02", "2149-01-04"),
    (2, NOW, "Furosemide", "40", "mg", "IV", "BID", "2150-07-01", "2150-07-03"),
    (3, NOW, "Warfarin", "5", "mg", "PO", "DAILY", "2150-07-02", None),
    (4, AFTER, "Digoxin", "0.25", "mg", "PO", "DAILY", "2150-08-20", "2150-08-22"),
)


def build_small_chart(folder: Path) -> Record:
    """The record, made of a database in a folder."""
    database, path = str(folder / "small.duckdb"), folder / "small.fhir"
    rows, more = _rows(), _bobs()
    merged = {name: [*table, *more.get(name, ())] for name, table in rows.items()}
    make_database(database, "mimic_iv", merged)
    with closing(duckdb.connect(database)) as connection:
        for table, notes in (("discharge", _summaries()), ("radiology", _reports())):
            connection.execute(
                f"CREATE TABLE {table} (note_id VARCHAR, subject_id BIGINT, hadm_id BIGINT, "
                "note_type VARCHAR, note_seq BIGINT, charttime TIMESTAMP, storetime TIMESTAMP, "
                "text VARCHAR)"
            )
            for note_id, stay, charted, text in notes:
                row = (note_id, ANN, stay, "DS", 1, charted, charted, text)
                connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    build_record(path, resources(database))
    return Record.open(path)


def _summaries() -> list[tuple[str, int, str, str]]:
    early = SUMMARY.replace("40 mg", "20 mg")
    return [
        ("1-DS-1", BEFORE, "2149-01-04 00:00:00", early),
        ("1-DS-2", NOW, "2150-07-05 00:00:00", SUMMARY),
    ]


def _reports() -> list[tuple[str, int, str, str]]:
    films = [(f"1-RR-{day}", NOW, f"2150-07-0{day} 07:00:00", FILM) for day in (1, 2, 3, 4, 5)]
    later = ("1-RR-7", AFTER, "2150-08-20 09:00:00", SOUND)
    return [*films, ("1-RR-6", NOW, "2150-07-02 05:00:00", SCAN), later]


def _rows() -> dict[str, Rows]:
    return {
        "patients": [{"subject_id": each, "gender": "F", "anchor_age": 70} for each in (ANN, BOB)],
        "admissions": [
            {
                "subject_id": patient, "hadm_id": stay, "admittime": begin, "dischtime": end,
                "admission_location": "EMERGENCY ROOM", "discharge_location": "HOME",
            }
            for patient, stay, begin, end in _STAYS
        ],
        "transfers": [
            {"subject_id": patient, "hadm_id": stay, "transfer_id": stay, "intime": begin,
             "outtime": end, "careunit": "Medicine", "eventtype": "admit"}
            for patient, stay, begin, end in _STAYS
        ],
        "icustays": [
            {"subject_id": ANN, "hadm_id": NOW, "stay_id": 301, "first_careunit": "MICU",
             "last_careunit": "MICU", "intime": "2150-07-01 10:00:00",
             "outtime": "2150-07-02 10:00:00"}
        ],
        "d_icd_diagnoses": [
            {"icd_code": "I5020", "icd_version": 10, "long_title": "Systolic heart failure"},
            {"icd_code": "I10", "icd_version": 10, "long_title": "Essential hypertension"},
        ],
        "diagnoses_icd": [
            {"subject_id": ANN, "hadm_id": NOW, "seq_num": 1, "icd_code": "I5020",
             "icd_version": 10},
            {"subject_id": ANN, "hadm_id": NOW, "seq_num": 2, "icd_code": "I10", "icd_version": 10},
        ],
        "d_labitems": [{"itemid": item, "label": label} for item, label in _TESTS],
        "labevents": [
            {"subject_id": patient, "hadm_id": stay, "itemid": item, "charttime": time,
             "storetime": time, "value": str(value), "valuenum": value, "valueuom": "mEq/L",
             "ref_range_lower": 3.5, "ref_range_upper": 5.1,
             "flag": "abnormal" if value in (5.9, 6.6) else None}
            for patient, stay, item, time, value in _RESULTS
        ],
        "d_items": [{"itemid": 220045, "label": "Heart Rate", "category": "Routine Vital Signs"}],
        "chartevents": [
            {"subject_id": ANN, "hadm_id": NOW, "stay_id": 301, "itemid": 220045,
             "charttime": f"2150-07-01 {hour}:00:00", "storetime": f"2150-07-01 {hour}:00:00",
             "value": rate, "valuenum": float(rate), "valueuom": "bpm"}
            for hour, rate in ((11, "110"), (12, "96"))
        ],
        "omr": [
            {"subject_id": ANN, "chartdate": "2149-12-01", "result_name": "Blood Pressure",
             "result_value": "140/80"}
        ],
        "microbiologyevents": [
            {"subject_id": ANN, "hadm_id": NOW, "micro_specimen_id": 5, "test_itemid": item,
             "test_name": name, "spec_type_desc": "URINE", "spec_itemid": 7,
             "chartdate": "2150-07-02 00:00:00", "charttime": "2150-07-02 03:00:00",
             "storetime": "2150-07-04 03:00:00", "comments": "NO GROWTH."}
            for item, name in ((900, "URINE CULTURE"), (901, "GRAM STAIN"))
        ],
        **_medications(),
    }  # fmt: skip


def _medications() -> dict[str, Rows]:
    return {
        "prescriptions": [
            {"subject_id": ANN, "hadm_id": stay, "pharmacy_id": number, "drug": drug,
             "drug_type": "MAIN", "formulary_drug_cd": f"{drug[:4].upper()}40", "route": route,
             "dose_val_rx": dose, "dose_unit_rx": unit, "starttime": f"{start} 08:00:00",
             "stoptime": end and f"{end} 08:00:00"}
            for number, stay, drug, dose, unit, route, _, start, end in _ORDERS
        ],
        "pharmacy": [
            {"subject_id": ANN, "hadm_id": stay, "pharmacy_id": number, "medication": drug,
             "route": route, "frequency": frequency, "entertime": f"{start} 08:00:00",
             "starttime": f"{start} 08:00:00", "stoptime": end and f"{end} 08:00:00",
             "status": "Discontinued" if end else "Active"}
            for number, stay, drug, _, _, route, frequency, start, end in _ORDERS
        ],
        "emar": [
            {"subject_id": ANN, "hadm_id": NOW, "emar_id": f"{ANN}-{number}", "emar_seq": number,
             "pharmacy_id": order, "medication": drug, "event_txt": "Administered",
             "charttime": f"2150-07-02 {number + 10}:00:00"}
            for number, order, drug in ((1, 2, "Furosemide"), (2, 3, "Warfarin"))
        ],
        "emar_detail": [
            {"subject_id": ANN, "emar_id": f"{ANN}-{number}", "emar_seq": number,
             "parent_field_ordinal": "1.1", "pharmacy_id": order, "dose_given": dose,
             "dose_given_unit": "mg", "product_code": code}
            for number, order, dose, code in ((1, 2, "40", "FURO40"), (2, 3, "5", "WARF40"))
        ],
    }  # fmt: skip


def _bobs() -> dict[str, Rows]:
    """Bob's positive culture, and his doses, most of them withheld."""
    return {
        "microbiologyevents": [
            {"subject_id": BOB, "hadm_id": BOBS, "microevent_id": event, "micro_specimen_id": 6,
             "test_itemid": 902, "test_name": "Blood Culture, Routine", "spec_itemid": 8,
             "spec_type_desc": "BLOOD CULTURE", "chartdate": "2150-07-02 00:00:00",
             "charttime": "2150-07-02 03:00:00", "storetime": "2150-07-04 03:00:00",
             "org_itemid": organism, "org_name": name, "isolate_num": 1,
             "ab_itemid": antibiotic, "ab_name": drug, "interpretation": result}
            for event, organism, name, antibiotic, drug, result in (
                (11, 80002, "ESCHERICHIA COLI", 90004, "AMPICILLIN", "R"),
                (12, 80002, "ESCHERICHIA COLI", 90012, "GENTAMICIN", "S"),
                (13, 80075, "YEAST", None, None, None),
            )
        ],
        "emar": [
            {"subject_id": BOB, "hadm_id": BOBS, "emar_id": f"{BOB}-{number}", "emar_seq": number,
             "medication": drug, "event_txt": event, "charttime": f"2150-07-0{number} 10:00:00"}
            for number, drug, event in (
                (1, "Metoprolol Tartrate", "Not Given"), (2, "Sodium Chloride Flush", "Hold Dose"),
                (3, "Metoprolol Tartrate", "Administered"), (4, "Metoprolol Tartrate", "Assessed"),
                (5, "Metoprolol Tartrate", "Not Given per Sliding Scale"),
            )
        ],
        "emar_detail": [
            {"subject_id": BOB, "emar_id": f"{BOB}-{number}", "emar_seq": number,
             "parent_field_ordinal": ordinal, "dose_given": dose, "dose_given_unit": "mg"}
            for number, ordinal, dose in (
                (1, None, None), (2, None, None), (3, "1.1", "25"), (4, None, None),
                (5, None, None), (5, "1.1", "25"),
            )
        ],
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Words:
    """An answer of the patient."""

    text: str


class Echo:
    """A patient who repeats what was asked."""

    async def answer(self, tool: str, arguments: Mapping[str, Any]) -> Words:
        return Words(f"{tool}: {dict(arguments)}")


class Ward:
    """A desk on Ann's session, and results of calls at it; writes may be kept in an overlay."""

    def __init__(
        self,
        record: Record,
        shapes: Shapes = "strict",
        over: Workspace | None = None,
        **more: Any,
    ) -> None:
        own = record.workspace(CLOCK, gated=shapes == "strict")
        self.server: FhirServer = ProxyServer(own, over) if over else own
        self.desk = Desk(self.server, ANN, NOW, CLOCK, Echo(), "session_1", shapes=shapes, **more)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a call about Ann."""
        given = {"subject_id": ANN, **arguments}
        result: dict[str, Any] = asyncio.run(self.desk.call(tool, given))
        return result

    def values(self, tool: str, **arguments: Any) -> list[Any]:
        """The values of the observations in a result."""
        return [
            each.get("valueQuantity", {}).get("value", each.get("valueString"))
            for each in resources_of(self.call(tool, **arguments))
        ]


def resources_of(result: Any) -> list[Resource]:
    """The resources of a result: a Bundle's entries, or a resource that was written."""
    if not isinstance(result, Mapping) or is_error(result):
        return []
    if result.get("resourceType") == "Bundle":
        return [entry["resource"] for entry in result.get("entry", ())]
    known = result.get("resourceType") not in (None, "OperationOutcome")
    return [dict(result)] if known else []
