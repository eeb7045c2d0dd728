"""Step: the cost table, made up as EHRSQL makes it up (§3.2).

Each of the four kinds of event has a mean drawn from the Poisson distribution with mean 10, and
each diagnosis, procedure, test or drug a price drawn from the normal distribution with that mean
and spread 1, in cents: what is charged for an item is the same wherever it is charged.
"""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.form import Charge, Record
from wardround.ehr.ingest.preparation.hash_sampling import poisson_10, positive_normal
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import note_down
from wardround.ehr.schema import Table, create_statement, quoted

TABLE = "cost"


def create_cost(work: Work) -> None:
    """Make the table, empty."""
    work.lake.execute(create_statement(work.form.prepared().table(TABLE), "duckdb"))


def _apply(work: Work) -> Iterator[Effect]:
    charged = 0
    for record in work.form.records:
        if record.charged:
            _price(work, record, record.charged)
            before, charged = charged, charged + _charge(work, record, record.charged, charged)
            yield Effect("cost", TABLE, before, charged, note=f"with {record.name}")


def _price(work: Work, record: Record, charge: Charge) -> None:
    """Note down a price for every item of a table."""
    seed, event = work.plan.seed, record.name
    sql = f"SELECT DISTINCT CAST({charge.item} AS VARCHAR) AS item FROM {event} ORDER BY item"
    items = [str(item) for (item,) in work.lake.execute(sql).fetchall()]
    mean = poisson_10(seed, "cost", event)
    prices = [round(positive_normal(mean, seed, "cost", event, item), 2) for item in items]
    note_down(work.lake, "prices", {"item": items, "price": prices})


def _charge(work: Work, record: Record, charge: Charge, taken: int) -> int:
    """Charge every row of a table; how many there were.

    Args:
        work: The preparation.
        record: The table.
        charge: What is charged.
        taken: Numbers of charges that are given away.
    """
    table = work.form.prepared().table(TABLE)
    (event_key,) = work.form.prepared().table(record.name).key
    ids = ", ".join(quoted(column) for column in _ids(table))
    sql = f"""
        INSERT INTO {TABLE}
        WITH event AS (FROM {record.name})
        SELECT {taken} + row_number() OVER (ORDER BY {event_key}) - 1, {ids},
               '{record.name}', {event_key}, {charge.time}, price
        FROM {work.form.charges} JOIN own.prices ON CAST({charge.item} AS VARCHAR) = item
    """
    row = work.lake.execute(sql).fetchone()
    return int(row[0]) if row else 0


def _ids(table: Table) -> list[str]:
    """Whom and what stay is charged: all between the charge's number and its last four columns."""
    return [column.name for column in table.columns[1:-4]]


COST = Step("cost", "a price for each diagnosis, procedure, laboratory test and drug order", _apply)
