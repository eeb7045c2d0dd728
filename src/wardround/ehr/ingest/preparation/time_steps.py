"""Steps on times: a shift for each patient (D.2), removal of data after the current time (3.2).

Sections are those of Lee et al. 2022.
"""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.patient_steps import drop_empty_people, drop_orphans
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.seeded_draws import uniform
from wardround.ehr.ingest.preparation.visits import Window, currently_in, windows
from wardround.ehr.ingest.preparation.working_database import (
    count,
    literal,
    number,
    replace,
    store_columns,
)


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
