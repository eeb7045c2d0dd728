"""Turns rows of one schema's table into those of another's that says the same in other columns."""

from collections.abc import Callable, Mapping

from wardround.ehr.hospital.forms.form import Row, Value
from wardround.ehr.schema import Table


def recolumned(
    source: Table, target: Table, named: Mapping[str, str], given: Mapping[str, Value]
) -> Callable[[Row], Row]:
    """What turns a row of the source into a row of the target.

    Args:
        source: Where rows come from.
        target: Where they go.
        named: The source's column by the target's, where they are called differently.
        given: The value of columns that the source lacks; those not named here are left empty.
    """
    places = {column.name: place for place, column in enumerate(source.columns)}
    wanted = [named.get(column.name, column.name) for column in target.columns]
    found = [places.get(name, len(places)) for name in wanted]
    constants = [given.get(column.name) for column in target.columns]
    last = len(places)

    def turned(row: Row) -> Row:
        return tuple(
            row[place] if place < last else constant
            for place, constant in zip(found, constants, strict=True)
        )

    return turned
