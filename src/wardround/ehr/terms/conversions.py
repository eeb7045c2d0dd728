"""Units of measured quantities, and their conversion, into SI units too."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.unit_names import spelled_names

_MASS, _MOLAR, _CHARGE = "mass concentration", "molar concentration", "charge concentration"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its name, its dimension, and the factor to the dimension's base unit."""

    name: str
    dimension: str
    factor: float


@dataclass(frozen=True, slots=True)
class _Substance:
    """The grams of a mole, and the charges of an ion; 0 where there is none."""

    molar_mass: float
    charge: int


def unit_named(name: str) -> Unit | None:
    """The unit with a name in either language; None if it is unknown.

    >>> unit_named("µmol/L").name, unit_named("毫克/分升").name
    ('umol/L', 'mg/dL')
    """
    return units().get(plain(name).strip())


def convert(value: float, unit: str, target: str, test: str = "") -> float | None:
    """A value in another unit; None if the units have no common measure.

    Args:
        value: the value.
        unit: its unit.
        target: the unit wanted.
        test: the test's label in MIMIC-IV, for masses and moles of a substance.

    >>> round(convert(2.4, "mg/dL", "umol/L", "creatinine")), convert(4, "mEq/L", "mmol/L")
    (212, None)
    >>> convert(37, "°C", "°F")
    98.6
    """
    old, new = unit_named(unit), unit_named(target)
    if old is None or new is None:
        return None
    if old.dimension == new.dimension == "temperature":
        return _temperature(value, old.name, new.name)
    if old.dimension == new.dimension:
        return value * old.factor / new.factor
    substance = _substances().get(test)
    moles = _moles(value * old.factor, old.dimension, substance) if substance else None
    return None if moles is None or substance is None else _from_moles(moles, new, substance)


def _temperature(value: float, unit: str, target: str) -> float:
    if unit == target:
        return value
    return round(value * 9 / 5 + 32, 6) if target == "°F" else round((value - 32) * 5 / 9, 6)


def _moles(value: float, dimension: str, substance: _Substance) -> float | None:
    if dimension == _MASS and substance.molar_mass:
        return value / substance.molar_mass
    if dimension == _CHARGE and substance.charge:
        return value / substance.charge
    return value if dimension == _MOLAR else None


def _from_moles(moles: float, unit: Unit, substance: _Substance) -> float | None:
    if unit.dimension == _MASS and substance.molar_mass:
        return moles * substance.molar_mass / unit.factor
    if unit.dimension == _CHARGE and substance.charge:
        return moles * substance.charge / unit.factor
    return moles / unit.factor if unit.dimension == _MOLAR else None


@cache
def units() -> Mapping[str, Unit]:
    """Every unit by each of its names, in lower case."""
    by_name: dict[str, Unit] = {}
    for name, dimension, factor, names in read_rows(__package__, "units.tsv"):
        unit = Unit(name, dimension, float(factor))
        by_name |= {plain(each): unit for each in (name, *split_cell(names), *spelled_names(name))}
    return by_name


@cache
def _substances() -> Mapping[str, _Substance]:
    rows = read_rows(__package__, "molar_masses.tsv")
    return {test: _Substance(float(mass), int(charge or 0)) for test, mass, charge in rows}
