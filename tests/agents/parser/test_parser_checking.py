"""Questions kept out of training, to see how sure the parser can be."""

import pytest

from wardround.agents.parser import Pair
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.cross_validation import kept_out, looks_alike
from wardround.agents.parser.training_data import Material, find_material
from wardround.ehr.database import Database

TURNS = range(3)


@pytest.fixture(scope="module")
def material(taught: list[Pair], ward: Database) -> Material:
    return find_material(taught, ward, column_types(ward))[-1]


def wordings(material: Material, those: set[int]) -> set[tuple[str, ...]]:
    return {material.readings[at].masked for at in those}


def test_wordings_are_kept_out_whole(material: Material) -> None:
    asked = len(material.pairs) - 1
    for turn in TURNS:
        out = kept_out(material, asked, turn)
        kept = set(material.usable) - out - {asked}
        assert out
        assert not wordings(material, out) & wordings(material, kept)


def test_each_question_is_kept_out_once(material: Material) -> None:
    for asked in (len(material.pairs) - 1, len(material.pairs)):
        turns = [kept_out(material, asked, turn) for turn in TURNS]
        assert len(set().union(*turns)) == sum(map(len, turns))


def test_the_background_is_never_kept_out(material: Material) -> None:
    assert all(max(kept_out(material, 60, turn)) < 60 for turn in TURNS)


def test_alone_the_wordings_are_those_that_will_be_asked(material: Material) -> None:
    everything = set(material.usable)
    out = kept_out(material, len(material.pairs), 0)
    assert wordings(material, out) <= wordings(material, everything - out)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("SELECT COUNT( * ) FROM t", "select count(*) from T", True),
        ("SELECT a FROM t WHERE b = 'X y'", "SELECT a FROM t WHERE b='X y'", True),
        ("SELECT a FROM t WHERE b = 'X y'", "SELECT a FROM t WHERE b = 'x y'", False),
        ("SELECT a FROM t WHERE b = 'X y'", "SELECT a FROM t WHERE b = 'Xy'", False),
        ("SELECT a FROM t WHERE b = 'it''s A'", "SELECT a FROM t WHERE b = 'it''s a'", False),
    ],
)
def test_queries_that_only_look_different(one: str, other: str, alike: bool) -> None:
    assert looks_alike(one, other) is alike
