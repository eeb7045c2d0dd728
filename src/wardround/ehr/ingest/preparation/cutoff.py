"""Step: remove data after the current time, leaving current stays open (Lee et al. 2022, 3.2)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.orphans import drop_empty_people, drop_orphans
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.recipe import TableSpec
from wardround.ehr.ingest.preparation.visits import currently_in
from wardround.ehr.ingest.preparation.working_database import count, literal, number


def _apply(work: Work) -> Iterator[Effect]:
    now = literal(work.plan.now)
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


NOW = Step("now", "nothing later than now, and open ends where a stay goes on", _apply)
