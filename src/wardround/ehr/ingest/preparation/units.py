"""Step: keep only the most common unit of each item (Lee et al. 2022, D.1)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.working_database import columns, delete


def _apply(work: Work) -> Iterator[Effect]:
    for spec in work.recipe.specs:
        if spec.unit:
            yield _keep_common_unit(work, spec)


def _keep_common_unit(work: Work, spec: TableSpec) -> Effect:
    """Remove rows of rarer units; ties keep the alphabetically first unit."""
    types = columns(work.connection, spec.name)
    item, unit = (_comparable(column, types[column]) for column in spec.unit)
    work.connection.execute(f"""
        CREATE OR REPLACE TABLE own.units AS
        SELECT {item} AS item, {unit} AS unit FROM {spec.name} GROUP BY {item}, {unit}
        QUALIFY row_number() OVER (
            PARTITION BY {item} ORDER BY count(*) DESC, {unit} NULLS LAST) > 1
    """)
    # Items are never NULL; a NULL unit counts as a unit.
    rarer = (
        f"EXISTS (FROM own.units WHERE item = {item} AND units.unit IS NOT DISTINCT FROM {unit})"
    )
    return Effect("units", spec.name, *delete(work.connection, spec.name, rarer))


def _comparable(column: str, kind: str) -> str:
    """SQL of a column for comparison: 'mg/dL' equals 'mg/dl'."""
    return f"lower({column})" if kind == "VARCHAR" else column


UNITS = Step("units", "for each item the commonest unit only", _apply)
