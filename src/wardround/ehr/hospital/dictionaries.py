"""Complete dictionaries for the lookup tables of every layout."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.terms.dictionaries import dictionary

_SOURCES = {"d_icd_diagnoses": "icd_diagnoses", "d_icd_procedures": "icd_procedures"}

Item = tuple[int, str, str, str, str, str | None, str]


class Section(NamedTuple):
    """A section of the billing codes (CPT)."""

    category: int
    range: str
    section: str
    subrange: str
    subsection: str
    suffix: str
    first: int
    last: int


def icd_titles(name: str) -> Iterator[tuple[str, int, str]]:
    """Code, edition and title of every code of "d_icd_diagnoses" or "d_icd_procedures"."""
    for row in dictionary(_SOURCES[name]):
        yield row["code"], int(row["version"]), row["title"]


def bedside_items() -> Iterator[Item]:
    """Number, label, short name, table, category, unit and kind of every item of charting."""
    for row in (*dictionary("items"), *dictionary("more_items")):
        unit = row["unit"] if row["unit"] not in ("", "None") else None
        labels = (row["label"], row["abbreviation"], row["linksto"], row["category"])
        yield int(row["itemid"]), *labels, unit, row["kind"]


@cache
def billing_codes() -> dict[str, tuple[str, Section]]:
    """Billing code (CPT) and its section, by procedure."""
    return {
        row["procedure"]: (row["cpt"], section_of(int(row["cpt"])))
        for row in table("forms/billing")
    }


def section_of(code: int) -> Section:
    """The section of a billing code.

    Raises:
        StopIteration: If no section contains it.
    """
    return next(
        section
        for section in sections()
        if not section.suffix and section.first <= code <= section.last
    )


@cache
def sections() -> tuple[Section, ...]:
    """All sections of the billing codes."""
    return tuple(
        Section(
            int(row["category"]),
            row["range"],
            row["section"],
            row["subrange"],
            row["subsection"],
            row["suffix"],
            int(row["first"]),
            int(row["last"]),
        )
        for row in dictionary("cpt_sections")
    )


@cache
def micro_item(kind: str, name: str) -> tuple[int, str]:
    """Number and label of a specimen, test, organism or antibiotic.

    >>> micro_item("organism", "escherichia coli")[1]
    'ESCHERICHIA COLI'

    Raises:
        StopIteration: If the name is unknown.
    """
    return next(
        (int(row["itemid"]), row["label"])
        for row in dictionary("micro_items")
        if row["kind"] == kind and row["label"].lower() == name
    )
