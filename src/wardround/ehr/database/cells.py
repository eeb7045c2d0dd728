"""The values of any driver as the cells that every engine gives."""

import json
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from wardround.ehr.database.interface import Cell


def cell(value: Any) -> Cell:
    """A value as `Database.execute` describes it.

    >>> cell(datetime(2100, 12, 31, 23, 59)), cell(True), cell(Decimal("1.50"))
    ('2100-12-31 23:59:00', 1, 1.5)
    """
    match value:
        case None | str() | float():
            return value
        case int():
            return int(value)
        case datetime():
            return value.replace(tzinfo=None).isoformat(sep=" ")
        case date():
            return value.isoformat()
        case Decimal():
            return _number(value)
        case bytes() | bytearray():
            return bytes(value)
        case _:
            return json.dumps(value, default=str)


def _number(value: Decimal) -> int | float:
    return int(value) if value.as_tuple().exponent == 0 else float(value)
