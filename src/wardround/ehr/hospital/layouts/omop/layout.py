"""OMOP 5.4: vocabulary and units, and one person's stays, events and measurements."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import TypeAlias

from wardround.ehr.hospital.layouts.administration import doses
from wardround.ehr.hospital.layouts.calendar import date_positions, date_shift, shifted
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.mimic_iv.layout import YEARS
from wardround.ehr.hospital.layouts.mimic_iv.notes import note_rows
from wardround.ehr.hospital.layouts.mimic_iv.tests import reference
from wardround.ehr.hospital.layouts.omop import concepts, stays
from wardround.ehr.hospital.layouts.omop.stays import RECORD
from wardround.ehr.hospital.layouts.prescriptions import prescriptions
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.orders import Order
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.people import YEAR
from wardround.ehr.hospital.stays import NOW

PRESCRIPTION, ADMINISTRATION = 32838, 32818

# The column of each table's numbers.
NUMBERED = {
    "condition_occurrence": "condition_occurrence_id",
    "procedure_occurrence": "procedure_occurrence_id",
    "drug_exposure": "drug_exposure_id",
    "measurement": "measurement_id",
    "observation": "observation_id",
}

_Event: TypeAlias = tuple[str, dict[str, Value]]  # a table with the values of some columns


def rows(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """All events of a stay, each with its number, its person and its visit."""
    person, stay = visit.stay.person.subject_id, visit.stay.hadm_id
    for table, values in _events(visit):
        values[NUMBERED[table]] = 1 + numbers.take(table)
        values["person_id"] = person
        values["visit_occurrence_id"] = stay
        yield named_row("omop_5_4", table, values)


def _events(visit: Visit) -> Iterator[_Event]:
    yield from _allergies(visit)
    yield from _coded(visit)
    yield from _drugs(visit)
    yield from _laboratory(visit)
    yield from _charted(visit)


def _allergies(visit: Visit) -> Iterator[_Event]:
    """The person's allergy list, taken at the first admission."""
    stay = visit.stay
    for allergy in stay.person.allergies if stay.number == 0 else ():
        concept = concepts.allergy(allergy.name)
        yield (
            "observation",
            {
                "observation_concept_id": concept,
                "observation_date": stay.admitted.date(),
                "observation_datetime": stay.admitted,
                "observation_type_concept_id": RECORD,
                "value_as_string": allergy.reaction,
                "observation_source_value": allergy.substance,
                "observation_source_concept_id": concept,
                "value_source_value": allergy.reaction,
            },
        )


def _coded(visit: Visit) -> Iterator[_Event]:
    version = visit.stay.version
    for code, onset in visit.diagnoses(version):
        concept = concepts.diagnosis(code, version)
        yield (
            "condition_occurrence",
            {
                "condition_concept_id": concept,
                "condition_start_date": onset.date(),
                "condition_start_datetime": onset,
                "condition_type_concept_id": RECORD,
                "condition_source_value": code.upper(),
                "condition_source_concept_id": concept,
            },
        )
    for procedure, time in visit.done:
        code = procedure.in_edition(version)
        concept = concepts.procedure(code, version)
        yield (
            "procedure_occurrence",
            {
                "procedure_concept_id": concept,
                "procedure_date": time.date(),
                "procedure_datetime": time,
                "procedure_type_concept_id": RECORD,
                "quantity": 1,
                "procedure_source_value": code.upper(),
                "procedure_source_concept_id": concept,
            },
        )


def _drugs(visit: Visit) -> Iterator[_Event]:
    """Orders, each drug and each carrier fluid, and the doses that were given."""
    for item in prescriptions(visit):
        for _, order in item.parts():
            # An end is required: ongoing events end at the extract.
            yield "drug_exposure", _drug(order, order.start, order.stop or NOW, PRESCRIPTION)
        for dose in doses(visit.stay, item):
            if dose.given:
                yield "drug_exposure", _drug(item.main, dose.time, dose.time, ADMINISTRATION)


