"""Step: shift all times of each patient by the same number of days (Lee et al. 2022, D.2)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.hash_sampling import uniform
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.visits import Window, windows
from wardround.ehr.ingest.preparation.working_database import count, replace, store_columns


def shift_of(window: Window, current: bool | None, seed: int) -> int:
    """The shift of a person's times in days.

    Args:
        window: The possible shifts.
        current: Whether the person must be in hospital at the current time; None for either.
        seed: The random seed.
    """
    share = uniform(seed, "shift", window.person)
    if current is None:
        return window.earliest + int(share * (window.latest - window.earliest + 1))
    if current:
        return window.current[int(share * len(window.current))]
    return window.other(int(share * window.others))


def _apply(work: Work) -> Iterator[Effect]:
    chosen = {}
    if "sample" not in work.plan.skip:
        chosen = dict(work.connection.execute("SELECT person, current FROM own.chosen").fetchall())
    shifts = [(w.person, shift_of(w, chosen.get(w.person), work.plan.seed)) for w in windows(work)]
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


SHIFT = Step("shift", "each patient's records moved to the span that ends now", _apply)
