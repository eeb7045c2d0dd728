"""Prescriptions: drug orders with their carrier fluid."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import drugs
from wardround.ehr.hospital.orders import Order
from wardround.ehr.hospital.patient_record import Visit

# Dispensing unit of one dose by dosage form.
_PIECES = {
    "tablet": "TAB",
    "capsule": "CAP",
    "vial": "VIAL",
    "bag": "BAG",
    "syringe": "SYR",
    "udcup": "UDCUP",
    "patch": "PTCH",
    "inhaler": "INH",
    "neb": "NEB",
    "packet": "PKT",
    "tube": "TUBE",
    "bottle": "BTL",
    "suppository": "SUPP",
}


class Prescription(NamedTuple):
    """A drug with its carrier fluid, if any."""

    main: Order
    carrier: Order | None

    def parts(self) -> Iterator[tuple[str, Order]]:
        """The drug as "MAIN" and the fluid as "BASE"."""
        yield "MAIN", self.main
        if self.carrier:
            yield "BASE", self.carrier


def prescriptions(visit: Visit) -> list[Prescription]:
    """The medication orders of a stay, by start, each with its own carrier."""
    waiting = [order for order in visit.orders if order.carrier]
    result: list[Prescription] = []
    for order in visit.orders:
        if order.carrier:
            continue
        fluid = next((item for item in waiting if _carries(item, order)), None)
        if fluid:
            waiting.remove(fluid)
        result.append(Prescription(order, fluid))
    return result


def dispensed(order: Order) -> tuple[str, str]:
    """The number and unit of pieces of one dose."""
    piece = _PIECES.get(order.identity.form, "mL")
    return ("1", piece) if piece != "mL" else (f"{float(order.dose):g}", piece)


def _carries(fluid: Order, order: Order) -> bool:
    same = (fluid.start, fluid.stop, fluid.route) == (order.start, order.stop, order.route)
    return same and fluid.name in _carriers().get(order.name, ())


@cache
def _carriers() -> dict[str, set[str]]:
    """Possible carrier fluids by drug."""
    result: dict[str, set[str]] = {}
    for drug in (drug for group in drugs().values() for drug in group):
        if drug.base:
            result.setdefault(drug.name, set()).add(drug.base)
    return result
