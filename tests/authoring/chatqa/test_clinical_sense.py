"""Pairs of which two sources say that they belong together."""

import pytest

from wardround.authoring.chatqa.clinical_sense import (
    are_related,
    assess_the_same,
    disputed_treatments,
    is_above_chance,
    treating_drugs,
    treatments,
)
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.ehr.records import Role
from wardround.ehr.terms.conditions import condition_named
from wardround.ehr.terms.labs import lab_named


def value(kind: str, name: str, *stays: int) -> SpokenValue:
    """A recorded value with the stays that have it."""
    return SpokenValue(Role(kind, "name"), (name,), name, (name,), frozenset(map(str, stays)))


FAILURE = value("diagnosis", "heart failure", *range(10))
KIDNEY = value("diagnosis", "chronic kidney disease", *range(8))
STAYS = 100


def test_a_drug_for_an_illness_is_used_for_it_or_like_one_that_is() -> None:
    used = value("drug", "lisinopril", *range(8))
    alike, other, unrelated = (
        value("drug", name, 90) for name in ("captopril", "losartan", "tiotropium")
    )
    drugs = [used, alike, other, unrelated]
    assert treating_drugs(drugs, FAILURE, STAYS) == [used, alike]
    assert treating_drugs([alike, other, unrelated], FAILURE, STAYS) == []


def test_related_illnesses_meet_in_the_records() -> None:
    elsewhere = value("diagnosis", "chronic kidney disease", *range(50, 58))
    assert are_related(FAILURE, KIDNEY, STAYS)
    assert not are_related(FAILURE, elsewhere, STAYS)
    assert not are_related(FAILURE, value("diagnosis", "gout", *range(8)), STAYS)


def test_both_files_name_an_agreed_treatment() -> None:
    condition = condition_named("myocardial infarction")
    assert condition is not None
    listed = {*condition.first_line, *condition.alternatives}
    agreed = {group.name for group in treatments(condition)}
    assert agreed
    assert agreed <= listed
    assert not agreed & set(disputed_treatments(condition))


def test_tests_for_the_same_are_for_one_condition() -> None:
    troponin = lab_named("troponin t")
    assert troponin is not None
    assert assess_the_same(troponin, "troponin i")
    assert not assess_the_same(troponin, "sodium")


@pytest.mark.parametrize(
    ("one", "two", "total", "holds"),
    [
        (range(10), range(10), 100, True),
        (range(10), range(9, 19), 20, False),
        (range(50), range(25, 75), 100, False),
        ((), range(5), 100, False),
    ],
)
def test_chance_explains_what_sets_share(one: range, two: range, total: int, holds: bool) -> None:
    assert is_above_chance(list(map(str, one)), list(map(str, two)), total) is holds
