"""MIMIC-IV's tables of laboratory tests and cultures."""

from collections.abc import Iterator
from datetime import datetime

from wardround.ehr.hospital.catalogue_entries import Lab
from wardround.ehr.hospital.dictionaries import micro_item
from wardround.ehr.hospital.layouts.layout import Numbers, RowWriter, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.microbiology import Culture, Susceptibility
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.staff import prescriber

# Specimen identifiers have eight digits.
_FIRST_SPECIMEN, _FIRST_SAMPLE = 10_000_000, 1_000_000
_LAB_ROW = RowWriter(
    "mimic_iv",
    "labevents",
    "labevent_id",
    "subject_id",
    "hadm_id",
    "specimen_id",
    "itemid",
    "order_provider_id",
    "charttime",
    "storetime",
    "value",
    "valuenum",
    "valueuom",
    "ref_range_lower",
    "ref_range_upper",
    "flag",
    "priority",
)


def rows(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """Laboratory results, and cultures with susceptibilities."""
    yield from _laboratory(visit, numbers)
    for culture in visit.cultures:
        yield from _culture(visit, culture, numbers)


def _laboratory(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """Results; results of one time and fluid share a specimen and provider."""
    stay = visit.stay
    draw = stay.draw("laboratory orders")
    ids = (stay.person.subject_id, stay.hadm_id)
    specimens: dict[tuple[datetime, str], tuple[int, str]] = {}
    for result in visit.results:
        lab = result.lab
        key = (result.time, lab.fluid)
        if key not in specimens:
            number = _FIRST_SPECIMEN + numbers.take("specimens")
            specimens[key] = number, prescriber(draw, stay)
        specimen, provider = specimens[key]
        unit = spell("unit", lab.unit) if lab.unit else None
        yield _LAB_ROW(
            numbers.take("labevents"),
            *ids,
            specimen,
            lab.itemid,
            provider,
            result.time,
            result.stored,
            result.text,
            result.value,
            unit,
            *reference(lab),
            "abnormal" if result.abnormal else None,
            result.priority,
        )


def reference(lab: Lab) -> tuple[float | None, float | None]:
    """The reference range; None if the laboratory has none."""
    return (lab.low, lab.high) if lab.high else (None, None)


def _culture(visit: Visit, culture: Culture, numbers: Numbers) -> Iterator[TableRow]:
    """One row, or one for each tested antibiotic."""
    stay = visit.stay
    specimen, test = micro_item("specimen", culture.specimen), micro_item("test", culture.test)
    provider = prescriber(stay.draw(f"culture:{culture.time}:{culture.test}"), stay)
    stored = culture.reported
    sample = _FIRST_SAMPLE + numbers.take("samples")
    for tested in culture.susceptibilities or (None,):
        columns: dict[str, Value] = {
            "microevent_id": numbers.take("microbiologyevents"),
            "subject_id": stay.person.subject_id,
            "hadm_id": stay.hadm_id,
            "micro_specimen_id": sample,
            "order_provider_id": provider,
            "chartdate": culture.time.replace(hour=0, minute=0),
            "charttime": culture.time,
            "spec_itemid": specimen[0],
            "spec_type_desc": specimen[1],
            "test_seq": 1,
            "storedate": stored.replace(hour=0, minute=0) if stored else None,
            "storetime": stored,
            "test_itemid": test[0],
            "test_name": test[1],
            "comments": "NO GROWTH." if stored and culture.organism is None else None,
        }
        if culture.organism is not None:
            columns.update(_isolate(culture.organism))
        if tested is not None:
            columns.update(_susceptibility(tested))
        yield named_row("mimic_iv", "microbiologyevents", columns)


def _isolate(organism: str) -> dict[str, Value]:
    number, name = micro_item("organism", organism)
    return {"org_itemid": number, "org_name": name, "isolate_num": 1}


def _susceptibility(tested: Susceptibility) -> dict[str, Value]:
    """Antibiotic, dilution in three ways, and interpretation."""
    number, name = micro_item("antibiotic", tested.antibiotic)
    return {
        "ab_itemid": number,
        "ab_name": name,
        "dilution_text": tested.dilution,
        "dilution_comparison": tested.dilution.rstrip("0123456789.") or "=",
        "dilution_value": float(tested.dilution.lstrip("<=>")),
        "interpretation": tested.interpretation,
    }
