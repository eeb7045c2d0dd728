"""Medication at admission and at discharge, from a stay's orders."""

from collections.abc import Iterable
from datetime import timedelta

from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import StayChart, drug
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.orders import Order

# Routes of drugs that are taken at home.
_ROUTES = frozenset({"po", "po/ng", "oral", "sl", "ih", "neb", "sc", "td", "tp", "nu", "both eyes"})
_ROUTINE, _ONCE = "routine", "ONCE"
# Orders that end within this time before discharge are continued.
_RECENT = timedelta(hours=12)


def home_medication(chart: StayChart) -> list[Order]:
    """The first order of each home drug, by name."""
    chronic = {item.condition.name for item in chart.stay.problems if not item.acute}
    home = [order for order in _takeable(chart) if order.reason in chronic]
    return _by_name(reversed(home))


def discharge_medication(chart: StayChart) -> list[Order]:
    """The last order of each drug that is continued: home drugs, and treatment until the end."""
    home = {order.name for order in home_medication(chart)}
    until = chart.stay.end - _RECENT
    continued = (
        order
        for order in _takeable(chart)
        if order.name in home or (order.reason != _ROUTINE and order.stop and order.stop >= until)
    )
    return _by_name(continued)


def line(order: Order) -> str:
    """An order as a line of a list, such as "Furosemide 40 mg PO DAILY"."""
    dose = f"{float(order.dose):g} {spell('unit', order.unit)}"
    return f"{drug(order)} {dose} {order.route.upper()} {order.frequency}"


def _takeable(chart: StayChart) -> list[Order]:
    """Repeated orders of drugs that can be taken at home; sliding scales have no dose."""
    return [
        order
        for order in chart.visit.orders
        if order.route in _ROUTES and float(order.dose) and order.frequency != _ONCE
    ]


def _by_name(orders: Iterable[Order]) -> list[Order]:
    """The last of the orders of each drug, by name."""
    return [order for _, order in sorted({each.name: each for each in orders}.items())]
