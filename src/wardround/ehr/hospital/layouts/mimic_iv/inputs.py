"""MIMIC-IV's ICU input tables and their ingredients."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import NamedTuple

from wardround.ehr.hospital.dictionaries import bedside_items
from wardround.ehr.hospital.fluids import FluidVolume
from wardround.ehr.hospital.layouts.bedside import Run, runs
from wardround.ehr.hospital.layouts.layout import Numbers, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.mimic_iv.charted import stored
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.staff import nurse
from wardround.ehr.hospital.stays import minutes_after

_MAIN = "Main order parameter"
_WATER, _CALORIES = 220490, 226060
_BY_MOUTH = (226452, 225799, 226453)


class _Order(NamedTuple):
    """The charting terms and the ingredient of an intake category."""

    category: str
    secondary: str | None
    description: str
    ingredient: int | None


_CRYSTALLOID = _Order("02-Fluids (Crystalloids)", "Additive (Crystalloid)", "Continuous IV", 227074)
_BOLUS = _Order("03-IV Fluid Bolus", None, "Bolus", 227074)
_ORAL = _Order("14-Oral/Gastric Intake", None, "Bolus", 227075)
_BY_CATEGORY = {
    "Blood Products/Colloids": _Order("07-Blood Products", None, "Continuous IV", 226509),
    "Nutrition - Enteral": _Order(
        "13-Enteral Nutrition", "Additives (EN)", "Continuous IV", 226221
    ),
    "Nutrition - Parenteral": _Order(
        "12-Parenteral Nutrition", "Additives (PN)", "Continuous IV", 227079
    ),
}
_DRIP = _Order("01-Drips", "02-Fluids (Crystalloids)", "Continuous Med", None)
_ANTIBIOTIC = _Order("08-Antibiotics (IV)", "02-Fluids (Crystalloids)", "Drug Push", None)
_PUSH = _Order("10-Prophylaxis (IV)", "02-Fluids (Crystalloids)", "Drug Push", None)


def rows(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """Fluids, feeds and blood with their ingredients, then drug infusions and doses."""
    for volume in visit.intake:
        yield from _fluid(visit, volume, numbers)
    linked: dict[tuple[int, int], int] = {}
    for run in runs(visit):
        yield _drug(visit, run, numbers.take("bedside"), linked)


def _fluid(visit: Visit, volume: FluidVolume, numbers: Numbers) -> Iterator[TableRow]:
    number = numbers.take("bedside")
    order = _order_of(volume)
    end = minutes_after(volume.time, max(volume.hours, 1 / 60))
    rate = round(volume.volume / volume.hours, 4) if volume.hours else None
    intake = _Intake(visit, volume.episode, volume.time, end)
    columns: dict[str, Value] = {
        **intake.columns(volume.item),
        "amount": volume.volume,
        "amountuom": "ml",
        "rate": rate,
        "rateuom": "mL/hour" if rate else None,
        "orderid": number,
        "linkorderid": number,
        **_kind(order),
        "totalamount": volume.volume,
        "totalamountuom": "ml",
        "statusdescription": "FinishedRunning",
        "originalamount": volume.volume,
        "originalrate": rate or 0.0,
    }
    yield _input_row(visit, columns)
    for item, amount, unit in _ingredients(order, volume):
        mixed: dict[str, Value] = {
            **intake.columns(item),
            "amount": amount,
            "amountuom": unit,
            "orderid": number,
            "linkorderid": number,
            "statusdescription": "FinishedRunning",
            "originalamount": amount,
            "originalrate": 0.0,
        }
        yield named_row("mimic_iv", "ingredientevents", mixed)


def _input_row(visit: Visit, columns: Mapping[str, Value]) -> TableRow:
    """A row of inputevents with the columns that are the same in all."""
    common: dict[str, Value] = {
        "ordercomponenttypedescription": _MAIN,
        "patientweight": visit.stay.person.weight,
        "isopenbag": 0,
        "continueinnextdept": 0,
    }
    return named_row("mimic_iv", "inputevents", {**common, **columns})


class _Intake(NamedTuple):
    """The columns that inputs and their ingredients share."""

    visit: Visit
    episode: int
    start: datetime
    end: datetime

    def columns(self, item: int) -> dict[str, Value]:
        """Identifiers, caregiver, times and item."""
        stay, number = self.visit.stay, self.visit.intensive[self.episode].number
        end = max(self.end, self.start)
        return {
            "subject_id": stay.person.subject_id,
            "hadm_id": stay.hadm_id,
            "stay_id": number,
            "caregiver_id": nurse(stay, self.start),
            "starttime": self.start,
            "endtime": end,
            "storetime": stored(self.start, item),
            "itemid": item,
        }


def _order_of(volume: FluidVolume) -> _Order:
    if volume.item in _BY_MOUTH:
        return _ORAL
    by_category = _BY_CATEGORY.get(_categories()[volume.item])
    return by_category or (_CRYSTALLOID if volume.hours else _BOLUS)


def _kind(order: _Order) -> dict[str, Value]:
    return {
        "ordercategoryname": order.category,
        "secondaryordercategoryname": order.secondary,
        "ordercategorydescription": order.description,
    }


@cache
def _categories() -> dict[int, str]:
    return {item[0]: item[4] for item in bedside_items()}


def _ingredients(order: _Order, volume: FluidVolume) -> Iterator[tuple[int, float, str]]:
    """The fluid, its water, and the energy of a feed (1 to 1.5 kcal/ml)."""
    if order.ingredient:
        yield order.ingredient, volume.volume, "mL"
    if order is not _BY_CATEGORY["Blood Products/Colloids"]:
        yield _WATER, volume.volume, "mL"
    if "Nutrition" in order.category:
        yield _CALORIES, round(1.2 * volume.volume, 1), "Kcal"


def _drug(visit: Visit, run: Run, number: int, linked: dict[tuple[int, int], int]) -> TableRow:
    """The row of an infusion at one rate, linked to the first of the infusion."""
    drip = (id(run.item), run.episode)
    if run.first:
        linked[drip] = number
    unit = run.drug.rate_unit or None
    category = _categories()[run.drug.itemid]
    order = _DRIP if unit else _ANTIBIOTIC if category == "Antibiotics" else _PUSH
    bag = run.item.carrier
    volume = float(bag.dose) if bag else None
    columns: dict[str, Value] = {
        **_Intake(visit, run.episode, run.start, run.end).columns(run.drug.itemid),
        "amount": run.amount,
        "amountuom": run.drug.amount_unit,
        "rate": run.rate if unit else None,
        "rateuom": unit,
        "orderid": number,
        "linkorderid": linked[drip],
        **_kind(order),
        "totalamount": volume,
        "totalamountuom": "ml" if volume else None,
        "statusdescription": "FinishedRunning" if run.last else "ChangeDose/Rate",
        "originalamount": run.amount,
        "originalrate": run.rate,
    }
    return _input_row(visit, columns)
