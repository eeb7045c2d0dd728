"""What a form of the hospital is: how people become rows of one schema's tables."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from wardround.ehr.hospital.patient_record import Chart

Value = str | int | float | date | datetime | None
Row = tuple[Value, ...]
TableRow = tuple[str, Row]


class Numbers:
    """Counts rows and other things that are numbered throughout a database.

    Each batch of people is numbered from 0; what earlier batches used is added when their rows
    are put together, so that numbers do not depend on how people are batched.
    """

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()

    def take(self, sequence: str) -> int:
        """The next number of a sequence."""
        number = self.used[sequence]
        self.used[sequence] = number + 1
        return number


@dataclass(frozen=True)
class Form:
    """How the hospital's people become rows of one schema.

    Attributes:
        schema: Whose tables they are.
        numbered: The sequence that numbers a column, by table and column; "=column" where each
            row's own value of another column names the sequence.
        lookups: The rows of the lookup tables.
        rows: One person's rows of all other tables, in the order of the schema's columns.
    """

    schema: str
    numbered: Mapping[str, Mapping[str, str]]
    lookups: Callable[[Numbers], Iterator[TableRow]]
    rows: Callable[[Chart, Numbers], Iterator[TableRow]]
