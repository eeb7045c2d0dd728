"""Infusions and doses charted in intensive care, from the orders of the stay."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.layouts.administration import doses
from wardround.ehr.hospital.layouts.prescriptions import Prescription, prescriptions
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Span, hours_between, minutes_after

_MINUTES = {"min": 1.0, "hour": 60.0}


@dataclass(frozen=True)
class BedsideDrug:
    """The ICU charting of a drug; rate_unit is "" if charted by dose."""

    itemid: int
    amount_unit: str
    rate_unit: str
    least: float
    most: float


@dataclass(frozen=True)
class Run:
    """An infusion at one rate; first and last mark the start and end of the infusion."""

    drug: BedsideDrug
    item: Prescription
    start: datetime
    end: datetime
    rate: float
    amount: float
    episode: int
    first: bool
    last: bool


def runs(visit: Visit) -> Iterator[Run]:
    """All infusions, rate by rate, and doses given in a stay's intensive care."""
    for item in prescriptions(visit):
        drug = _bedside_drugs().get(item.main.name)
        if drug is None or bool(drug.rate_unit) != (item.main.route == "iv drip"):
            continue
        if not drug.rate_unit:
            yield from _runs_of(visit, item, drug)
            continue
        for episode, span in enumerate(visit.stay.intensive):
            start, end = max(span.start, item.main.start), min(span.end, item.main.stop or span.end)
            if hours_between(start, end) > 0.2:
                yield from _infusion(visit, item, drug, episode, Span(start, end))


def amount_of(drug: BedsideDrug, rate: float, minutes: float, weight: float) -> float:
    """The infused amount in the drug's unit.

    >>> amount_of(BedsideDrug(221906, "mg", "mcg/kg/min", 0, 1), 0.1, 60, 80)
    0.48
    """
    unit, *per = drug.rate_unit.split("/")
    amount = rate * minutes / _MINUTES[per[-1]] * (weight if "kg" in per else 1.0)
    return round(amount / (1000 if (unit, drug.amount_unit) == ("mcg", "mg") else 1), 4)


@cache
def _bedside_drugs() -> dict[str, BedsideDrug]:
    return {
        row["drug"]: BedsideDrug(
            int(row["itemid"]),
            row["amount_unit"],
            row["rate_unit"],
            float(row["least"]),
            float(row["most"]),
        )
        for row in table("forms/bedside_drugs")
    }


def _runs_of(visit: Visit, item: Prescription, drug: BedsideDrug) -> Iterator[Run]:
    for dose in doses(visit.stay, item):
        for episode, span in enumerate(visit.stay.intensive):
            if dose.given and span.holds(dose.time):
                end = min(span.end, minutes_after(dose.time, 0.5))
                yield Run(drug, item, dose.time, end, 0.0, 1.0, episode, True, True)


def _infusion(
    visit: Visit, item: Prescription, drug: BedsideDrug, episode: int, span: Span
) -> Iterator[Run]:
    draw = visit.stay.draw(f"drip:{item.main.name}:{span.start}")
    start, weight = span.start, visit.stay.person.weight
    while start < span.end:
        end = min(span.end, minutes_after(start, draw.between(2, 9)))
        rate = _rate(draw, drug)
        minutes = 60 * hours_between(start, end)
        amount = amount_of(drug, rate, minutes, weight)
        first, last = start == span.start, end == span.end
        yield Run(drug, item, start, end, rate, amount, episode, first, last)
        start = end


def _rate(draw: RandomStream, drug: BedsideDrug) -> float:
    """A rate; low ones are more common."""
    share = draw.uniform() * draw.uniform()
    rate = drug.least + (drug.most - drug.least) * share
    return float(f"{rate:.3g}")
