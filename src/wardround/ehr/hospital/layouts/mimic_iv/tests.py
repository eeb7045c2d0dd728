"""MIMIC-IV's tables of laboratory tests and cultures."""

from collections.abc import Iterator
from datetime import datetime

from wardround.ehr.hospital.catalogue_entries import Lab
from wardround.ehr.hospital.dictionaries import micro_item
from wardround.ehr.hospital.layouts.layout import Numbers, Row, TableRow
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.microbiology import Culture, Susceptibility
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.staff import prescriber

# Specimen identifiers have eight digits.
_FIRST_SPECIMEN, _FIRST_SAMPLE = 10_000_000, 1_000_000


def rows(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """Laboratory results, and cultures with susceptibilities."""
    yield from _laboratory(visit, numbers)
    for culture in visit.cultures:
        yield from _culture(visit, culture, numbers)


def _laboratory(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """Results; those of one time and fluid share a specimen and provider."""
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
        yield (
            "labevents",
            (
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
                None,
            ),
        )


def reference(lab: Lab) -> tuple[float | None, float | None]:
    """The reference range; None if the laboratory has none."""
    return (lab.low, lab.high) if lab.high else (None, None)


def _culture(visit: Visit, culture: Culture, numbers: Numbers) -> Iterator[TableRow]:
    """One row, or one for each tested antibiotic."""
    stay = visit.stay
    specimen, test = micro_item("specimen", culture.specimen), micro_item("test", culture.test)
    provider = prescriber(stay.draw(f"culture:{culture.time}:{culture.test}"), stay)
    day = culture.time.replace(hour=0, minute=0)
    stored = culture.reported
    storeday = stored.replace(hour=0, minute=0) if stored else None
    sample = _FIRST_SAMPLE + numbers.take("samples")
    for tested in culture.susceptibilities or (None,):
        yield (
            "microbiologyevents",
            (
                numbers.take("microbiologyevents"),
                stay.person.subject_id,
                stay.hadm_id,
                sample,
                provider,
                day,
                culture.time,
                *specimen,
                1,
                storeday,
                stored,
                *test,
                *_isolate_columns(culture),
                *_susceptibility_columns(tested),
                "NO GROWTH." if stored and culture.organism is None else None,
            ),
        )


def _isolate_columns(culture: Culture) -> Row:
    """Organism, isolate and quantity."""
    if culture.organism is None:
        return (None, None, None, None)
    return (*micro_item("organism", culture.organism), 1, None)


def _susceptibility_columns(tested: Susceptibility | None) -> Row:
    """Antibiotic, dilution in three ways, and interpretation."""
    if tested is None:
        return (None,) * 6
    comparison = tested.dilution.rstrip("0123456789.") or "="
    value = float(tested.dilution.lstrip("<=>"))
    antibiotic = micro_item("antibiotic", tested.antibiotic)
    return (*antibiotic, tested.dilution, comparison, value, tested.interpretation)
