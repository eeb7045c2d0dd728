"""`wardround ask` on databases without questions to learn from: the record map is enough."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import duckdb
import pytest

from tests.apps.commands import Cli
from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.hospitals import hospital_file
from wardround.agents.parser.answers import RecordAnswerer
from wardround.agents.parser.grammar.grammar import grammar_of
from wardround.agents.parser.grammar_file import StoredGrammar
from wardround.agents.parser.records_source import records
from wardround.ehr.database import open_database

CASES = [
    line.split("\t")
    for line in Path(__file__).with_name("mapped_questions.tsv").read_text().splitlines()
    if line and not line.startswith("#")
]
WARD = """\
layout = "ours"

[written."patient.sex"]
female = ["f"]
male = ["m"]

[patient]
from = "people"
columns = { patient = "no", sex = "sex" }

[drug]
from = "orders"
columns = { patient = "person", time = "ordered", name = "drug" }
"""
STATEMENTS = (
    "CREATE TABLE people (no INTEGER, sex TEXT)",
    "CREATE TABLE orders (person INTEGER, ordered TIMESTAMP, drug TEXT)",
    *(f"INSERT INTO people VALUES ({n}, '{'fm'[n % 2]}')" for n in range(1, 31)),
    *(f"INSERT INTO orders VALUES ({n}, '2101-02-03', 'Heparin')" for n in range(1, 26)),
)


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module", autouse=True)
def _answerers() -> Iterator[None]:
    yield
    answerer_of.cache_clear()


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "map.toml").write_text(WARD)
    with made_database("duckdb", tmp_path, STATEMENTS) as location:
        yield location


@cache
def answerer_of(path: Path) -> RecordAnswerer:
    """The answerer that `ask` opens, without its cache."""
    pairs = records(str(path), 0)
    assert pairs.records
    with closing(open_database(path)) as database:
        return RecordAnswerer(StoredGrammar(grammar_of(pairs.records, database), pairs.words))


def hospital(layout: str) -> Path:
    return hospital_file(layout, 8, seed=3)


@pytest.mark.parametrize("layout", sorted({case[0] for case in CASES}))
def test_questions_of_a_layout(layout: str) -> None:
    path = hospital(layout)
    answerer = answerer_of(path)
    with closing(open_database(path)) as database:
        for question, truth in (case[1:] for case in CASES if case[0] == layout):
            answer = answerer.answer(question)
            if truth.startswith("SELECT"):
                assert answer.refused == (), question
                found = database.execute(answer.sql or "", rows=None)
                rows = database.execute(truth, rows=None).rows
                assert sorted(map(str, found.rows)) == sorted(map(str, rows)), question
                assert len(answer.columns) == len(found.columns)
            else:
                assert truth in " ".join(answer.refused), question
                assert answer.sql is None


def test_a_vocabulary_without_ancestors_and_synonyms_is_read(tmp_path: Path) -> None:
    path = Path(shutil.copy(hospital("omop_5_4"), tmp_path / "omop.duckdb"))
    question = next(case[1] for case in CASES if "furosemide" in case[1] and case[0] == "omop_5_4")
    whole = answerer_of(hospital("omop_5_4")).answer(question)
    with closing(duckdb.connect(str(path))) as made:
        made.execute("DROP TABLE concept_ancestor")
        made.execute("DROP TABLE concept_synonym")
    answer = answerer_of(path).answer(question)
    assert answer.sql
    assert answer.sql == whole.sql


@pytest.mark.parametrize("engine", [pytest.param(each, marks=needs(each)) for each in ENGINES])
def test_own_tables_are_asked_by_their_map(engine: str, tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "map.toml").write_text(WARD)
    with made_database(engine, tmp_path, STATEMENTS) as location:
        words = ("ask", "--database", location, "--map", tmp_path / "map.toml")
        ran = cli(*words, "How many women were given heparin?")
    assert ran.code == 0
    assert "Female." in ran.out
    assert ran.out.splitlines()[-2:] == ["patients", "12"]


def test_the_grammar_is_read_once_until_the_map_changes(
    ward: str, tmp_path: Path, cli: Cli
) -> None:
    words = ("ask", "--database", ward, "--map", tmp_path / "map.toml", "How many men are there?")
    first, again = cli(*words), cli(*words, "--penalty", "5")
    assert "reading" in first.err
    assert "reading" not in again.err
    assert "so --penalty changes nothing" in again.err
    assert first.out.splitlines()[-1] == again.out.splitlines()[-1] == "15"
    (tmp_path / "map.toml").write_text(WARD.replace('male = ["m"]', 'male = ["x"]'))
    assert cli(*words).out.splitlines()[-1] == "0"


def test_an_answer_names_its_columns_and_says_if_it_is_cut_off_or_empty(
    ward: str, tmp_path: Path, cli: Cli
) -> None:
    asked = ("Which patients were given heparin?", "Which patients were given heparin in 2100?")
    (tmp_path / "asked.txt").write_text("\n".join(asked))
    words = ("ask", "--database", ward, "--map", tmp_path / "map.toml")
    shown = cli(*words, "--questions", tmp_path / "asked.txt").out.splitlines()
    assert shown[5] == "patient"
    assert shown[26] == "The answer is cut off: these are its first 20 rows."
    assert shown[-1].startswith("The answer is empty")


@pytest.mark.parametrize(
    ("statements", "of_map", "complaint"),
    [
        (STATEMENTS[:2], True, "has no patient, so there is nothing to ask"),
        (STATEMENTS, False, "has tables of its own; propose a record map"),
        (STATEMENTS[1:2], True, "map.toml, line 8: 'patient' names no table of yours: people."),
    ],
)
def test_a_database_that_cannot_be_asked_is_one_sentence(
    statements: tuple[str, ...], of_map: bool, complaint: str, tmp_path: Path, cli: Cli
) -> None:
    (tmp_path / "map.toml").write_text(WARD)
    with duckdb.connect(str(tmp_path / "small.duckdb")) as made:
        for statement in statements:
            made.execute(statement)
    words = ["ask", "--database", tmp_path / "small.duckdb", "How many women are there?"]
    ran = cli(*words, *(["--map", tmp_path / "map.toml"] if of_map else []))
    assert (ran.code, ran.out) == (2, "")
    (error,) = ran.err.splitlines()
    assert complaint in error
