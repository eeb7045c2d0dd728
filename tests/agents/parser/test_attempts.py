"""Attempts at a question: the preferred one, and the doubts that they raise."""

import pytest

from wardround.agents.parser.attempts import Attempt, Candidate, ambiguous_column, exact_name_wins
from wardround.agents.parser.columns import Domain
from wardround.agents.parser.names.value_index import AliasMatch, Mention
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import FilledForm
from wardround.agents.parser.sql.forms import FillOrder, Slot, SqlForm, Variant
from wardround.agents.parser.tokens import words

DRUG, INTAKE = Domain("prescriptions", "drug"), Domain("d_items", "label", (("of", "intakes"),))


def attempt(domain: Domain, count: int, is_alias: bool, score: float = 0.0) -> Attempt:
    """An attempt at "how many got metoprolol", taken for a value of a domain."""
    question = "how many got metoprolol"
    aliases = {domain: AliasMatch("metoprolol", 0.9)} if is_alias else {}
    mention = Mention(
        3, 4, {domain: ("metoprolol tartrate" if is_alias else "metoprolol",)}, aliases
    )
    form = SqlForm("SELECT '<<0>>'", (Slot(domain, ""),), (), (), "sqlite")
    variant = Variant(form, 0, FillOrder((0,), ()), (), "", ((),))
    filled = FilledForm(variant, (mention,), (), 0.0)
    reading = Reading(question, tuple(words(question)), (mention,), (), (), ())
    return Attempt(reading, (), (Candidate(filled, "", score, ((count,),)),), score, 0.9)


@pytest.mark.parametrize(
    ("exact", "alias", "wins"), [(3, 5, True), (3, 0, True), (0, 0, True), (0, 5, False)]
)
def test_exact_names_win_unless_they_find_nothing(exact: int, alias: int, wins: bool) -> None:
    assert exact_name_wins(attempt(INTAKE, exact, False), attempt(DRUG, alias, True)) == wins


def test_alias_has_no_precedence_over_alias() -> None:
    assert not exact_name_wins(attempt(INTAKE, 3, True), attempt(DRUG, 5, True))


def test_two_columns_with_two_answers_are_ambiguous() -> None:
    best, other = attempt(DRUG, 5, True), attempt(INTAKE, 3, True, score=-0.5)
    (doubt,) = ambiguous_column(best, [other])
    assert doubt.asks == 'Is "metoprolol" a drug or an intake?'
    assert [choice.sql for choice in doubt.choices] == ["SELECT 'metoprolol tartrate'"] * 2


@pytest.mark.parametrize(("count", "score"), [(5, -0.5), (3, -5.0), (0, -0.5)])
def test_no_doubt_for_same_far_worse_or_empty_answers(count: int, score: float) -> None:
    best, other = attempt(DRUG, 5, True), attempt(INTAKE, count, True, score)
    assert ambiguous_column(best, [other]) == []
