"""MIMIC-IV's billing tables."""

from collections.abc import Iterator

from wardround.ehr.hospital.dictionaries import billing_codes
from wardround.ehr.hospital.layouts.layout import TableRow
from wardround.ehr.hospital.layouts.reasons import reason_of, severity_of
from wardround.ehr.hospital.patient_record import Visit


def rows(visit: Visit) -> Iterator[TableRow]:
    """Diagnoses, procedures, diagnosis-related groups and billing codes of a discharged stay."""
    stay = visit.stay
    ids = (stay.person.subject_id, stay.hadm_id)
    for number, (code, _) in enumerate(visit.diagnoses(stay.version), start=1):
        yield "diagnoses_icd", (*ids, number, code.upper(), stay.version)
    for number, (procedure, time) in enumerate(visit.done, start=1):
        code = procedure.in_edition(stay.version).upper()
        yield "procedures_icd", (*ids, number, time.date(), code, stay.version)
    if not stay.open:
        reason = reason_of(stay)
        yield "drgcodes", (*ids, "HCFA", reason.drg, reason.drg_title, None, None)
        yield "drgcodes", (*ids, "APR", reason.apr, reason.apr_title, *severity_of(stay))
    yield from _billing_rows(visit, ids)


def _billing_rows(visit: Visit, ids: tuple[int, int]) -> Iterator[TableRow]:
    """Billing codes of observation hours and of procedures during it."""
    if "observation" not in visit.demographics.kind:
        return
    day = visit.stay.admitted.date()
    yield "hcpcsevents", (*ids, day, "G0378", 1, "Hospital observation per hr")
    for number, (procedure, time) in enumerate(visit.done, start=2):
        if procedure.name in billing_codes():
            code, section = billing_codes()[procedure.name]
            yield "hcpcsevents", (*ids, time.date(), code, number, section.subsection)
