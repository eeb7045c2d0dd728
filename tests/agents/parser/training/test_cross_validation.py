"""Questions held out of training to calibrate the confidence."""

import pytest

from wardround.agents.parser import TrainingPairs
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.training.cross_validation import held_out, is_same_text
from wardround.agents.parser.training.training_data import TrainingData, read_training_data
from wardround.ehr.database import Database

FOLDS = range(3)


@pytest.fixture(scope="module")
def data(training: TrainingPairs, ward: Database) -> TrainingData:
    return read_training_data(training.pairs, ward, column_types(ward))


def wordings(data: TrainingData, members: set[int]) -> set[tuple[str, ...]]:
    return {data.readings[at].masked for at in members}


def test_wordings_are_held_out_whole(data: TrainingData) -> None:
    asked = len(data.pairs) - 1
    for fold in FOLDS:
        out = held_out(data, asked, fold)
        kept = set(data.usable) - out - {asked}
        assert out
        assert not wordings(data, out) & wordings(data, kept)


def test_each_question_is_held_out_at_most_once(data: TrainingData) -> None:
    for asked in (len(data.pairs) - 1, len(data.pairs)):
        folds = [held_out(data, asked, fold) for fold in FOLDS]
        assert len(set().union(*folds)) == sum(map(len, folds))


def test_background_pairs_are_never_held_out(data: TrainingData) -> None:
    assert all(max(held_out(data, 60, fold)) < 60 for fold in FOLDS)


def test_wordings_are_shared_without_background_pairs(data: TrainingData) -> None:
    everything = set(data.usable)
    out = held_out(data, len(data.pairs), 0)
    assert wordings(data, out) <= wordings(data, everything - out)


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
def test_same_text_ignores_spacing_and_case(one: str, other: str, alike: bool) -> None:
    assert is_same_text(one, other) is alike
