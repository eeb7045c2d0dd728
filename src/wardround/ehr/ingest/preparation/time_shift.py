"""Step: each patient's records moved in time, all by the same number of days (EHRSQL D.2)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.form import Record
from wardround.ehr.ingest.preparation.hash_sampling import uniform
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.visits import Window, windows
from wardround.ehr.ingest.preparation.working_database import count, note_down, replace


def shift_of(window: Window, current: bool | None, seed: int) -> int:
    """By how many days a person's records move.

    Args:
        window: Between what.
        current: Whether the person has to be in hospital now afterwards; None if either will do.
        seed: Decides which of the days that fit.
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
        chosen = dict(work.lake.execute("SELECT person, current FROM own.chosen").fetchall())
    moved = [(w.person, shift_of(w, chosen.get(w.person), work.plan.seed)) for w in windows(work)]
    people, days = [person for person, _ in moved], [day for _, day in moved]
    note_down(work.lake, "days", {"person": people, "days": days})
    form = work.form
    work.lake.execute(
        f"CREATE TABLE own.moves AS SELECT {form.link} AS link, days"
        f" FROM {form.roster} JOIN own.days ON {form.person} = person"
    )
    for record in form.records:
        if record.times:
            yield _moved(work, record)


def _moved(work: Work, record: Record) -> Effect:
    times = ", ".join(
        f"{column} + to_days(CAST(days AS INTEGER)) AS {column}" for column in record.times
    )
    sql = (
        f"SELECT t.* REPLACE ({times}) FROM {record.name} t"
        f" JOIN own.moves ON t.{work.form.link} = link"
    )
    before = count(work.lake, record.name)
    replace(work.lake, record.name, sql)
    after = count(work.lake, record.name)
    return Effect("shift", record.name, before, after, after)


SHIFT = Step("shift", "each patient's records moved to the span that ends now", _apply)
