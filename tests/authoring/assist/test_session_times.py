"""Sessions take place on a ward round, but at the discharge if they plan it or renew a drug."""

from collections import Counter
from dataclasses import replace

import pytest

from wardround.authoring.assist.planning.cells import Cell, cells
from wardround.authoring.assist.progress import Progress
from wardround.authoring.assist.slots import SlotFiller
from wardround.benchmarks.assist.sessions import Scenario


def _cell(scenario: Scenario, last: str) -> Cell:
    found = (each for each in cells("suite") if each.scenario == scenario)
    return next(each for each in found if each.arc[-1] == last)


@pytest.mark.parametrize(
    ("scenario", "last", "flags", "attempt", "at_discharge"),
    [
        ("med_safety", "CR", 1, 0, False),
        ("med_safety", "WU", 0, 0, False),
        ("med_safety", "WU", 1, 0, True),
        ("med_safety", "WU", 1, 3, False),
        ("discharge_planning", "CR", 0, 0, True),
    ],
)
def test_the_time_of_a_session(
    filler: SlotFiller, scenario: Scenario, last: str, flags: int, attempt: int, at_discharge: bool
) -> None:
    used = Progress(Counter({"Flag.create": flags}))
    [candidate, *_] = filler.candidates
    time = replace(filler, progress=used)._time(_cell(scenario, last), candidate, attempt)
    assert time == (candidate.discharge if at_discharge else candidate.ward_round)
    assert candidate.ward_round != candidate.discharge
