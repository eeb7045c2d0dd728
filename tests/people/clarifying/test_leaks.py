"""Replies leak neither gold nor schema."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from tests.people.clarifying.secrets import cases, secrets
from wardround.people.clarifying.leak_filter import leaks, repaired
from wardround.people.clarifying.secret import Secret

SECRETS = secrets()


@for_each(cases("leaks.tsv"))
def test_repaired_reply(task: str, reply: str, expected: str) -> None:
    reply = reply.replace("\\n", "\n")
    assert repaired(reply, SECRETS[task]) == expected
    assert bool(leaks(reply, SECRETS[task])) == (expected != reply)


@st.composite
def replies(draw: st.DrawFn) -> tuple[Secret, str]:
    """Text made of stretches of the gold and of what people say."""
    secret = draw(st.sampled_from(sorted(SECRETS.values(), key=lambda secret: secret.request)))
    gold = re.split(r"(\s+)", " ".join(secret.gold))
    stretch = st.integers(0, len(gold)).flatmap(
        lambda start: st.integers(1, 12).map(lambda many: "".join(gold[start : start + many]))
    )
    plain = st.sampled_from([secret.request, secret.clear, "I mean", "and so on.", "\n", "`", "("])
    parts = draw(st.lists(st.one_of(stretch, plain, st.text(max_size=6)), max_size=6))
    return secret, draw(st.sampled_from([" ", "", ". "])).join(parts)


@given(replies())
def test_repaired_reply_has_no_leak(case: tuple[Secret, str]) -> None:
    secret, reply = case
    clean = repaired(reply, secret)
    assert not leaks(clean, secret)
    assert repaired(clean, secret) == clean


@for_each(SECRETS)
def test_every_gold_condition_is_a_leak(task: str) -> None:
    secret = SECRETS[task]
    for ambiguity in secret.ambiguities:
        for fragment in ambiguity.fragments:
            assert leaks(f"I mean {fragment}, please.", secret), fragment


def test_seen_names_are_no_leak() -> None:
    secret = SECRETS["elderly"]
    assert leaks("By anchor_age.", secret) == ("anchor_age",)
    assert not leaks("By anchor_age.", secret, {"anchor_age"})
    assert leaks("By patients.anchor_age and by subject_id.", secret, {"anchor_age"}) == (
        "subject_id",
    )


def test_schema_names_outside_the_gold_are_leaks() -> None:
    secret = Secret("How many?", "", ("SELECT 1",), (), "CREATE TABLE wards (\n  bedcap int\n);")
    assert leaks("By bedcap.", secret) == ("bedcap",)
    assert repaired("By bedcap.", secret) == "By that."
    assert not leaks("By wards.", secret)
