"""Steps on values: rows, case, units and path names, and the shuffle between patients.

Lee et al. 2022, C.1.2, D.1 and D.3. In the shuffle patients, stays and times stay; the values of a
row come from another row of the same table, and related columns (item, value, unit) move together.
"""

from collections.abc import Callable, Iterator

from wardround.core.seeds import derive_seed
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.working_database import (
    columns,
    count,
    delete,
    number,
    replace,
)
from wardround.ehr.schema import quoted


def _filter_step(step: str) -> Callable[[Work], Iterator[Effect]]:
    def apply(work: Work) -> Iterator[Effect]:
        for spec in work.recipe.specs:
            if step in spec.keep:
                removed = f"({spec.keep[step]}) IS NOT TRUE"
                yield Effect(step, spec.name, *delete(work.connection, spec.name, removed))

    return apply


VITALS = Step(
    "vitals", "of charted items only weight, height and seven vital signs", _filter_step("vitals")
)
MILLILITRES = Step(
    "millilitres", "of fluids given and lost only those in millilitres", _filter_step("millilitres")
)


def _lower_texts(work: Work) -> Iterator[Effect]:
    for spec in work.recipe.specs:
        texts = [
            quoted(name)
            for name, kind in columns(work.connection, spec.name).items()
            if kind == "VARCHAR"
        ]
        if texts:
            yield _lowered(work, spec.name, texts)


def _lowered(work: Work, table: str, texts: list[str]) -> Effect:
    upper = " OR ".join(f"{text} <> lower({text})" for text in texts)
    changed = number(work.connection, f"SELECT count(*) FROM {table} WHERE {upper}")
    if changed:
        lowered = ", ".join(f"lower({text}) AS {text}" for text in texts)
        replace(work.connection, table, f"SELECT * REPLACE ({lowered}) FROM {table}")
    rows = count(work.connection, table)
    return Effect("lower", table, rows, rows, changed)


LOWER = Step("lower", "all text in lower case", _lower_texts)


def _keep_common_units(work: Work) -> Iterator[Effect]:
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


UNITS = Step("units", "for each item the commonest unit only", _keep_common_units)


def short_name(path: str) -> str:
    """SQL that shortens a column of paths; paths of up to two levels keep the last.

    The names in the published questions are the third and fourth level of eICU's paths:
    'cardiovascular|ventricular disorders|congestive heart failure|diastolic|chronic' is
    'congestive heart failure - diastolic'.
    """
    levels = f"string_split({path}, '|')"
    return (
        f"CASE WHEN len({levels}) > 2 THEN array_to_string({levels}[3:4], ' - ')"
        f" ELSE {levels}[-1] END"
    )


def _shorten_paths(work: Work) -> Iterator[Effect]:
    for spec in work.recipe.specs:
        if spec.path and spec.path in columns(work.connection, spec.name):
            long = number(
                work.connection,
                f"SELECT count(*) FROM {spec.name} WHERE contains({spec.path}, '|')",
            )
            shortened = f"{short_name(spec.path)} AS {spec.path}"
            replace(work.connection, spec.name, f"SELECT * REPLACE ({shortened}) FROM {spec.name}")
            rows = number(work.connection, f"SELECT count(*) FROM {spec.name}")
            yield Effect("paths", spec.name, rows, rows, long)


PATHS = Step("paths", "eICU's path names shortened", _shorten_paths)


def _shuffle_values(work: Work) -> Iterator[Effect]:
    for spec in work.recipe.specs:
        if spec.shuffled:
            yield _shuffle_table(work, spec)


def _shuffle_table(work: Work, spec: TableSpec) -> Effect:
    table, connection = spec.name, work.connection
    (key,) = work.recipe.prepared.table(table).key
    shuffled = _permutation(work, spec, key)
    values = ", ".join(f"o.{column} AS {column}" for column in spec.shuffled)
    replace(
        connection,
        table,
        f"SELECT t.* REPLACE ({values}) FROM {table} t"
        f" LEFT JOIN own.origins ON target = t.{key} LEFT JOIN {table} o ON o.{key} = origin",
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
        targets AS (SELECT key AS target, row_number() OVER (ORDER BY key) AS nth FROM moving),
        drawn AS (
            SELECT key AS origin, row_number() OVER (ORDER BY md5('{seed}:' || key), key) AS nth
            FROM moving)
        SELECT target, origin FROM targets JOIN drawn USING (nth)
    """)
    return count(work.connection, "own.origins")


SHUFFLE = Step("shuffle", "values moved to other patients, times kept", _shuffle_values)
