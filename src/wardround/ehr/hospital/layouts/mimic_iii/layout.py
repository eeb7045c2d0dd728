"""MIMIC-III's lookup tables with ICD-9 codes only, and one person's rows of every other table."""

from collections.abc import Iterator

from wardround.ehr.hospital.dictionaries import bedside_items, icd_titles, sections
from wardround.ehr.hospital.layouts.calendar import date_positions, date_shift, shifted
from wardround.ehr.hospital.layouts.layout import Layout, Numbers, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.mimic_iii import bills as billing
from wardround.ehr.hospital.layouts.mimic_iii import events, stays
from wardround.ehr.hospital.layouts.published_names import sentence
from wardround.ehr.hospital.patient_record import PatientRecord
from wardround.ehr.hospital.staff import CAREGIVERS, caregiver
from wardround.ehr.schema import load_schema
from wardround.ehr.terms.dictionaries import dictionary

# Short titles are truncated to 24 characters.
_SHORT = 24
_ROLES = (
    ("RN", "RN"),
    ("RN", None),
    ("Res", "Resident/Fellow/PA/NP"),
    ("MD", "Attending"),
    ("RRT", None),
)
_KINDS = {"specimen": "SPECIMEN", "organism": "ORGANISM", "antibiotic": "ANTIBACTERIUM"}
_MOVED = {"inputevents": "inputevents_mv", "procedureevents": "procedureevents_mv"}


def _lookup_rows() -> Iterator[TableRow]:
    """The rows of all lookup tables, with ICD-9 codes only."""
    for name in ("d_icd_diagnoses", "d_icd_procedures"):
        for code, version, title in icd_titles(name):
            if version == 9:
                long = sentence(title)
                yield name, (code.upper(), long[:_SHORT].rstrip(), long)
    codes = {row["itemid"]: row["loinc"] for row in dictionary("loinc")}
    for row in dictionary("lab_items"):
        test = (row["label"], row["fluid"], row["category"], codes.get(row["itemid"]))
        yield "d_labitems", (int(row["itemid"]), *test)
    yield from _items()
    for section in sections():
        ends = (section.suffix or None, section.first, section.last)
        yield "d_cpt", (*section[:5], *ends)
    for number in range(CAREGIVERS):
        yield "caregivers", (caregiver(number), *_ROLES[number % len(_ROLES)])


def _items() -> Iterator[TableRow]:
    """Items of both charting systems, then those of microbiology."""
    for itemid, label, short, links, category, unit, kind in bedside_items():
        if links != "ingredientevents":
            source = ("metavision", _MOVED.get(links, links))
            yield "d_items", (itemid, label, short, *source, category, unit, kind, None)
    for row in {row["carevue"]: row for row in dictionary("carevue")}.values():
        charted: dict[str, Value] = {
            "itemid": int(row["carevue"]),
            "label": row["label"],
            "dbsource": "carevue",
            "linksto": row["linksto"],
        }
        yield named_row(SCHEMA, "d_items", charted)
    for row in dictionary("micro_items"):
        if row["kind"] in _KINDS:
            cultured: dict[str, Value] = {
                "itemid": int(row["itemid"]),
                "label": row["label"],
                "dbsource": "hospital",
                "linksto": "microbiologyevents",
                "category": _KINDS[row["kind"]],
            }
            yield named_row(SCHEMA, "d_items", cultured)


SCHEMA = "mimic_iii"
# MIMIC-III shifts everyone to between 2100 and 2200.
_YEARS = (1, 99)
_ORDERS = {"orderid": "bedside", "linkorderid": "bedside"}
_ORDERED = ("inputevents_mv", "inputevents_cv", "procedureevents_mv")


def _lookups(numbers: Numbers) -> Iterator[TableRow]:
    for name, row in _lookup_rows():
        yield name, (numbers.take(name), *row)


def _rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    by, positions = date_shift(record.person, *_YEARS), date_positions(SCHEMA)
    yield "patients", (numbers.take("patients"), *stays.patient(record, by))
    for visit in record.visits:
        for name, row in (*stays.rows(visit), *billing.rows(visit)):
            yield name, shifted((numbers.take(name), *row), positions[name], by)
        for name, row in events.rows(visit, numbers):
            yield name, shifted((numbers.take(name), *row[1:]), positions[name], by)


MIMIC_III = Layout(
    schema=SCHEMA,
    numbered={
        table.name: {"row_id": table.name} | (_ORDERS if table.name in _ORDERED else {})
        for table in load_schema(SCHEMA).tables
    },
    lookups=_lookups,
    rows=_rows,
)
