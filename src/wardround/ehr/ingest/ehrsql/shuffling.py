"""Step: what was found, given or done moves to other patients at random (EHRSQL D.3).

Patients, stays and times stay where they are; what stands there comes from another row of the
same table. Columns that say one thing together (an item, its value and unit) move together.
"""

from collections.abc import Iterator

from wardround.core.seeds import derive_seed
from wardround.ehr.ingest.ehrsql.form import Record
from wardround.ehr.ingest.ehrsql.lake import count, replace
from wardround.ehr.ingest.ehrsql.plan import Effect, Step, Work


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

    Rows with nothing to move (a discharge has no care unit) take no part.
    """
    import numpy

    something = " OR ".join(f"{column} IS NOT NULL" for column in record.shuffled)
    sql = f"SELECT {key} AS place FROM {record.name} WHERE {something} ORDER BY place"
    place = work.lake.execute(sql).fetchnumpy()["place"]
    stream = numpy.random.Generator(
        numpy.random.PCG64(derive_seed(work.plan.seed, "shuffle", record.name))
    )
    # Sorting plain uniforms, for the library may change how it permutes.
    order = numpy.argsort(stream.random(len(place)), kind="stable")
    origins = {"place": place, "origin": place[order]}  # noqa: F841
    work.lake.execute("CREATE OR REPLACE TABLE own.origins AS FROM origins")
    return len(place)


SHUFFLE = Step("shuffle", "values moved to other patients, times kept", _apply)
