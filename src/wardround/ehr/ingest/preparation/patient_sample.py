"""Step: a sample of patients, a tenth of whom are in hospital now (EHRSQL D.1 and D.2).

The paper draws a time for each patient and samples a set share of those who turn out current.
Here it is settled first who is current, each with the chance that such a draw would have, and
the time is drawn to fit: the same distribution, for any number of patients.
"""

from collections.abc import Iterable, Iterator
from math import log

from wardround.ehr.ingest.preparation.hash_sampling import uniform
from wardround.ehr.ingest.preparation.orphans import keep_people
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.visits import Window, windows
from wardround.ehr.ingest.preparation.working_database import note_down


def choose(
    people: Iterable[Window], patients: int, share: float, seed: int
) -> dict[str | int, bool]:
    """Who is taken, and whether as a current patient.

    Of two people the one with twice the days on which to be current is twice as likely to be
    taken as current (weighted sampling without replacement, Efraimidis and Spirakis 2006). Those
    who are current on all of their days, their stay being open in the source, come first.

    Args:
        people: Everyone who may be taken.
        patients: How many are wanted; everyone is taken if there are fewer.
        share: Share of the taken who are to be current; fewer if not enough can be.
        seed: Decides who it is.
    """
    everyone = list(people)
    wanted = min(patients, len(everyone))

    def late(window: Window, weight: int) -> float:
        return -log(uniform(seed, "sample", window.person)) / weight

    able = sorted(
        (window for window in everyone if window.current),
        key=lambda window: (window.others > 0, late(window, len(window.current))),
    )
    current = {window.person for window in able[: round(wanted * share)]}
    rest = sorted(
        (window for window in everyone if window.person not in current and window.others),
        key=lambda window: late(window, window.others),
    )
    others = {window.person for window in rest[: wanted - len(current)]}
    return dict.fromkeys(current, True) | dict.fromkeys(others, False)


def _apply(work: Work) -> Iterator[Effect]:
    plan = work.plan
    chosen = sorted(choose(windows(work), plan.patients, plan.current, plan.seed).items())
    note_down(
        work.lake,
        "chosen",
        {"person": [person for person, _ in chosen], "current": [is_in for _, is_in in chosen]},
    )
    before, after = keep_people(work, "SELECT person FROM own.chosen")
    current = sum(is_in for _, is_in in chosen)
    note = f"of {plan.patients:,} asked for; {current:,} in hospital now"
    yield Effect("sample", "people", before, after, note=note)


SAMPLE = Step("sample", "a sample of patients, with a share of current ones", _apply)
