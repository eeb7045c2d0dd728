"""eICU's tables of laboratory tests and cultures."""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay
from wardround.ehr.hospital.layouts.layout import TableRow
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.stays import Span

_UNITS = {"K/uL": "K/mcL", "m/uL": "M/mcL", "mEq/L": "mmol/L", "IU/L": "Units/L", "ug/dL": "mcg/dL"}
_SITES = {
    "blood culture": "Blood, Venipuncture",
    "urine": "Urine, Catheter Specimen",
    "sputum": "Sputum, Expectorated",
    "bronchoalveolar lavage": "Bronchial Lavage",
    "mini-bal": "Sputum, Tracheal Specimen",
    "mrsa screen": "Nasopharynx",
    "staph aureus swab": "Nasopharynx",
    "stool": "Stool",
    "pleural fluid": "Pleural Fluid",
    "csf;spinal fluid": "CSF",
    "swab": "Skin",
    "abscess": "Wound, Drainage Fluid",
}
_ORGANISMS = {
    "staph aureus coag +": "Staphylococcus aureus",
    "positive for methicillin resistant staph aureus": "Staphylococcus aureus",
    "staphylococcus, coagulase negative": "Staphylococcus epidermidis",
    "yeast": "yeast",
}
_LEVELS = {"S": "Sensitive", "I": "Intermediate", "R": "Resistant"}


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """Specimens from a day before unit admission until unit discharge."""
    around = Span(unit.span.start - timedelta(days=1), unit.span.end)
    yield from _laboratory(unit, around)
    yield from _cultures(unit, around)


def _laboratory(unit: UnitStay, around: Span) -> Iterator[TableRow]:
    for result in unit.visit.results:
        name_and_kind = _names().get(result.lab.name)
        if name_and_kind and around.holds(result.time):
            name, kind = name_and_kind
            unit_of = spell("unit", result.lab.unit) if result.lab.unit else None
            measured = (_UNITS.get(unit_of or "", unit_of), unit_of)
            value = (name, result.value, result.text, *measured)
            collected, stored = unit.offset(result.time), unit.offset(result.stored)
            yield "lab", (collected, kind, *value, stored)


def _cultures(unit: UnitStay, around: Span) -> Iterator[TableRow]:
    for culture in unit.visit.cultures:
        if not around.holds(culture.time) or culture.reported is None:
            continue
        offset, site = unit.offset(culture.time), _SITES.get(culture.specimen, "Other")
        organism = _organism(culture.organism)
        for tested in culture.susceptibilities or (None,):
            level = (tested.antibiotic, _LEVELS[tested.interpretation]) if tested else (None, None)
            yield "microlab", (offset, site, organism, *level)


def _organism(name: str | None) -> str:
    if name is None:
        return "no growth"
    return _ORGANISMS.get(name) or name[:1].upper() + name[1:]


@cache
def _names() -> dict[str, tuple[str, int]]:
    """EICU's name and type of each test."""
    return {row["test"]: (row["name"], int(row["type"])) for row in table("forms/eicu_labs")}
