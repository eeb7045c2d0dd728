"""What the lookup tables of every form are made from: whole dictionaries, not only what is used."""

from collections.abc import Iterator

from wardround.ehr.hospital.catalogue import table

_SOURCES = {"d_icd_diagnoses": "icd_diagnoses", "d_icd_procedures": "icd_procedures"}


def icd_titles(name: str) -> Iterator[tuple[str, int, str]]:
    """Code, edition and title of every code of "d_icd_diagnoses" or "d_icd_procedures"."""
    for row in table(_SOURCES[name]):
        yield row["code"], int(row["version"]), row["title"]
