"""Dictionaries of clinical facts with their sources: items, codes, drugs, reference ranges."""

from functools import cache

from wardround.core.packaged_data import read_lines


@cache
def dictionary(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a dictionary, by column.

    Args:
        name: a file of this folder without its ending, such as "items" or "icd_diagnoses".

    >>> [row["label"] for row in dictionary("lab_items") if row["itemid"] == "50912"]
    ['Creatinine']
    """
    head, *rows = (line.split("\t") for line in read_lines(__package__, f"{name}.tsv"))
    return tuple(dict(zip(head, row, strict=True)) for row in rows)
