"""Which reading of a question counts."""

import pytest

from wardround.agents.parser.alignment import Form, Said, Slot
from wardround.agents.parser.attempts import Attempt, Candidate, comes_before, in_other_columns
from wardround.agents.parser.columns import Domain
from wardround.agents.parser.kinds import Variant
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import Fitted
from wardround.agents.parser.tokens import words
from wardround.agents.parser.value_linker import Mention, Near

DRUG, INTAKE = Domain("prescriptions", "drug"), Domain("d_items", "label", (("of", "intakes"),))


def attempt(domain: Domain, count: int, near: bool, score: float = 0.0) -> Attempt:
    """An attempt at "how many got metoprolol", taken for a value of a domain."""
    question = "how many got metoprolol"
    taken = {domain: Near("metoprolol", 0.9)} if near else {}
    mention = Mention(3, 4, {domain: ("metoprolol tartrate" if near else "metoprolol",)}, taken)
    form = Form("SELECT '<<0>>'", (Slot(domain, ""),), (), (), "sqlite")
    variant = Variant(form, 0, Said((0,), ()), (), "", ((),))
    fitted = Fitted(variant, (mention,), (), 0.0)
    reading = Reading(question, tuple(words(question)), (mention,), (), (), ())
    return Attempt(reading, (), (Candidate(fitted, "", score, ((count,),)),), score, 0.9)


@pytest.mark.parametrize(
    ("own", "other", "first"), [(3, 5, True), (3, 0, True), (0, 0, True), (0, 5, False)]
)
def test_own_names_count_unless_they_find_nothing(own: int, other: int, first: bool) -> None:
    assert comes_before(attempt(INTAKE, own, False), attempt(DRUG, other, True)) == first


def test_of_two_other_names_none_comes_before() -> None:
    assert not comes_before(attempt(INTAKE, 3, True), attempt(DRUG, 5, True))


def test_two_columns_with_two_answers_are_asked_about() -> None:
    best, other = attempt(DRUG, 5, True), attempt(INTAKE, 3, True, score=-0.5)
    (doubt,) = in_other_columns(best, [other])
    assert doubt.asks == 'Is "metoprolol" a drug or an intake?'
    assert [choice.sql for choice in doubt.choices] == ["SELECT 'metoprolol tartrate'"] * 2


@pytest.mark.parametrize(("count", "score"), [(5, -0.5), (3, -5.0), (0, -0.5)])
def test_the_same_answer_a_far_worse_query_or_nothing_is_no_doubt(count: int, score: float) -> None:
    best, other = attempt(DRUG, 5, True), attempt(INTAKE, count, True, score)
    assert in_other_columns(best, [other]) == []
