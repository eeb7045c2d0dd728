"""Step: nothing after the current time; stays that go on are left open (EHRSQL §3.2)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.form import Record
from wardround.ehr.ingest.preparation.orphans import drop_empty_people, drop_orphans
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.visits import currently_in
from wardround.ehr.ingest.preparation.working_database import count, literal, number


def _apply(work: Work) -> Iterator[Effect]:
    now = literal(work.plan.now)
    current = currently_in(work)
    ordered = sorted(work.form.records, key=lambda record: record.name not in work.form.parents)
    for record in ordered:
        if record.times:
            yield _ended(work, record, now)
    yield Effect("now", "people", *drop_empty_people(work), note=f"{current:,} in hospital now")


def _ended(work: Work, record: Record, now: str) -> Effect:
    before = count(work.lake, record.name)
    for time in record.happens:
        work.lake.execute(f"DELETE FROM {record.name} WHERE {time} > {now}")
    drop_orphans(work, record.name)
    opened = sum(_open(work, record, end, now) for end in record.ends)
    return Effect("now", record.name, before, count(work.lake, record.name), opened)


def _open(work: Work, record: Record, end: str, now: str) -> int:
    """Empty an end that is yet to come; how many there were."""
    emptied = ", ".join(f"{column} = NULL" for column in (end, *record.ends[end]))
    return number(work.lake, f"UPDATE {record.name} SET {emptied} WHERE {end} > {now}")


NOW = Step("now", "nothing later than now, and open ends where a stay goes on", _apply)
