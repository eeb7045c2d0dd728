"""Answers on every engine and under other names; the cases are in questions.tsv."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agents.parser.conftest import NO_NAMES, OPEN, ward_pairs, ward_statements
from tests.cases import for_each
from tests.ehr.database.engines import ENGINES, made_database, needs
from wardround.agents.parser import Parser, TrainingPairs, load, save, train, with_current_values
from wardround.core.errors import UserError
from wardround.ehr.database import Database, open_database
from wardround.ehr.times import substitute_words

RENAMED = {
    "admissions": "hospitaladmissions",
    "subject_id": "patientid",
    "hadm_id": "admissionid",
    "prescriptions": "medicationorders",
    "drug": "medicationname",
    "starttime": "startdatetime",
    "labevents": "labresults",
    "label": "itemname",
    "valuenum": "resultvalue",
    "charttime": "resultdatetime",
}
CASES = [
    line.split("\t")
    for line in Path(__file__).with_name("questions.tsv").read_text().splitlines()
    if not line.startswith("#")
]


@dataclass(frozen=True)
class Trained:
    """A parser that was trained on an engine's database."""

    database: Database
    parser: Parser


@pytest.fixture(scope="module")
def trained_there(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Trained]:
    engine, names = request.param
    folder = tmp_path_factory.mktemp("asked")
    with made_database(engine, folder, ward_statements(names)) as location:
        database = open_database(location)
        yield Trained(
            database, train(TrainingPairs(ward_pairs(engine, names), words=OPEN), database)
        )
        database.close()


_WHERE = [
    *(pytest.param((engine, NO_NAMES), id=engine, marks=needs(engine)) for engine in ENGINES),
    pytest.param(("sqlite", RENAMED), id="renamed"),
]


@pytest.mark.parametrize("trained_there", _WHERE, indirect=True)
@for_each(CASES)
def test_answers_as_specified(question: str, expected: str, *, trained_there: Trained) -> None:
    parsed = trained_there.parser.answer(question, trained_there.database)
    if parsed.doubts:
        assert f"{parsed.doubts[0].kind}: {parsed.doubts[0].about}" == expected
        assert parsed.sql is None
    elif expected == "refused":
        assert parsed.sql is None
    else:
        assert parsed.guess is not None
        found = trained_there.database.execute(substitute_words(parsed.guess, OPEN)).rows
        assert " | ".join(str(cell) for row in found for cell in row) == expected


def test_parser_of_another_dialect_is_refused(parser: Parser, tmp_path: Path) -> None:
    save(parser, tmp_path / "model")
    with made_database("duckdb", tmp_path, ward_statements()) as location:
        other = open_database(location)
        with pytest.raises(UserError, match=r"on duckdb, .* SQL of sqlite; train one"):
            with_current_values(load(tmp_path / "model"), other)
        other.close()


def test_choices_have_their_queries(parser: Parser, ward: Database) -> None:
    (doubt,) = parser.answer("What was the last vancomycin of patient 10004?", ward).doubts
    assert [choice.name for choice in doubt.choices] == ["vancomycin (peak)", "vancomycin (trough)"]
    assert [ward.execute(choice.sql).rows for choice in doubt.choices] == [[(3.5,)], [(3.6,)]]


def test_alias_is_explained_and_has_less_confidence(parser: Parser, ward: Database) -> None:
    brand = parser.answer("How many times was Coumadin prescribed?", ward)
    exact = parser.answer("How many times was warfarin prescribed?", ward)
    assert "Drug: \"Coumadin\", understood as warfarin: 'warfarin'" in brand.explanation
    assert brand.guess == exact.guess
    assert brand.confidence < exact.confidence
