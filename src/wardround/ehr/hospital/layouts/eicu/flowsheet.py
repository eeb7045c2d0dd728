"""eICU's table of fluid intake and output."""

from collections.abc import Iterator
from functools import cache

from wardround.ehr.hospital.catalogue import table
from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay
from wardround.ehr.hospital.layouts.layout import TableRow

_ROOT = "flowsheet|Flowsheet Cell Labels|I&O|"


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """The person's weight, then each amount by time."""
    weight = unit.visit.stay.person.weight
    for label, value in (("kg", weight), ("lb", weight / 0.45359237)):
        name = f"Bodyweight ({label})"
        cell = (f"{_ROOT}Weight|{name}", name, round(value, 1), f"{value:.1f}")
        yield "intakeoutput", (0, 0.0, 0.0, 0.0, 0.0, 2, *cell)
    volumes = [(item, 1) for item in unit.visit.intake] + [(item, -1) for item in unit.visit.output]
    for volume, sign in sorted(volumes, key=lambda pair: (pair[0].time, pair[0].item)):
        if volume.episode == unit.episode:
            path = _paths()[volume.item]
            offset, amount = unit.offset(volume.time), volume.volume
            intake, output = (amount, 0.0) if sign > 0 else (0.0, amount)
            totals = (intake, output, 0.0, sign * amount)
            cell = (_ROOT + path, path.rsplit("|", 1)[-1], amount, f"{amount:g}")
            yield "intakeoutput", (offset, *totals, offset + 3, *cell)


@cache
def _paths() -> dict[int, str]:
    return {int(row["itemid"]): row["path"] for row in table("forms/eicu_fluids")}
