"""The parser on questions that it was not taught."""

from pathlib import Path

import pytest

from wardround.agents.parser import Pair, Parser, load, save, train
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.times import with_words

OPEN = {"current_time": "'2105-12-31 23:59:00'"}


def rows(database: Database, sql: str | None) -> list[tuple[object, ...]]:
    assert sql is not None
    return list(database.execute(with_words(sql, OPEN)).rows)


def test_a_value_that_no_pair_has(parser: Parser, ward: Database) -> None:
    parsed = parser.answer("How many times was warfarin prescribed?")
    assert rows(ward, parsed.guess) == [(20,)]


def test_a_time_that_no_pair_has(parser: Parser) -> None:
    parsed = parser.answer("Was patient 10003 prescribed insulin until 2104?")
    assert "<= '2104'" in (parsed.guess or "")
    assert "10003" in (parsed.guess or "")


def test_words_around_in_another_order(parser: Parser) -> None:
    parsed = parser.answer("Last month, did patient 10007 receive heparin sodium?")
    assert "'-1 month'" in (parsed.guess or "")
    assert "'heparin sodium'" in (parsed.guess or "")


def test_it_says_what_it_understood(parser: Parser) -> None:
    explanation = parser.answer("Count the prescriptions of warfarin since 2104.").explanation
    assert "warfarin" in explanation
    assert "since 2104" in explanation


def test_what_cannot_be_answered_is_less_sure(parser: Parser) -> None:
    sure = parser.answer("What was the last glucose of patient 10011?").confidence
    unsure = parser.answer("What is the phone number of patient 10019?").confidence
    assert unsure < sure


@pytest.mark.parametrize("question", ["", "???", "10001", "hello", "Is it raining in 2105?"])
def test_other_text_is_refused(parser: Parser, question: str) -> None:
    assert parser.answer(question).sql is None


def test_same_pairs_same_bytes(
    parser: Parser, ward: Database, taught: list[Pair], tmp_path: Path
) -> None:
    save(parser, tmp_path / "one")
    save(train(taught, ward, words=OPEN), tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_loaded_parser_answers_alike(
    parser: Parser, ward: Database, taught: list[Pair], tmp_path: Path
) -> None:
    save(parser, tmp_path / "model")
    loaded = load(tmp_path / "model", ward)
    for pair in taught[::9]:
        assert loaded.answer(pair.question) == parser.answer(pair.question)


def test_no_file_is_overwritten(parser: Parser, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("mine")
    with pytest.raises(UserError, match="exists"):
        save(parser, tmp_path / "model")


def test_another_file_is_refused(ward: Database, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("no parser")
    with pytest.raises(UserError, match="no file of a parser"):
        load(tmp_path / "model", ward)


def test_pairs_without_sql_teach_nothing(ward: Database, taught: list[Pair]) -> None:
    with pytest.raises(UserError, match="No question has SQL"):
        train([pair for pair in taught if pair.sql is None], ward)
