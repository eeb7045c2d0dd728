"""The clinical concepts of made questions, from `concepts.toml`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from wardround.core.packaged_data import read_toml
from wardround.ehr.records import RecordMap

# Kinds of record by the names of their concepts, where they differ.
_KINDS = {"coded": "procedure", "procedure": "intervention"}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis as LIKE patterns of codes in both versions of ICD, in a clinical category."""

    name: str
    category: str
    icd9: tuple[str, ...]
    icd10: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An end of a hospital stay.

    Attributes:
        name: The stem of names of columns.
        words: Its name in a sentence.
        column: The column of an admission that says it: died or destination.
        values: Its values there, as the layout writes them.
    """

    name: str
    words: str
    column: str
    values: tuple[str | int, ...]


DEATH = Outcome("mortality", "death in hospital", "died", (1,))


@dataclass(frozen=True, slots=True)
class Concept:
    """A sign, test, drug or procedure as records of a kind.

    Attributes:
        name: The stem of names of columns.
        words: Its name in a sentence.
        kind: The kind of its records.
        items: Their item ids.
        names: Their names, where the layout has no such ids.
        patterns: LIKE patterns of lower-case names of drugs.
        icd9: LIKE patterns of ICD-9 codes of procedures.
        icd10: LIKE patterns of ICD-10 codes of procedures.
        unit: The unit of a value.
        plausible: Bounds of a plausible value.
        above: The upper limit of normal, where high values are of interest.
        below: The lower limit of normal, where low values are.
        companion: A second drug, which the same stay has to have.
    """

    name: str
    words: str
    kind: str
    items: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    icd9: tuple[str, ...] = ()
    icd10: tuple[str, ...] = ()
    unit: str = ""
    plausible: tuple[float, float] = (0, 100_000)
    above: float | None = None
    below: float | None = None
    companion: "Concept | None" = None

    @property
    def has_values(self) -> bool:
        """True if its events are measurements."""
        return self.kind in ("lab", "vital")

    @property
    def is_any_code(self) -> bool:
        """True if any ICD code of its kind counts."""
        return self.kind in ("diagnosis", "procedure") and not self.icd9


@cache
def diagnoses() -> tuple[Diagnosis, ...]:
    """The diagnoses that cohorts are made of."""
    return tuple(Diagnosis(**_fields(entry)) for entry in _entries("condition"))


def outcomes(records: RecordMap) -> dict[str, Outcome]:
    """The outcomes of a stay that a layout tells apart, by name."""
    by_name = {DEATH.name: DEATH} if records.has("admission", DEATH.column) else {}
    if records.has("admission", DEATH.column) and not _is_column(records, DEATH.column):
        words = f"{DEATH.words} (a death on a day of the stay)"
        by_name = {DEATH.name: replace(DEATH, words=words)}
    for entry in _entries("outcome"):
        texts = [records.texts("admission", "destination", each) for each in entry["meanings"]]
        values = tuple(text for written in texts for text in written)
        if all(texts):
            words = entry["words"].format(values=" or ".join(values))
            by_name[entry["name"]] = Outcome(entry["name"], words, "destination", values)
    return by_name


@cache
def concepts(kind: str) -> tuple[Concept, ...]:
    """All concepts of a kind: vital, lab, drug, pair, procedure or coded.

    >>> concepts("lab")[0].items
    (50912,)
    """
    if kind == "pair":
        return tuple(_pairs())
    return tuple(Concept(kind=_KINDS.get(kind, kind), **_fields(entry)) for entry in _entries(kind))


def _is_column(records: RecordMap, column: str) -> bool:
    """True if a layout has a column of admissions for it, and need not compute it."""
    return all(
        source.columns[column].sql.replace(".", "").isidentifier()
        for source in records.kinds["admission"]
    )


def _pairs() -> Iterator[Concept]:
    """Drugs with a second drug, which the same stay has to have."""
    drugs = {drug.name: drug for drug in concepts("drug")}
    for entry in _entries("pair"):
        first, second = entry["drugs"]
        yield replace(drugs[first], companion=drugs[second])


def _entries(kind: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = read_toml(__package__, "concepts.toml")[kind]
    return entries


def _fields(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in entry.items()}
