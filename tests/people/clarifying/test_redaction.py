"""Redaction of other ambiguities in a chosen fragment."""

import pytest

from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.leak_filter import leaked_values, leaks
from wardround.people.clarifying.redaction import redacted_fragments
from wardround.people.clarifying.secret import Ambiguity, Labelled, Located, Secret

LATE = Ambiguity("late", "semantic ambiguity", ("hour > 22",), meaning="After ten at night.")
MANY = Ambiguity("many", "query intent", ("HAVING COUNT(*) FILTER (WHERE hour > 22) > 5",))
SHARE = "ROUND(COUNT(*) FILTER(WHERE hour > 22) / COUNT(*), 3)"
SECRET = Secret(
    "What share of the shifts of each ward is late?",
    "",
    (f"SELECT ward, {SHARE} FROM t GROUP BY ward",),
    (LATE, MANY),
)


def test_fragment_shows_the_term_of_an_ambiguity() -> None:
    assert redacted_fragments(Located("COUNT(*) FILTER(WHERE hour > 22)"), SECRET) == (
        'COUNT(*) FILTER(WHERE "late")',
    )
    assert redacted_fragments(Located("hour < 5"), SECRET) == ("hour < 5",)


def test_ambiguity_shows_its_own_meaning_only() -> None:
    assert redacted_fragments(Labelled(LATE), SECRET) == ("hour > 22",)
    assert "22" not in redacted_fragments(Labelled(MANY), SECRET)[0]


def test_unparsable_fragment_is_unchanged() -> None:
    assert redacted_fragments(Located("hardly SQL (("), SECRET) == ("hardly SQL ((",)


@pytest.mark.parametrize("question", ["Which columns do you want to see?", "How is it rounded?"])
async def test_model_free_user_keeps_to_the_question(question: str) -> None:
    answer = await ModelFree(SECRET).clarify(question, frozenset())
    assert isinstance(answer.choice, Located)
    assert "22" not in answer.text


def test_values_of_other_points_are_leaked() -> None:
    reply = "Those after 22, rounded to 3 decimals."
    assert leaked_values(reply, Located(SHARE), "How is it rounded?", SECRET) == ("22",)
    assert leaked_values(reply, Labelled(LATE), "What is late?", SECRET) == ("3",)


def test_schema_name_in_the_clear_request_is_a_leak() -> None:
    gold = "UPDATE stays SET dischtime = NOW() WHERE dischtime IS NULL"
    secret = Secret("Close the stays.", "Set dischtime where it is NULL.", (gold,), ())
    assert leaks("The column is `dischtime`.", secret) == ("dischtime",)
