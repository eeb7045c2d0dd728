"""No reply tells the gold or the schema, whatever it is made of."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.people.clarifying.secrets import cases, secrets
from wardround.people.clarifying.leaks import leaks, repaired
from wardround.people.clarifying.model import Secret

SECRETS = secrets()


@pytest.mark.parametrize(("task", "said", "heard"), cases("leaks.tsv"))
def test_what_is_heard(task: str, said: str, heard: str) -> None:
    reply = said.replace("\\n", "\n")
    assert repaired(reply, SECRETS[task]) == heard
    assert bool(leaks(reply, SECRETS[task])) == (heard != reply)


@st.composite
def replies(draw: st.DrawFn) -> tuple[Secret, str]:
    """Text made of stretches of the gold and of what people say."""
    secret = draw(st.sampled_from(sorted(SECRETS.values(), key=lambda one: one.request)))
    gold = re.split(r"(\s+)", " ".join(secret.gold))
    stretch = st.integers(0, len(gold)).flatmap(
        lambda start: st.integers(1, 12).map(lambda many: "".join(gold[start : start + many]))
    )
    plain = st.sampled_from([secret.request, secret.clear, "I mean", "and so on.", "\n", "`", "("])
    parts = draw(st.lists(st.one_of(stretch, plain, st.text(max_size=6)), max_size=6))
    return secret, draw(st.sampled_from([" ", "", ". "])).join(parts)


@given(replies())
def test_no_leak_survives(case: tuple[Secret, str]) -> None:
    secret, reply = case
    heard = repaired(reply, secret)
    assert not leaks(heard, secret)
    assert repaired(heard, secret) == heard


@pytest.mark.parametrize("task", SECRETS)
def test_every_condition_of_the_gold_is_a_leak(task: str) -> None:
    secret = SECRETS[task]
    for ambiguity in secret.ambiguities:
        for fragment in ambiguity.fragments:
            assert leaks(f"I mean {fragment}, please.", secret), fragment


def test_names_that_the_agent_has_seen_may_be_said() -> None:
    secret = SECRETS["elderly"]
    assert leaks("By anchor_age.", secret) == ("anchor_age",)
    assert not leaks("By anchor_age.", secret, {"anchor_age"})
    assert leaks("By patients.anchor_age and by subject_id.", secret, {"anchor_age"}) == (
        "subject_id",
    )


def test_names_of_the_schema_are_hidden_even_where_the_gold_has_none_of_them() -> None:
    secret = Secret("How many?", "", ("SELECT 1",), (), "CREATE TABLE wards (\n  bedcap int\n);")
    assert leaks("By bedcap.", secret) == ("bedcap",)
    assert repaired("By bedcap.", secret) == "By that."
    assert not leaks("By wards.", secret)
