"""The rows of the lookup tables: a whole dictionary, not only what is used."""

from collections.abc import Iterator

from wardround.ehr.hospital.catalogue import table

Row = tuple[str | int, ...]


def dictionary_rows() -> Iterator[tuple[str, Row]]:
    """Table name and row, without its number, of every lookup table."""
    for name, source in (
        ("d_icd_diagnoses", "icd_diagnoses"),
        ("d_icd_procedures", "icd_procedures"),
    ):
        for row in table(source):
            yield name, (row["code"], int(row["version"]), row["title"])
    for row in table("lab_items"):
        yield "d_labitems", (int(row["itemid"]), row["label"])
    for row in table("items"):
        yield "d_items", (int(row["itemid"]), row["label"], row["abbreviation"], row["linksto"])
