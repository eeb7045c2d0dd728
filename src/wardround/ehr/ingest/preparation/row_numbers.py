"""Numbers the rows of each table, where the form has row numbers, in an order all its own."""

from wardround.ehr.ingest.preparation.form import Record
from wardround.ehr.ingest.preparation.plan import Work
from wardround.ehr.ingest.preparation.working_database import columns, replace
from wardround.ehr.schema import quoted


def number_rows(work: Work) -> None:
    """Give every row of every table its number, from 0, unless it has an identifier already.

    Rows are ordered by person, stay and time, then by all else, so that equal rows alone share a
    place: nothing depends on the source's engine or on threads.
    """
    for record in work.form.records:
        (key,) = work.form.prepared().table(record.name).key
        made = columns(work.lake, record.name)
        if key not in made:
            order = ", ".join(quoted(column) for column in _order(record, list(made)))
            rows = f"row_number() OVER (ORDER BY {order}) - 1 AS {key}, *"
            replace(work.lake, record.name, f"SELECT {rows} FROM {record.name}")


def _order(record: Record, made: list[str]) -> list[str]:
    """Identifiers, which come first, then the time, then everything else."""
    ids = [column for column in made if column.endswith("_id") and column not in record.shuffled]
    return list(dict.fromkeys((*ids, *record.happens, *made)))
