"""What a filled cell uses up, which storylines are told again, and who is tried next."""

from collections import Counter
from datetime import datetime
from typing import Any

from tests.cases import for_each
from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.planning.cells import Cell
from wardround.authoring.assist.progress import Filled, Progress, in_turn, is_told_again, use

DISCHARGE = datetime.fromisoformat("2150-03-06")
CELL = Cell("med_safety", 2, ("IL", "DG", "CR", "WU"), ("NA", "PE", "AE"))


def patient(subject: int, tier: int = 3) -> Candidate:
    """A patient who supports a tier of the cell's scenario."""
    return Candidate(subject, subject, DISCHARGE, DISCHARGE, {CELL.scenario: tier}, 0)


def line(*rules: str) -> dict[str, Any]:
    """The session of a patient whose rubrics cite some rules."""
    sources = [[{"kind": "cited", "rule": rule, "field": "risk"}] for rule in rules]
    return {"subject_id": 1, "rubric_sources": [sources]}


def test_a_session_counts_all_that_it_uses() -> None:
    progress = Progress()
    use(progress, Filled(patient(1), line("lactate"), ("Flag",), "ran_out", ("aspirin",), (2, 3)))
    assert progress == Progress(
        resources=Counter(["Flag"]),
        patients=Counter([1]),
        stories=Counter(["ran_out"]),
        avoided=Counter(["aspirin"]),
        told={(1, frozenset({"lactate"}))},
        vain=Counter([2, 3]),
    )


@for_each(
    [
        (("a",), True),
        (("b", "a"), True),
        (("a", "b", "c"), True),
        (("a", "c"), False),
        ((), False),
    ]
)
def test_a_storyline_is_told_again_with_more_rules_or_fewer(
    rules: tuple[str, ...], is_again: bool
) -> None:
    told = [(1, frozenset({"a", "b"}))]
    assert is_told_again(line(*rules), told) == is_again
    assert not is_told_again({**line(*rules), "subject_id": 2}, told)


def test_no_cell_has_a_patient_whose_session_was_rejected_or_who_supports_less() -> None:
    candidates = [patient(1), patient(2), patient(3, tier=1), patient(4, tier=2)]
    for reach in ("unused", "all", "again", "redrawn"):
        found = in_turn(candidates, CELL, Progress(barred={2}), reach)
        assert [each.subject_id for each in found] == [1, 4]


def test_patients_with_sessions_come_after_all_others() -> None:
    progress = Progress(patients=Counter([1]), vain=Counter({2: 50}))
    found = in_turn([patient(1), patient(2)], CELL, progress, "all")
    assert [each.subject_id for each in found] == [2, 1]
