"""The cells of both sizes have the published counts."""

from collections import Counter

import pytest

from wardround.authoring.assist.planning.cells import ARCS, Size, cells
from wardround.benchmarks.assist.sessions import SCENARIOS

SIZES = (("suite", 1, 1), ("full", 3, 3))


@pytest.mark.parametrize(("size", "times", "arcs"), SIZES)
def test_every_sequence_is_equally_frequent(size: Size, times: int, arcs: int) -> None:
    found = Counter((cell.scenario, cell.arc) for cell in cells(size))
    assert found == {(scenario, arc): arcs for scenario in SCENARIOS for arc in ARCS}
    tiers = Counter((cell.scenario, cell.tier) for cell in cells(size))
    assert set(tiers.values()) == {9 * times}


@pytest.mark.parametrize(("size", "times", "arcs"), SIZES)
def test_forms_are_equally_frequent_in_each_task_type(size: Size, times: int, arcs: int) -> None:
    types = Counter(type for cell in cells(size) for type in cell.arc)
    assert types == {"IL": 180 * times, "DG": 108 * times, "CR": 108 * times, "WU": 36 * times}
    forms = Counter(
        pair for cell in cells(size) for pair in zip(cell.arc[1:], cell.forms, strict=True)
    )
    each = {"IL": 24, "DG": 36, "CR": 36, "WU": 12}
    assert forms == {(type, form): n * times for type, n in each.items()
                     for form in ("NA", "PE", "AE")}  # fmt: skip


@pytest.mark.parametrize("size", ["suite", "full"])
def test_an_abstract_question_has_two_turns_before_it(size: Size) -> None:
    assert all(cell.forms[0] != "AE" for cell in cells(size))
    assert all(len(set(cell.forms)) == 3 for cell in cells(size))
