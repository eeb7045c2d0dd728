"""Conversion of rows between tables with the same content in different columns."""

from collections.abc import Callable, Mapping

from wardround.ehr.hospital.layouts.layout import Row, Value
from wardround.ehr.schema import Table


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
    positions = [by_name.get(name, len(by_name)) for name in names]
    constants = [defaults.get(column.name) for column in target.columns]
    last = len(by_name)

    def convert(row: Row) -> Row:
        return tuple(
            row[position] if position < last else constant
            for position, constant in zip(positions, constants, strict=True)
        )

    return convert
