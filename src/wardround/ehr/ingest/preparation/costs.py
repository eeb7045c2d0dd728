"""Step: a synthetic cost table (Lee et al. 2022, 3.2).

Each of the four event types has a mean price from Poisson(10), and each diagnosis, procedure,
test or drug a price from Normal(mean, 1), rounded to cents. An item always has the same price.
"""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import Charge, TableSpec
from wardround.ehr.ingest.preparation.seeded_draws import poisson_10, positive_normal
from wardround.ehr.ingest.preparation.working_database import store_columns
from wardround.ehr.schema import Table, create_statement, quoted

TABLE = "cost"


def create_cost(work: Work) -> None:
    """Create the empty cost table."""
    work.connection.execute(create_statement(work.recipe.prepared().table(TABLE), "duckdb"))


def _apply(work: Work) -> Iterator[Effect]:
    total = 0
    for spec in work.recipe.specs:
        if spec.charged:
            _price(work, spec, spec.charged)
            before, total = total, total + _charge(work, spec, spec.charged, total)
            yield Effect("cost", TABLE, before, total, note=f"with {spec.name}")


def _price(work: Work, spec: TableSpec, charge: Charge) -> None:
    """Store a price for every item of a table."""
    seed, event = work.plan.seed, spec.name
    sql = f"SELECT DISTINCT CAST({charge.item} AS VARCHAR) AS item FROM {event} ORDER BY item"
    items = [str(item) for (item,) in work.connection.execute(sql).fetchall()]
    mean = poisson_10(seed, "cost", event)
    prices = [round(positive_normal(mean, seed, "cost", event, item), 2) for item in items]
    store_columns(work.connection, "prices", {"item": items, "price": prices})


def _charge(work: Work, spec: TableSpec, charge: Charge, first: int) -> int:
    """Add a charge for every row of a table; returns the number of charges.

    Args:
        work: The preparation.
        spec: The table.
        charge: The charged item and time.
        first: The first free charge number.
    """
    table = work.recipe.prepared().table(TABLE)
    (event_key,) = work.recipe.prepared().table(spec.name).key
    ids = ", ".join(quoted(column) for column in _ids(table))
    sql = f"""
        INSERT INTO {TABLE}
        WITH event AS (FROM {spec.name})
        SELECT {first} + row_number() OVER (ORDER BY {event_key}) - 1, {ids},
               '{spec.name}', {event_key}, {charge.time}, price
        FROM {work.recipe.charges} JOIN own.prices ON CAST({charge.item} AS VARCHAR) = item
    """
    row = work.connection.execute(sql).fetchone()
    return int(row[0]) if row else 0


def _ids(table: Table) -> list[str]:
    """The identifiers of patient and stay: all but the first and the last four columns."""
    return [column.name for column in table.columns[1:-4]]


COST = Step("cost", "a price for each diagnosis, procedure, laboratory test and drug order", _apply)
