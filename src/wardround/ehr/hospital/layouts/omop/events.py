"""OMOP's tables of what happened in a stay: diagnoses, drugs, measurements and others."""

from collections.abc import Iterator
from datetime import datetime

from wardround.ehr.hospital.layouts.administration import doses
from wardround.ehr.hospital.layouts.layout import Numbers, Row, TableRow
from wardround.ehr.hospital.layouts.mimic_iv.tests import reference
from wardround.ehr.hospital.layouts.omop import concepts
from wardround.ehr.hospital.layouts.omop.stays import RECORD
from wardround.ehr.hospital.layouts.prescriptions import prescriptions
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.orders import Order
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.stays import NOW

PRESCRIPTION, ADMINISTRATION = 32838, 32818


def rows(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """All events of a stay, each with its number and its person."""
    for table, row in _events(visit):
        yield table, (1 + numbers.take(table), visit.stay.person.subject_id, *row)


def _events(visit: Visit) -> Iterator[TableRow]:
    yield from _allergies(visit)
    yield from _coded(visit)
    yield from _drugs(visit)
    yield from _laboratory(visit)
    yield from _charted(visit)


def _allergies(visit: Visit) -> Iterator[TableRow]:
    """The person's allergy list, taken at the first admission."""
    stay = visit.stay
    for allergy in stay.person.allergies if stay.number == 0 else ():
        concept = concepts.allergy(allergy.name)
        found = (RECORD, None, allergy.reaction, None, None, None)
        place = (None, stay.hadm_id, None)
        source = (allergy.substance, concept, None, None, allergy.reaction, None, None)
        yield "observation", (concept, *_at(stay.admitted), *found, *place, *source)


def _coded(visit: Visit) -> Iterator[TableRow]:
    version, place = visit.stay.version, (None, visit.stay.hadm_id, None)
    for code, onset in visit.diagnoses(version):
        concept = concepts.diagnosis(code, version)
        about = (None, None, RECORD, None, None, *place, code.upper(), concept, None)
        yield "condition_occurrence", (concept, *_at(onset), *about)
    for procedure, time in visit.done:
        code = procedure.in_edition(version)
        concept = concepts.procedure(code, version)
        once = (None, None, RECORD, None, 1, *place, code.upper(), concept, None)
        yield "procedure_occurrence", (concept, *_at(time), *once)


def _drugs(visit: Visit) -> Iterator[TableRow]:
    """Orders, each drug and each carrier fluid, and the doses that were given."""
    for item in prescriptions(visit):
        for _, order in item.parts():
            # What goes on ends at the extract, since an end is required.
            stop = order.stop or NOW
            yield "drug_exposure", _drug(visit, order, order.start, stop, PRESCRIPTION)
        for dose in doses(visit.stay, item):
            if dose.given:
                row = _drug(visit, item.main, dose.time, dose.time, ADMINISTRATION)
                yield "drug_exposure", row


def _drug(visit: Visit, order: Order, start: datetime, stop: datetime, kind: int) -> Row:
    """A drug; its quantity is one dose."""
    concept, dose, unit = concepts.drug(order.name), float(order.dose), spell("unit", order.unit)
    route = order.route.upper()
    supply = (None, None, dose, None, f"{dose:g} {unit} {route} {order.frequency}")
    place = (None, None, None, visit.stay.hadm_id, None)
    source = (spell("drug", order.name), concept, route, unit)
    return (concept, *_at(start), *_at(stop), None, kind, *supply, *place, *source)


def _laboratory(visit: Visit) -> Iterator[TableRow]:
    for result in visit.results:
        lab = result.lab
        unit = spell("unit", lab.unit) if lab.unit else None
        number = (result.value, unit, result.text, *reference(lab))
        yield "measurement", _measurement(visit, lab.itemid, result.time, number, None)


def _charted(visit: Visit) -> Iterator[TableRow]:
    stays = [care.number for care in visit.intensive]
    for reading in (*visit.readings, *visit.observations):
        unit = spell("unit", reading.unit) if reading.unit else None
        value, text = reading.value, reading.text
        if text is None and value is not None:
            text = f"{value:g}"
        number = (value, unit, text, None, None)
        stay = stays[reading.episode]
        yield "measurement", _measurement(visit, reading.item, reading.time, number, stay)


def _measurement(
    visit: Visit,
    item: int,
    time: datetime,
    result: tuple[float | None, str | None, str | None, float | None, float | None],
    detail: int | None,
) -> Row:
    """A result: value, unit, text and the limits of its reference range."""
    value, unit, text, low, high = result
    concept, unit_concept = concepts.item(item), concepts.unit(unit)
    number = (None, RECORD, None, value, None, unit_concept, low, high, None)
    place = (visit.stay.hadm_id, detail, str(item), concept)
    return (concept, *_at(time), *number, *place, unit, None, text, None, None)


def _at(time: datetime) -> Row:
    return (time.date(), time)
