"""Step: sample patients, a tenth of them currently in hospital (Lee et al. 2022, D.1 and D.2).

The paper draws a time shift for each patient and samples a fixed share of those who are then
current. Here current patients are sampled first, with the probability that such a draw implies, and
the shift is drawn accordingly: the same distribution, for any number of patients.
"""

from collections.abc import Iterable, Iterator
from math import log

from wardround.ehr.ingest.preparation.hash_sampling import uniform
from wardround.ehr.ingest.preparation.orphans import keep_people
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.visits import Window, windows
from wardround.ehr.ingest.preparation.working_database import store_columns


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


def _apply(work: Work) -> Iterator[Effect]:
    plan = work.plan
    chosen = sorted(sample(windows(work), plan.patients, plan.current, plan.seed).items())
    store_columns(
        work.connection,
        "chosen",
        {"person": [person for person, _ in chosen], "current": [is_in for _, is_in in chosen]},
    )
    before, after = keep_people(work, "SELECT person FROM own.chosen")
    current = sum(is_in for _, is_in in chosen)
    note = f"of {plan.patients:,} asked for; {current:,} in hospital now"
    yield Effect("sample", "people", before, after, note=note)


SAMPLE = Step("sample", "a sample of patients, with a share of current ones", _apply)
