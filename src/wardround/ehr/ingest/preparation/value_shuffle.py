"""Step: what was found, given or done moves to other patients at random (EHRSQL D.3).

Patients, stays and times stay where they are; what stands there comes from another row of the
same table. Columns that say one thing together (an item, its value and unit) move together.
"""

from collections.abc import Iterator

from wardround.core.seeds import derive_seed
from wardround.ehr.ingest.preparation.form import Record
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import count, replace


def _apply(work: Work) -> Iterator[Effect]:
    for record in work.form.records:
        if record.shuffled:
            yield _shuffled(work, record)


def _shuffled(work: Work, record: Record) -> Effect:
    table, lake = record.name, work.lake
    (key,) = work.form.prepared().table(table).key
    moved = _permutation(work, record, key)
    values = ", ".join(f"o.{column} AS {column}" for column in record.shuffled)
    replace(
        lake,
        table,
        f"SELECT t.* REPLACE ({values}) FROM {table} t"
        f" LEFT JOIN own.origins ON place = t.{key} LEFT JOIN {table} o ON o.{key} = origin",
    )
    rows = count(lake, table)
    return Effect("shuffle", table, rows, rows, moved)


def _permutation(work: Work, record: Record, key: str) -> int:
    """Note down for each place the row that its values come from; how many places there are.

    The rows are put in the order of a hash of seed, table and key, which no library can change.
    Rows with nothing to move (a discharge has no care unit) take no part.
    """
    something = " OR ".join(f"{column} IS NOT NULL" for column in record.shuffled)
    seed = derive_seed(work.plan.seed, "shuffle", record.name)
    work.lake.execute(f"""
        CREATE OR REPLACE TABLE own.origins AS
        WITH moving AS (SELECT {key} AS key FROM {record.name} WHERE {something}),
        places AS (SELECT key AS place, row_number() OVER (ORDER BY key) AS nth FROM moving),
        drawn AS (
            SELECT key AS origin, row_number() OVER (ORDER BY md5('{seed}:' || key), key) AS nth
            FROM moving)
        SELECT place, origin FROM places JOIN drawn USING (nth)
    """)
    return count(work.lake, "own.origins")


SHUFFLE = Step("shuffle", "values moved to other patients, times kept", _apply)
