"""Entries of the catalogue: conditions, drugs, tests, procedures, codes."""

from collections.abc import Mapping
from dataclasses import dataclass, field


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
