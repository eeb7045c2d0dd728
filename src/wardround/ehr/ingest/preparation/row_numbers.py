"""Row numbers of the prepared tables, in a deterministic order."""

from wardround.ehr.ingest.preparation.plan import Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.working_database import columns, replace
from wardround.ehr.schema import quoted


def number_rows(work: Work) -> None:
    """Number the rows of every table without an identifier, from 0.

    Rows are ordered by person, stay and time, then by all other columns, so that the result does
    not depend on the source's engine or on threads.
    """
    for spec in work.recipe.specs:
        (key,) = work.recipe.prepared().table(spec.name).key
        available = columns(work.connection, spec.name)
        if key not in available:
            order = ", ".join(quoted(column) for column in _order(spec, list(available)))
            rows = f"row_number() OVER (ORDER BY {order}) - 1 AS {key}, *"
            replace(work.connection, spec.name, f"SELECT {rows} FROM {spec.name}")


def _order(spec: TableSpec, available: list[str]) -> list[str]:
    """The sort order: identifiers, times, then all other columns."""
    ids = [column for column in available if column.endswith("_id") and column not in spec.shuffled]
    return list(dict.fromkeys((*ids, *spec.happens, *available)))
