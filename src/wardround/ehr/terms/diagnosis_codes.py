"""Diagnoses of a stay by its codes, for rules that warn of them or forbid a drug under them."""

from collections.abc import Collection, Mapping
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell


def coded_diagnoses(codes: Collection[str]) -> frozenset[str]:
    """The diagnoses that a stay has by its ICD-9-CM or ICD-10-CM codes without dots.

    >>> sorted(coded_diagnoses(["E875", "I4891"])), coded_diagnoses(["Z7901"])
    (['arrhythmia', 'atrial fibrillation', 'hyperkalemia'], frozenset())
    """
    return frozenset(
        name
        for name, beginnings in code_beginnings().items()
        if any(code.startswith(beginnings) for code in codes)
    )


@cache
def code_beginnings() -> Mapping[str, tuple[str, ...]]:
    """The beginnings of the codes of each diagnosis."""
    return {
        name: (*split_cell(ninth), *split_cell(tenth))
        for name, ninth, tenth in read_rows(__package__, "diagnosis_codes.tsv")
    }
