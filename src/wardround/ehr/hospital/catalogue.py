"""The catalogue of the hospital, read from its data files."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from wardround.ehr.hospital.catalogue_entries import (
    Code,
    Condition,
    Drug,
    Identity,
    Intervention,
    Lab,
    Procedure,
)
from wardround.ehr.terms.dictionaries import dictionary

_SPREAD = ("mean", "spread", "wobble", "female", "floor", "ceiling")
LAB_NUMBERS = (*_SPREAD, "low", "high", "peak", "tau", "price")
DATA = files("wardround.ehr.hospital").joinpath("data")


@cache
def toml(name: str) -> dict[str, Any]:
    """A data file's content."""
    return tomllib.loads(DATA.joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a tab-separated data file without comments."""
    lines = DATA.joinpath(f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    head, *rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return tuple(dict(zip(head, row, strict=True)) for row in rows)


@cache
def conditions(name: str) -> dict[str, Condition]:
    """The conditions of one file (acute, chronic, complications) by name."""
    return {key: _condition(key, entry) for key, entry in toml(name).items()}


@cache
def drugs() -> dict[str, tuple[Drug, ...]]:
    """Drugs by class."""
    groups: dict[str, tuple[Drug, ...]] = {}
    doses = {(row["class"], row["name"]): row for row in dictionary("drug_doses")}
    for row in table("drugs"):
        drug = _drug(row | doses[row["class"], row["name"]])
        groups[drug.group] = (*groups.get(drug.group, ()), drug)
    return groups


@cache
def identities() -> dict[str, Identity]:
    """Drug identities by name in orders."""
    rows = enumerate(dictionary("drug_names"))
    return {row["name"]: _identity(row, number) for number, row in rows}


@cache
def frequencies() -> dict[str, tuple[str, float]]:
    """Dosing frequency, as written and in doses a day, by drug class or name."""
    facts = toml("frequencies")
    return {
        name: (written, facts["times"][written])
        for written, names in facts["given"].items()
        for name in names
    }


@cache
def labs() -> dict[str, Lab]:
    """Laboratory tests by name."""
    ranges = {row["test"]: row for row in dictionary("lab_ranges")}
    return {row["test"]: _lab(row | ranges[row["test"]]) for row in table("labs")}


@cache
def procedures() -> dict[str, Procedure]:
    """Procedures by name."""
    return {row["procedure"]: _procedure(row) for row in table("procedures")}


def interventions(texts: list[str]) -> tuple[Intervention, ...]:
    """Parse "name chance [detail]".

    >>> interventions(["troponin 0.8 serial"])
    (Intervention(name='troponin', chance=0.8, detail='serial'),)
    """
    return tuple(_intervention(*text.split()) for text in texts)


def _intervention(name: str, chance: str, detail: str = "") -> Intervention:
    return Intervention(name, float(chance), detail)


def _code(icd9: str, icd10: str, weight: str = "1") -> Code:
    return Code(icd9.strip("-"), icd10.strip("-"), float(weight))


def _condition(name: str, entry: dict[str, Any]) -> Condition:
    return Condition(name, **dict(_fields(entry)))


def _fields(entry: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in entry.items():
        if key in ("codes", "pick"):
            yield key, tuple(_code(*text.split()) for text in value)
        elif key == "with":
            yield "complications", interventions(value)
        elif key in ("drugs", "tests", "procedures", "cultures"):
            yield key, interventions(value)
        else:
            yield key, tuple(value) if isinstance(value, list) else value


def _drug(row: dict[str, str]) -> Drug:
    return Drug(
        group=row["class"],
        name=row["name"],
        weight=float(row["weight"]),
        doses=tuple(f"{float(dose)}" for dose in row["doses"].split(";")),
        unit=row["unit"],
        route=row["route"],
        days=int(row["days"]),
        price=float(row["price"]),
        base=row["base"],
    )


def _identity(row: dict[str, str], number: int) -> Identity:
    letters = "".join(letter for letter in row["generic"].upper() if letter.isalpha())
    code = f"{letters[:4]}{number}{row['form'][0].upper()}"
    return Identity(row["generic"], row["brand"], row["form"], code)


def _lab(row: dict[str, str]) -> Lab:
    numbers = {name: float(row[name]) for name in LAB_NUMBERS}
    item = _lab_items()[row["itemid"]]
    return Lab(
        name=row["test"],
        itemid=int(row["itemid"]),
        unit=row["unit"] or None,
        decimals=int(row["decimals"]),
        fluid=item["fluid"],
        category=item["category"],
        label=item["label"],
        **numbers,
    )


@cache
def _lab_items() -> dict[str, dict[str, str]]:
    return {row["itemid"]: row for row in dictionary("lab_items")}


def _procedure(row: dict[str, str]) -> Procedure:
    return Procedure(
        name=row["procedure"],
        icd9=row["icd9"],
        icd10=row["icd10"],
        day=int(row["day"]),
        spread=int(row["spread"]),
        every=int(row["every"]),
        price=float(row["price"]),
        theatre=row["theatre"] == "yes",
        least_hours=int(row["least_hours"]),
        most_hours=int(row["most_hours"]),
    )
