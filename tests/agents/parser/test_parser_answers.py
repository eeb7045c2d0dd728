"""The parser on questions that it was not trained on."""

from pathlib import Path

import pytest

from wardround.agents.parser import Parser, TrainingPairs, load, save, train
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.times import substitute_words

OPEN = {"current_time": "'2105-12-31 23:59:00'"}


def rows(database: Database, sql: str | None) -> list[tuple[object, ...]]:
    assert sql is not None
    return list(database.execute(substitute_words(sql, OPEN)).rows)


def test_value_that_no_pair_has(parser: Parser, ward: Database) -> None:
    parsed = parser.answer("How many times was warfarin prescribed?", ward)
    assert rows(ward, parsed.guess) == [(20,)]


def test_time_that_no_pair_has(parser: Parser, ward: Database) -> None:
    parsed = parser.answer("Was patient 10003 prescribed insulin until 2104?", ward)
    assert "<= '2104'" in (parsed.guess or "")
    assert "10003" in (parsed.guess or "")


def test_words_in_another_order(parser: Parser, ward: Database) -> None:
    parsed = parser.answer("Last month, did patient 10007 receive heparin sodium?", ward)
    assert "'-1 month'" in (parsed.guess or "")
    assert "'heparin sodium'" in (parsed.guess or "")


def test_explanation_names_value_and_time(parser: Parser, ward: Database) -> None:
    parsed = parser.answer("Count the prescriptions of warfarin since 2104.", ward)
    assert "warfarin" in parsed.explanation
    assert "since 2104" in parsed.explanation


def test_unanswerable_question_has_less_confidence(parser: Parser, ward: Database) -> None:
    sure = parser.answer("What was the last glucose of patient 10011?", ward).confidence
    unsure = parser.answer("What is the phone number of patient 10019?", ward).confidence
    assert unsure < sure


@pytest.mark.parametrize("question", ["", "???", "10001", "hello", "Is it raining in 2105?"])
def test_other_text_is_refused(parser: Parser, ward: Database, question: str) -> None:
    assert parser.answer(question, ward).sql is None


def test_same_pairs_same_bytes(
    parser: Parser, ward: Database, training: TrainingPairs, tmp_path: Path
) -> None:
    save(parser, tmp_path / "one")
    save(train(training, ward), tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_loaded_parser_gives_equal_answers(
    parser: Parser, ward: Database, training: TrainingPairs, tmp_path: Path
) -> None:
    save(parser, tmp_path / "model")
    loaded = load(tmp_path / "model")
    for pair in training.pairs[::9]:
        assert loaded.answer(pair.question, ward) == parser.answer(pair.question, ward)


def test_file_is_not_overwritten(parser: Parser, tmp_path: Path) -> None:
    (tmp_path / "model").write_text("mine")
    with pytest.raises(UserError, match="exists"):
        save(parser, tmp_path / "model")


def test_file_without_parser_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("no parser")
    with pytest.raises(UserError, match="not the file of a parser"):
        load(tmp_path / "model")


def test_pairs_without_sql_are_refused(ward: Database, training: TrainingPairs) -> None:
    with pytest.raises(UserError, match="No question has SQL"):
        train(TrainingPairs([pair for pair in training.pairs if pair.sql is None]), ward)
