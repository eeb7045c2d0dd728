"""The concepts of made questions, from `concepts.toml`."""

from functools import cache
from typing import Any

from wardround.authoring.clinsql.specification import Concept, Condition
from wardround.core.packaged_data import read_toml

_TABLES = {
    "vital": "chartevents",
    "lab": "labevents",
    "drug": "prescriptions",
    "procedure": "procedureevents",
}


@cache
def conditions() -> tuple[Condition, ...]:
    """All conditions."""
    return tuple(
        Condition(entry["name"], tuple(entry["icd9"]), tuple(entry["icd10"]))
        for entry in read_toml(__package__, "concepts.toml")["condition"]
    )


@cache
def concepts(kind: str) -> tuple[Concept, ...]:
    """All concepts of a kind: vital, lab, drug or procedure.

    >>> concepts("lab")[0].items
    (50912,)
    """
    entries = read_toml(__package__, "concepts.toml")[kind]
    return tuple(Concept(table=_TABLES[kind], **_fields(entry)) for entry in entries)


def _fields(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in entry.items()}
