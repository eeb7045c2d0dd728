"""Medical content of the data files: conditions, drugs, tests, procedures, codes."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

_SPREAD = ("mean", "spread", "wobble", "female", "floor", "ceiling")
LAB_NUMBERS = (*_SPREAD, "low", "high", "peak", "tau", "price")
DATA = files("wardround.ehr.hospital").joinpath("data")


@dataclass(frozen=True)
class Intervention:
    """An intervention for a condition with its probability: drug class, panel or specimen."""

    name: str
    chance: float
    detail: str = ""


@dataclass(frozen=True)
class Code:
    """A diagnosis code in ICD-9 and ICD-10; "" if missing in an edition."""

    icd9: str
    icd10: str
    weight: float = 1.0

    def in_edition(self, version: int) -> str:
        """The code in ICD-9 or ICD-10."""
        return self.icd9 if version == 9 else self.icd10


@dataclass(frozen=True)
class Condition:
    """A reason for admission, a complication or a chronic condition.

    The data files acute.toml, chronic.toml and complications.toml document the keys. Shares and
    weights are by age: under 45, 45-64, 65-79, 80 and over.
    """

    name: str
    codes: tuple[Code, ...] = ()
    pick: tuple[Code, ...] = ()
    share: tuple[float, ...] = ()
    weight: tuple[float, ...] = ()
    female: float = 1.0
    male: float = 1.0
    sex: str = ""
    ages: tuple[int, int] = (0, 200)
    more_with: Mapping[str, float] = field(default_factory=dict)
    always_with: Mapping[str, float] = field(default_factory=dict)
    excludes: tuple[str, ...] = ()
    absorbs: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    complications: tuple[Intervention, ...] = ()
    drugs: tuple[Intervention, ...] = ()
    tests: tuple[Intervention, ...] = ()
    procedures: tuple[Intervention, ...] = ()
    cultures: tuple[Intervention, ...] = ()
    labs: Mapping[str, float] = field(default_factory=dict)
    vitals: Mapping[str, float] = field(default_factory=dict)
    control: tuple[float, ...] = (0.5, 0.8, 1.0, 1.2, 1.7)
    pace: float = 1.0
    months: tuple[int, ...] = ()
    icu: bool = False
    late: bool = False
    theatre: bool = False
    once: bool = False
    returns: float = 0.0
    entry: str = ""
    ward: str = ""
    unit: str = ""
    days: tuple[float, ...] = ()
    intensive: float = 0.0
    death: float = 0.0


@dataclass(frozen=True)
class Identity:
    """The identity of a drug, independent of its name in orders.

    Attributes:
        generic: Generic name.
        brand: The most common US brand name, or "".
        form: "tablet", "capsule", "vial", "bag", …
        code: A synthetic formulary code, such as "LISI1T".
    """

    generic: str
    brand: str
    form: str
    code: str


@dataclass(frozen=True)
class Drug:
    """A drug as named in orders; days: duration of one order, 99 for the whole stay."""

    group: str
    name: str
    weight: float
    doses: tuple[str, ...]
    unit: str
    route: str
    days: int
    price: float
    base: str


@dataclass(frozen=True)
class Lab:
    """A laboratory test: distribution in healthy adults, and response to illness."""

    name: str
    itemid: int
    unit: str | None
    mean: float
    spread: float
    wobble: float
    female: float
    floor: float
    ceiling: float
    decimals: int
    low: float
    high: float
    peak: float
    tau: float
    price: float
    fluid: str
    category: str
    label: str


@dataclass(frozen=True)
class Procedure:
    """A procedure: codes, timing and required ICU hours (0 for any)."""

    name: str
    icd9: str
    icd10: str
    day: int
    spread: int
    every: int
    price: float
    theatre: bool
    least_hours: int
    most_hours: int

    def in_edition(self, version: int) -> str:
        """The code in ICD-9 or ICD-10."""
        return self.icd9 if version == 9 else self.icd10


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
    for row in table("drugs"):
        groups[row["class"]] = (*groups.get(row["class"], ()), _drug(row))
    return groups


@cache
def identities() -> dict[str, Identity]:
    """Drug identities by name in orders."""
    return {row["name"]: _identity(row, place) for place, row in enumerate(table("drug_names"))}


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
    return {row["test"]: _lab(row) for row in table("labs")}


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


def _identity(row: dict[str, str], place: int) -> Identity:
    letters = "".join(letter for letter in row["generic"].upper() if letter.isalpha())
    code = f"{letters[:4]}{place}{row['form'][0].upper()}"
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
    return {row["itemid"]: row for row in table("lab_items")}


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