def _drug(order: Order, start: datetime, stop: datetime, kind: int) -> dict[str, Value]:
    """A drug; its quantity is one dose."""
    concept, dose, unit = concepts.drug(order.name), float(order.dose), spell("unit", order.unit)
    route = order.route.upper()
    return {
        "drug_concept_id": concept,
        "drug_exposure_start_date": start.date(),
        "drug_exposure_start_datetime": start,
        "drug_exposure_end_date": stop.date(),
        "drug_exposure_end_datetime": stop,
        "drug_type_concept_id": kind,
        "quantity": dose,
        "sig": f"{dose:g} {unit} {route} {order.frequency}",
        "drug_source_value": spell("drug", order.name),
        "drug_source_concept_id": concept,
        "route_source_value": route,
        "dose_unit_source_value": unit,
    }


def _laboratory(visit: Visit) -> Iterator[_Event]:
    for result in visit.results:
        lab = result.lab
        unit = spell("unit", lab.unit) if lab.unit else None
        low, high = reference(lab)
        measured = _measurement(lab.itemid, result.time, result.value, unit, result.text)
        measured["range_low"], measured["range_high"] = low, high
        yield "measurement", measured


def _charted(visit: Visit) -> Iterator[_Event]:
    stays = [care.number for care in visit.intensive]
    for reading in (*visit.readings, *visit.observations):
        unit = spell("unit", reading.unit) if reading.unit else None
        value, text = reading.value, reading.text
        if text is None and value is not None:
            text = f"{value:g}"
        measured = _measurement(reading.item, reading.time, value, unit, text)
        measured["visit_detail_id"] = stays[reading.episode]
        yield "measurement", measured


def _measurement(
    item: int, time: datetime, value: float | None, unit: str | None, text: str | None
) -> dict[str, Value]:
    concept = concepts.item(item)
    return {
        "measurement_concept_id": concept,
        "measurement_date": time.date(),
        "measurement_datetime": time,
        "measurement_type_concept_id": RECORD,
        "value_as_number": value,
        "unit_concept_id": concepts.unit(unit),
        "measurement_source_value": str(item),
        "measurement_source_concept_id": concept,
        "unit_source_value": unit,
        "value_source_value": text,
    }


SCHEMA = "omop_5_4"
_ENGLISH = 4180186
_TITLES = {"DS": "Discharge summary", "RR": "Radiology report"}
# More notes than a person has.
_NOTES_OF_A_PERSON = 10_000
_NUMBERED = {"observation_period": "observation_period_id", **NUMBERED}


def _lookups(numbers: Numbers) -> Iterator[TableRow]:
    made = date(YEAR, 12, 31)
    about = ("Synthetic hospital", concepts.OWN, concepts.OWN, "Synthetic patients only", None)
    yield "cdm_source", (*about, None, made, made, "5.4", concepts.UNKNOWN, concepts.OWN)
    yield from concepts.vocabulary_rows()
    yield from stays.lookup_rows()


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    """A person's rows; their dates are those of layout `mimic_iv`."""
    by, positions = date_shift(record.person, *YEARS), date_positions(SCHEMA)
    yield stays.person_row(record, by)
    for name, row in _unshifted_rows(record, numbers):
        yield name, shifted(row, positions[name], by)


def _unshifted_rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    yield from stays.rows(record, numbers)
    for visit in record.visits:
        yield from rows(visit, numbers)


def _notes(record: PatientRecord) -> Iterator[TableRow]:
    first = record.person.index * _NOTES_OF_A_PERSON + 1
    written = note_rows.rows(record, date_shift(record.person, *YEARS))
    for number, (_, row) in enumerate(written, start=first):
        _, subject, hadm_id, kind, _, charted, _, text = row
        columns: dict[str, Value] = {
            "note_id": number,
            "person_id": subject,
            "note_date": charted.date() if isinstance(charted, datetime) else charted,
            "note_datetime": charted,
            "note_type_concept_id": stays.RECORD,
            "note_class_concept_id": concepts.UNKNOWN,
            "note_title": _TITLES[str(kind)],
            "note_text": text,
            "encoding_concept_id": concepts.UNKNOWN,
            "language_concept_id": _ENGLISH,
            "visit_occurrence_id": hadm_id,
            "note_source_value": kind,
        }
        yield named_row(SCHEMA, "note", columns)


OMOP = Layout(
    schema=SCHEMA,
    numbered={table: {column: table} for table, column in _NUMBERED.items()},
    lookups=_lookups,
    rows=_rows,
    notes=_notes,
    note_tables=("note",),
)
