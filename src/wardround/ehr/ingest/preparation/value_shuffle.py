"""Step: shuffle clinical values between patients (Lee et al. 2022, D.3).

Patients, stays and times stay; the values of a row come from another row of the same table.
Related columns (item, value, unit) move together.
"""

from collections.abc import Iterator

from wardround.core.seeds import derive_seed
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.working_database import count, replace


def _shuffle_values(work: Work) -> Iterator[Effect]:
    for spec in work.recipe.specs:
        if spec.shuffled:
            yield _shuffle_table(work, spec)


def _shuffle_table(work: Work, spec: TableSpec) -> Effect:
    table, connection = spec.name, work.connection
    (key,) = work.recipe.prepared().table(table).key
    shuffled = _permutation(work, spec, key)
    values = ", ".join(f"o.{column} AS {column}" for column in spec.shuffled)
    replace(
        connection,
        table,
        f"SELECT t.* REPLACE ({values}) FROM {table} t"
        f" LEFT JOIN own.origins ON place = t.{key} LEFT JOIN {table} o ON o.{key} = origin",
    )
    rows = count(connection, table)
    return Effect("shuffle", table, rows, rows, shuffled)


def _permutation(work: Work, spec: TableSpec, key: str) -> int:
    """Store the origin of each row's values; returns the number of shuffled rows.

    Rows are ordered by a hash of seed, table and key, which is stable across library versions.
    Rows without values (a discharge has no care unit) are excluded.
    """
    has_values = " OR ".join(f"{column} IS NOT NULL" for column in spec.shuffled)
    seed = derive_seed(work.plan.seed, "shuffle", spec.name)
    work.connection.execute(f"""
        CREATE OR REPLACE TABLE own.origins AS
        WITH moving AS (SELECT {key} AS key FROM {spec.name} WHERE {has_values}),
        places AS (SELECT key AS place, row_number() OVER (ORDER BY key) AS nth FROM moving),
        drawn AS (
            SELECT key AS origin, row_number() OVER (ORDER BY md5('{seed}:' || key), key) AS nth
            FROM moving)
        SELECT place, origin FROM places JOIN drawn USING (nth)
    """)
    return count(work.connection, "own.origins")


SHUFFLE = Step("shuffle", "values moved to other patients, times kept", _shuffle_values)
