"""MIMIC-III's event tables, converted from MIMIC-IV's."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import itemgetter
from typing import Any

from wardround.ehr.hospital.layouts.layout import Numbers, Row, TableRow, Value
from wardround.ehr.hospital.layouts.mimic_iii.stays import source_of
from wardround.ehr.hospital.layouts.mimic_iv import charted, inputs, procedures, tests
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.schema import Table, load_schema
from wardround.ehr.terms.dictionaries import dictionary


def row_converter(
    source: Table, target: Table, source_names: Mapping[str, str], defaults: Mapping[str, Value]
) -> Callable[[Row], Row]:
    """A function that converts a row of the source to a row of the target.

    Args:
        source: The source table.
        target: The target table.
        source_names: Source columns by target column, if the names differ.
        defaults: Values of columns missing from the source; all others become NULL.
    """
    by_name = {column.name: position for position, column in enumerate(source.columns)}
    names = [source_names.get(column.name, column.name) for column in target.columns]
    constants = tuple(defaults.get(column.name) for column in target.columns)
    # The constants stand behind the source's columns.
    places = [by_name.get(name, len(by_name) + n) for n, name in enumerate(names)]
    arranged = itemgetter(*places)
    return lambda row: arranged(row + constants)


_NAMED = {
    "icustay_id": "stay_id",
    "cgid": "caregiver_id",
    "comments_date": "",
    "charttime": "charttime",
}
_METAVISION = {
    "chartevents": "chartevents",
    "datetimeevents": "datetimeevents",
    "inputevents": "inputevents_mv",
    "outputevents": "outputevents",
    "procedureevents": "procedureevents_mv",
}
_CAREVUE = {
    "chartevents": "chartevents",
    "inputevents": "inputevents_cv",
    "outputevents": "outputevents",
}
_ANYWHERE = {"labevents": "labevents", "microbiologyevents": "microbiologyevents"}
_GIVEN: Mapping[str, Mapping[str, Value]] = {
    "metavision": {"error": 0, "cancelreason": 0},
    "carevue": {"stopped": "NotStopd"},
}
_INPUTS_OF_CAREVUE = {
    "charttime": "starttime",
    "originalamountuom": "totalamountuom",
    "originalroute": "ordercategorydescription",
}
_ROUTES = {
    "Bolus": "Oral",
    "Continuous IV": "Intravenous Infusion",
    "Continuous Med": "IV Drip",
    "Drug Push": "Intravenous Push",
}
_RATES = {"/": "", "hour": "hr", "units": "U"}


def rows(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """All events of a stay, without row numbers."""
    source = source_of(visit)
    tables = _ANYWHERE | (_METAVISION if source == "metavision" else _CAREVUE)
    for name, row in _events(visit, numbers):
        if name in tables:
            turned = _converter(name, tables[name], source)(row)
            if source == "carevue" and name in _CAREVUE:
                yield from _in_carevue(tables[name], turned)
            else:
                yield tables[name], turned


def _events(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """MIMIC-IV's rows, using a separate sequence for numbers that MIMIC-III lacks."""
    yield from tests.rows(visit, Numbers())
    yield from charted.rows(visit)
    yield from inputs.rows(visit, numbers)
    yield from procedures.rows(visit, numbers)


@cache
def _converter(old: str, new: str, source: str) -> Callable[[Row], Row]:
    names = _NAMED | (_INPUTS_OF_CAREVUE if new == "inputevents_cv" else {})
    return row_converter(
        load_schema("mimic_iv").table(old),
        load_schema("mimic_iii").table(new),
        names,
        _GIVEN[source],
    )


def _in_carevue(name: str, row: Row) -> Iterator[TableRow]:
    """The row with CareVue's item, if it has one."""
    columns = _columns(name)
    cells: dict[str, Any] = dict(zip(columns, row, strict=True))
    item = _items().get(cells["itemid"])
    if item is None:
        return
    cells |= {"itemid": item, "warning": None} if "warning" in cells else {"itemid": item}
    if name == "inputevents_cv":
        cells["stopped"] = None
        cells["originalroute"] = _ROUTES[cells["originalroute"]]
        cells["rateuom"] = _rate(cells["rateuom"])
        cells["originalrateuom"] = cells["rateuom"]
    yield name, tuple(cells.values())


def _rate(unit: str | None) -> str | None:
    """The CareVue spelling of a rate unit, such as "mcgkgmin"."""
    for old, new in _RATES.items() if unit else ():
        unit = unit.replace(old, new) if unit else None
    return unit


@cache
def _columns(name: str) -> tuple[str, ...]:
    return tuple(column.name for column in load_schema("mimic_iii").table(name).columns)


@cache
def _items() -> dict[int, int]:
    """CareVue's item by MetaVision's."""
    return {int(row["itemid"]): int(row["carevue"]) for row in dictionary("carevue")}
