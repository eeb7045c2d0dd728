"""eICU's medication tables: home drugs, orders and infusions."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.bedside import Run, runs
from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay, unit_row
from wardround.ehr.hospital.layouts.layout import TableRow, Value
from wardround.ehr.hospital.layouts.prescriptions import Prescription, prescriptions
from wardround.ehr.hospital.layouts.published_names import spell

_ROUTES = {"po/ng": "PO", "po": "PO", "oral": "PO", "iv": "IV", "iv drip": "IV", "sc": "SC"}
_FREQUENCIES = {"DAILY": "Daily", "ONCE": "Once", "INFUSION": "Continuous"}
_CLASSES = {"TAB": "TABS", "CAP": "CAPS", "VIAL": "INJ", "BAG": "IVPB"}
# Minutes from unit admission to the entry of home drugs.
_ENTERED = 40
_HOME: dict[str, Value] = {
    "drugoffset": _ENTERED,
    "drugenteredoffset": _ENTERED + 3,
    "drugnotetype": "Admission",
    "specialtytype": "eCM Primary",
    "usertype": "THC Nurse",
    "rxincluded": "True",
    "writtenineicu": "True",
}


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """Medication rows of one unit stay."""
    yield from _home(unit)
    for item in prescriptions(unit.visit):
        stop = item.main.stop or unit.span.end
        if item.main.start < unit.span.end and stop >= unit.span.start:
            yield _order_row(unit, item)
    for run in runs(unit.visit):
        if run.episode == unit.episode and run.drug.rate_unit:
            yield _infusion_row(unit, run)


def _home(unit: UnitStay) -> Iterator[TableRow]:
    """Home drugs: orders for chronic conditions."""
    lasting = {problem.condition.name for problem in unit.visit.stay.problems if not problem.acute}
    names = dict.fromkeys(
        (order.identity.brand or order.name).upper()
        for order in unit.visit.orders
        if order.reason in lasting and not order.carrier
    )
    for name in names:
        yield unit_row("admissiondrug", {**_HOME, "drugname": name, "drugdosage": 0.0})


def _order_row(unit: UnitStay, item: Prescription) -> TableRow:
    order = item.main
    unit_of = spell("unit", order.unit)
    amount = f"{float(order.dose):g} {unit_of}"
    needed = order.frequency.endswith("PRN")
    name = f"{order.name.upper()} {amount.upper()} {order.identity.form.upper()}"
    start = unit.offset(order.start)
    return "medication", (
        start - 20,
        start,
        "Yes" if item.carrier else "No",
        "No",
        name,
        None,
        amount,
        _ROUTES.get(order.route, order.route.upper()),
        _FREQUENCIES.get(order.frequency, order.frequency.replace(":", " ")),
        None,
        "Yes" if needed else "No",
        unit.offset(order.stop or unit.span.end),
        0,
    )


def _infusion_row(unit: UnitStay, run: Run) -> TableRow:
    name = spell("drug", run.item.main.name).split(" ")[0]
    short = run.drug.rate_unit.replace("hour", "hr")
    bag = float(run.item.carrier.dose) if run.item.carrier else 250.0
    weight = f"{unit.visit.stay.person.weight:g}" if "kg" in short else None
    bag_amount = f"{max(run.drug.most * 10, 1):g}"
    return "infusiondrug", (
        unit.offset(run.start),
        f"{name} ({short})",
        f"{run.rate:g}",
        f"{run.rate:g}",
        bag_amount,
        f"{bag:g}",
        weight,
    )
