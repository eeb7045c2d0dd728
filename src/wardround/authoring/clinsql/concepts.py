"""The clinical concepts of made questions, from `concepts.toml`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from wardround.core.packaged_data import read_toml

_TABLES = {
    "vital": "chartevents",
    "lab": "labevents",
    "drug": "prescriptions",
    "procedure": "procedureevents",
    "coded": "procedures_icd",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as LIKE patterns of codes in both versions of ICD, in a clinical category."""

    name: str
    category: str
    icd9: tuple[str, ...]
    icd10: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An end of a hospital stay, as values of a column of admissions.

    Attributes:
        name: The stem of names of columns.
        words: Its name in a sentence.
        column: The column.
        values: The values.
    """

    name: str
    words: str
    column: str
    values: tuple[str | int, ...]


DEATH = Outcome("mortality", "death in hospital", "hospital_expire_flag", (1,))


@dataclass(frozen=True, slots=True)
class Concept:
    """A sign, test, drug or procedure as rows of a table of events.

    Attributes:
        name: The stem of names of columns.
        words: Its name in a sentence.
        table: The table of its events.
        items: Their item ids.
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
    table: str
    items: tuple[int, ...] = ()
    patterns: tuple[str, ...] = ()
    icd9: tuple[str, ...] = ()
    icd10: tuple[str, ...] = ()
    unit: str = ""
    plausible: tuple[float, float] = (0, 100_000)
    above: float | None = None
    below: float | None = None
    companion: "Concept | None" = None

    @property
    def time(self) -> str:
        """The column of an event's time."""
        return "charttime" if self.table in ("labevents", "chartevents") else "starttime"

    @property
    def has_values(self) -> bool:
        """True if its events are measurements."""
        return self.time == "charttime"


@cache
def conditions() -> tuple[Condition, ...]:
    """All conditions."""
    return tuple(Condition(**_fields(entry)) for entry in _entries("condition"))


@cache
def outcomes() -> dict[str, Outcome]:
    """All outcomes of a stay, by name."""
    found = (Outcome(**_fields(entry)) for entry in _entries("outcome"))
    return {outcome.name: outcome for outcome in (DEATH, *found)}


@cache
def concepts(kind: str) -> tuple[Concept, ...]:
    """All concepts of a kind: vital, lab, drug, pair, procedure or coded.

    >>> concepts("lab")[0].items
    (50912,)
    """
    if kind == "pair":
        return tuple(_pairs())
    return tuple(Concept(table=_TABLES[kind], **_fields(entry)) for entry in _entries(kind))


def _pairs() -> Iterator[Concept]:
    """Drugs with a second drug, which the same stay has to have."""
    drugs = {drug.name: drug for drug in concepts("drug")}
    for entry in _entries("pair"):
        first, second = entry["drugs"]
        yield replace(drugs[first], companion=drugs[second])


def _entries(kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_toml(__package__, "concepts.toml")[kind]
    return found


def _fields(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in entry.items()}
