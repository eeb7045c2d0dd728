"""Gold SQL in pieces, and pieces in plain words."""

import pytest

from tests.people.clarifying.secrets import cases, secrets
from wardround.people.clarifying.fragments import fragments, listing
from wardround.people.clarifying.gold_parser import piece
from wardround.people.clarifying.leaks import leaks
from wardround.people.clarifying.plain_words import listed, tell

SECRETS = secrets()


@pytest.mark.parametrize(("sql", "words"), cases("telling.tsv"))
def test_a_piece_in_plain_words(sql: str, words: str) -> None:
    assert listed(tell(tree) for tree in piece(sql)) == words


@pytest.mark.parametrize(("sql", "sorts"), cases("sorts.tsv"))
def test_what_the_fragments_are(sql: str, sorts: str) -> None:
    assert " ".join(one.sort for one in fragments([sql])) == sorts


@pytest.mark.parametrize("task", SECRETS)
def test_fragments_are_numbered_and_each_is_there_once(task: str) -> None:
    found = fragments(SECRETS[task].gold)
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    assert len({(one.sort, one.sql) for one in found}) == len(found)
    assert len(listing(found).splitlines()) == len(found)


@pytest.mark.parametrize("task", SECRETS)
def test_fragments_in_plain_words_leak_nothing(task: str) -> None:
    secret = SECRETS[task]
    for one in fragments(secret.gold):
        if one.node is not None and one.sort != "object":
            assert not leaks(tell(one.node), secret), one


def test_a_routine_is_read_line_by_line() -> None:
    found = {one.sql for one in fragments(SECRETS["kidney"].gold)}
    assert {"creatinine / baseline >= 2.0", "baseline IS NULL"} <= found
