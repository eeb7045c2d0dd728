"""Fragments of gold SQL and their verbalization."""

from tests.cases import for_each
from tests.people.clarifying.secrets import cases, secrets
from wardround.people.clarifying.fragments import fragments, listing
from wardround.people.clarifying.gold_parser import parse_fragment
from wardround.people.clarifying.leak_filter import leaks
from wardround.people.clarifying.plain_words import listed, verbalize

SECRETS = secrets()


@for_each(cases("verbalizations.tsv"))
def test_verbalization(sql: str, words: str) -> None:
    assert listed(verbalize(tree) for tree in parse_fragment(sql)) == words


@for_each(cases("aspects.tsv"))
def test_aspects_of_fragments(sql: str, aspects: str) -> None:
    assert " ".join(fragment.aspect for fragment in fragments([sql])) == aspects


@for_each(SECRETS)
def test_fragments_are_numbered_and_distinct(task: str) -> None:
    found = fragments(SECRETS[task].gold)
    assert [fragment.number for fragment in found] == list(range(1, len(found) + 1))
    assert len({(fragment.aspect, fragment.sql) for fragment in found}) == len(found)
    assert len(listing(found).splitlines()) == len(found)


@for_each(SECRETS)
def test_verbalized_fragments_do_not_leak(task: str) -> None:
    secret = SECRETS[task]
    for fragment in fragments(secret.gold):
        if fragment.node is not None and fragment.aspect != "object":
            assert not leaks(verbalize(fragment.node), secret), fragment


def test_routine_is_parsed_line_by_line() -> None:
    found = {fragment.sql for fragment in fragments(SECRETS["kidney"].gold)}
    assert {"creatinine / baseline >= 2.0", "baseline IS NULL"} <= found
