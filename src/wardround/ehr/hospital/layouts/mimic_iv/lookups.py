"""MIMIC-IV's lookup tables."""

from collections.abc import Iterator

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.dictionaries import bedside_items, billing_codes, icd_titles
from wardround.ehr.hospital.layouts.layout import Numbers, TableRow
from wardround.ehr.hospital.layouts.published_spelling import sentence
from wardround.ehr.hospital.staff import CAREGIVERS, PROVIDERS, caregiver, provider


def rows(numbers: Numbers) -> Iterator[TableRow]:
    """The rows of all lookup tables."""
    for name in ("d_icd_diagnoses", "d_icd_procedures"):
        for code, version, title in icd_titles(name):
            yield name, (code.upper(), version, sentence(title))
    for row in table("lab_items"):
        yield "d_labitems", (int(row["itemid"]), row["label"], row["fluid"], row["category"])
    for item in bedside_items():
        yield "d_items", (*item, None, None)
    yield (
        "d_hcpcs",
        ("G0378", 3, "Hospital observation service, per hour", "Hospital observation per hr"),
    )
    for code, section in billing_codes().values():
        yield "d_hcpcs", (code, 1, None, section.subsection)
    for number in range(PROVIDERS):
        yield "provider", (provider(number),)
    for number in range(CAREGIVERS):
        yield "caregiver", (caregiver(number),)
