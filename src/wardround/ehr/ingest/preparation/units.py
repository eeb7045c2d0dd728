"""Step: one unit per item, the one that most of its rows have (EHRSQL D.1)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.form import Record
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import columns, delete


def _apply(work: Work) -> Iterator[Effect]:
    for record in work.form.records:
        if record.unit:
            yield _one_unit(work, record)


def _one_unit(work: Work, record: Record) -> Effect:
    """Rows of the rarer units go; of equally common units the alphabetically first stays."""
    types = columns(work.lake, record.name)
    item, unit = (_plain(column, types[column]) for column in record.unit)
    work.lake.execute(f"""
        CREATE OR REPLACE TABLE own.units AS
        SELECT {item} AS item, {unit} AS unit FROM {record.name} GROUP BY {item}, {unit}
        QUALIFY row_number() OVER (
            PARTITION BY {item} ORDER BY count(*) DESC, {unit} NULLS LAST) > 1
    """)
    # No row lacks its item, but the unit may be missing and is then a unit of its own.
    rarer = (
        f"EXISTS (FROM own.units WHERE item = {item} AND units.unit IS NOT DISTINCT FROM {unit})"
    )
    return Effect("units", record.name, *delete(work.lake, record.name, rarer))


def _plain(column: str, kind: str) -> str:
    """A column as it is compared: 'mg/dL' and 'mg/dl' are one unit."""
    return f"lower({column})" if kind == "VARCHAR" else column


UNITS = Step("units", "for each item the commonest unit only", _apply)
