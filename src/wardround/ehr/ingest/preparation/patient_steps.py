"""Steps that choose patients: by age, then a sample with a share of current ones.

The paper draws a time shift for each patient and samples a fixed share of those who are then
current (Lee et al. 2022, D.1, D.2). Here current patients are sampled first, with the probability
that such a draw implies, and the shift is drawn accordingly: the same distribution, for any number
of patients.
"""

from collections.abc import Iterable, Iterator
from math import log

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.seeded_draws import uniform
from wardround.ehr.ingest.preparation.visits import Window, windows
from wardround.ehr.ingest.preparation.working_database import count, delete, store_columns
from wardround.ehr.schema import quoted


def drop_orphans(work: Work, table: str) -> None:
    """Remove a table's rows whose parent rows are gone."""
    for key in work.recipe.prepared.table(table).foreign_keys:
        if key.table in work.recipe.parents:
            column = quoted(key.column)
            parents = f"SELECT {quoted(key.target)} FROM {quoted(key.table)}"
            delete(work.connection, table, f"{column} IS NOT NULL AND {column} NOT IN ({parents})")


def drop_empty_people(work: Work) -> tuple[int, int]:
    """Remove people without a hospital stay; returns the counts before and after."""
    person, roster, stays = work.recipe.person, work.recipe.roster, work.recipe.stays
    before = people(work)
    delete(work.connection, roster, f"{person} NOT IN (SELECT {person} FROM {stays})")
    return before, people(work)


def keep_people(work: Work, people_sql: str) -> tuple[int, int]:
    """Keep only the people that a query returns; returns the counts before and after."""
    before = people(work)
    for table in dict.fromkeys((work.recipe.roster, work.recipe.stays)):
        delete(work.connection, table, f"{work.recipe.person} NOT IN ({people_sql})")
    return before, people(work)


def people(work: Work) -> int:
    """The number of people."""
    return count(
        work.connection, f"(SELECT DISTINCT {work.recipe.person} FROM {work.recipe.roster})"
    )


def _keep_ages(work: Work) -> Iterator[Effect]:
    plan = work.plan
    people_sql = (
        f"SELECT person FROM ({work.recipe.people})"
        f" WHERE youngest >= {plan.youngest} AND oldest <= {plan.oldest}"
    )
    yield Effect("ages", "people", *keep_people(work, people_sql))


AGES = Step("ages", "only people aged 11 to 89 at every admission", _keep_ages)


def sample(
    people: Iterable[Window], patients: int, share: float, seed: int
) -> dict[str | int, bool]:
    """Sample people, with True for current patients.

    The probability of being sampled as current is proportional to the number of shifts that make
    the person current (weighted sampling without replacement, Efraimidis and Spirakis 2006).
    People with an open stay in the source are current under every shift and come first.

    Args:
        people: The candidates.
        patients: Sample size; everyone if there are fewer candidates.
        share: Share of current patients; fewer if there are not enough candidates.
        seed: The random seed.
    """
    candidates = list(people)
    size = min(patients, len(candidates))

    def sort_key(window: Window, weight: int) -> float:
        return -log(uniform(seed, "sample", window.person)) / weight

    can_be_current = sorted(
        (window for window in candidates if window.current),
        key=lambda window: (window.others > 0, sort_key(window, len(window.current))),
    )
    current = {window.person for window in can_be_current[: round(size * share)]}
    can_be_past = sorted(
        (window for window in candidates if window.person not in current and window.others),
        key=lambda window: sort_key(window, window.others),
    )
    past = {window.person for window in can_be_past[: size - len(current)]}
    return dict.fromkeys(current, True) | dict.fromkeys(past, False)


def _sample_people(work: Work) -> Iterator[Effect]:
    plan = work.plan
    sampled = sorted(sample(windows(work), plan.patients, plan.current, plan.seed).items())
    store_columns(
        work.connection,
        "chosen",
        {"person": [person for person, _ in sampled], "current": [is_in for _, is_in in sampled]},
    )
    before, after = keep_people(work, "SELECT person FROM own.chosen")
    current = sum(is_in for _, is_in in sampled)
    note = f"of {plan.patients:,} asked for; {current:,} in hospital now"
    yield Effect("sample", "people", before, after, note=note)


SAMPLE = Step("sample", "a sample of patients, with a share of current ones", _sample_people)
