"""Steps on times, and the synthetic table of costs.

Times shift for each patient (D.2), and data after the current time is removed (3.2). Sections are
those of Lee et al. 2022.
"""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.patient_steps import drop_empty_people, drop_orphans
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import Charge, TableSpec
from wardround.ehr.ingest.preparation.seeded_draws import poisson_10, positive_normal, uniform
from wardround.ehr.ingest.preparation.visits import Window, currently_in, windows
from wardround.ehr.ingest.preparation.working_database import (
    count,
    literal,
    number,
    replace,
    store_columns,
)
from wardround.ehr.schema import Table, create_statement, quoted

TABLE = "cost"


def shift_of(window: Window, current: bool | None, seed: int) -> int:
    """The shift of a person's times in days.

    Args:
        window: The possible shifts.
        current: True if the person must be in hospital at the current time, False if not; None for
            either.
        seed: The random seed.
    """
    share = uniform(seed, "shift", window.person)
    if current is None:
        return window.earliest + int(share * (window.latest - window.earliest + 1))
    if current:
        return window.current[int(share * len(window.current))]
    return window.other(int(share * window.others))


def _shift_times(work: Work) -> Iterator[Effect]:
    current_by_person = {}
    if "sample" not in work.plan.skip:
        current_by_person = dict(
            work.connection.execute("SELECT person, current FROM own.chosen").fetchall()
        )
    shifts = [
        (w.person, shift_of(w, current_by_person.get(w.person), work.plan.seed))
        for w in windows(work)
    ]
    people, days = [person for person, _ in shifts], [day for _, day in shifts]
    store_columns(work.connection, "days", {"person": people, "days": days})
    recipe = work.recipe
    work.connection.execute(
        f"CREATE TABLE own.moves AS SELECT {recipe.link} AS link, days"
        f" FROM {recipe.roster} JOIN own.days ON {recipe.person} = person"
    )
    for spec in recipe.specs:
        if spec.times:
            yield _shift_table(work, spec)


def _shift_table(work: Work, spec: TableSpec) -> Effect:
    times = ", ".join(
        f"{column} + to_days(CAST(days AS INTEGER)) AS {column}" for column in spec.times
    )
    sql = (
        f"SELECT t.* REPLACE ({times}) FROM {spec.name} t"
        f" JOIN own.moves ON t.{work.recipe.link} = link"
    )
    before = count(work.connection, spec.name)
    replace(work.connection, spec.name, sql)
    after = count(work.connection, spec.name)
    return Effect("shift", spec.name, before, after, after)


SHIFT = Step("shift", "each patient's records moved to the span that ends now", _shift_times)


def _cut_off_tables(work: Work) -> Iterator[Effect]:
    now = literal(work.now)
    current = currently_in(work)
    ordered = sorted(work.recipe.specs, key=lambda spec: spec.name not in work.recipe.parents)
    for spec in ordered:
        if spec.times:
            yield _cut_off(work, spec, now)
    yield Effect("now", "people", *drop_empty_people(work), note=f"{current:,} in hospital now")


def _cut_off(work: Work, spec: TableSpec, now: str) -> Effect:
    before = count(work.connection, spec.name)
    for time in spec.happens:
        work.connection.execute(f"DELETE FROM {spec.name} WHERE {time} > {now}")
    drop_orphans(work, spec.name)
    opened = sum(_clear_future_ends(work, spec, end, now) for end in spec.ends)
    return Effect("now", spec.name, before, count(work.connection, spec.name), opened)


def _clear_future_ends(work: Work, spec: TableSpec, end: str, now: str) -> int:
    """Clear future end times; returns the number of rows."""
    assignments = ", ".join(f"{column} = NULL" for column in (end, *spec.ends[end]))
    return number(work.connection, f"UPDATE {spec.name} SET {assignments} WHERE {end} > {now}")


NOW = Step("now", "nothing later than now, and open ends where a stay goes on", _cut_off_tables)


def create_cost(work: Work) -> None:
    """Create the empty cost table."""
    work.connection.execute(create_statement(work.recipe.prepared.table(TABLE), "duckdb"))


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
    table = work.recipe.prepared.table(TABLE)
    (event_key,) = work.recipe.prepared.table(spec.name).key
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
