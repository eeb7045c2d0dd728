"""What the parser answers, on every engine and under other names; the cases are in asked.tsv."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agents.parser.conftest import NO_NAMES, OPEN, ward_pairs, ward_statements
from tests.ehr.database.engines import ENGINES, made_database, needs
from wardround.agents.parser import Parser, load, save, train
from wardround.core.errors import UserError
from wardround.ehr.database import Database, open_database
from wardround.ehr.times import with_words

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
    for line in Path(__file__).with_name("asked.tsv").read_text().splitlines()
    if not line.startswith("#")
]


@dataclass(frozen=True)
class Taught:
    """A parser that was taught on an engine's database."""

    database: Database
    parser: Parser


@pytest.fixture(scope="module")
def taught_there(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Taught]:
    engine, names = request.param
    folder = tmp_path_factory.mktemp("asked")
    with made_database(engine, folder, ward_statements(names)) as location:
        database = open_database(location)
        yield Taught(database, train(ward_pairs(engine, names), database, words=OPEN))
        database.close()


_WHERE = [
    *(pytest.param((engine, NO_NAMES), id=engine, marks=needs(engine)) for engine in ENGINES),
    pytest.param(("sqlite", RENAMED), id="renamed"),
]


@pytest.mark.parametrize(("question", "expected"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("taught_there", _WHERE, indirect=True, scope="module")
def test_it_answers_as_specified(question: str, expected: str, taught_there: Taught) -> None:
    parsed = taught_there.parser.answer(question)
    if parsed.doubts:
        assert f"{parsed.doubts[0].kind}: {parsed.doubts[0].about}" == expected
        assert parsed.sql is None
    elif expected == "refused":
        assert parsed.sql is None
    else:
        assert parsed.guess is not None
        found = taught_there.database.execute(with_words(parsed.guess, OPEN)).rows
        assert " | ".join(str(cell) for row in found for cell in row) == expected


def test_a_parser_of_one_engine_is_not_laid_on_another(parser: Parser, tmp_path: Path) -> None:
    save(parser, tmp_path / "model")
    with made_database("duckdb", tmp_path, ward_statements()) as location:
        other = open_database(location)
        with pytest.raises(UserError, match=r"on duckdb, .* SQL of sqlite; train one"):
            load(tmp_path / "model", other)
        other.close()


def test_a_choice_is_a_query_of_its_own(parser: Parser, ward: Database) -> None:
    (doubt,) = parser.answer("What was the last vancomycin of patient 10004?").doubts
    assert [choice.name for choice in doubt.choices] == ["vancomycin (peak)", "vancomycin (trough)"]
    assert [ward.execute(choice.sql).rows for choice in doubt.choices] == [[(3.5,)], [(3.6,)]]


def test_other_names_are_told_and_less_sure(parser: Parser) -> None:
    brand = parser.answer("How many times was Coumadin prescribed?")
    exact = parser.answer("How many times was warfarin prescribed?")
    assert "Drug: \"Coumadin\", understood as warfarin: 'warfarin'" in brand.explanation
    assert brand.guess == exact.guess
    assert brand.confidence < exact.confidence
