"""What is unclear stays unclear where something around it is asked about."""

import pytest

from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.leak_filter import strays
from wardround.people.clarifying.leaks import leaks
from wardround.people.clarifying.model import Ambiguity, Labelled, Located, Secret
from wardround.people.clarifying.redaction import told_by

LATE = Ambiguity("late", "semantic ambiguity", ("hour > 22",), meaning="After ten at night.")
MANY = Ambiguity("many", "query intent", ("HAVING COUNT(*) FILTER (WHERE hour > 22) > 5",))
SHARE = "ROUND(COUNT(*) FILTER(WHERE hour > 22) / COUNT(*), 3)"
SECRET = Secret(
    "What share of the shifts of each ward is late?",
    "",
    (f"SELECT ward, {SHARE} FROM t GROUP BY ward",),
    (LATE, MANY),
)


def test_a_piece_shows_the_term_where_it_holds_an_ambiguity() -> None:
    assert told_by(Located("COUNT(*) FILTER(WHERE hour > 22)"), SECRET) == (
        'COUNT(*) FILTER(WHERE "late")',
    )
    assert told_by(Located("hour < 5"), SECRET) == ("hour < 5",)


def test_an_ambiguity_shows_itself_and_no_other() -> None:
    assert told_by(Labelled(LATE), SECRET) == ("hour > 22",)
    assert "22" not in told_by(Labelled(MANY), SECRET)[0]


def test_what_no_grammar_reads_is_left() -> None:
    assert told_by(Located("hardly SQL (("), SECRET) == ("hardly SQL ((",)


@pytest.mark.parametrize("question", ["Which columns do you want to see?", "How is it rounded?"])
async def test_the_user_without_a_model_keeps_to_what_is_asked(question: str) -> None:
    answer = await ModelFree(SECRET).clarify(question, frozenset())
    assert isinstance(answer.choice, Located)
    assert "22" not in answer.text


def test_telling_what_a_piece_holds_beside_the_point_is_straying() -> None:
    reply = "Those after 22, rounded to 3 decimals."
    assert strays(reply, Located(SHARE), "How is it rounded?", SECRET) == ("22",)
    assert strays(reply, Labelled(LATE), "What is late?", SECRET) == ("3",)


def test_a_name_of_the_schema_is_a_leak_also_where_the_clear_request_has_it() -> None:
    gold = "UPDATE stays SET dischtime = NOW() WHERE dischtime IS NULL"
    secret = Secret("Close the stays.", "Set dischtime where it is NULL.", (gold,), ())
    assert leaks("The column is `dischtime`.", secret) == ("dischtime",)
