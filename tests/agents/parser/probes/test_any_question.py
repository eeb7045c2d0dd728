"""No text that is asked raises, on any layout, with records or without; queries run."""

import gzip
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents.parser.probes.hospitals import make_hospital
from tests.ehr.records.six_tables import build_six_tables
from tests.hospitals import hospital_file
from wardround.agents.parser import Parser
from wardround.agents.parser.answers import Answerer
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.grammar.grammar import Composed, Grammar, read_grammar
from wardround.agents.parser.grammar.grammar import grammar_of as of_records
from wardround.agents.parser.grammar.lexicon import lexicon
from wardround.ehr.database import Database, open_database
from wardround.ehr.query import to_words
from wardround.ehr.records import parse_map, present_kinds
from wardround.ehr.records.proposal import map_text, propose
from wardround.ehr.schema import create_statements, load_schema
from wardround.ehr.times import substitute_words

NOW = {"current_time": "'2100-12-31 23:59:00'"}
RELEASED = sorted((Path(__file__).parents[5] / "shared/data").glob("*/mimic_iv.sqlite.gz"))
PHRASES = [" ".join(phrase) for phrase in sorted(lexicon())]
STARTS = (
    *("how many patients", "which patients", "what drugs did patients get", "did any patient"),
    *("when was the first", "what is the average", "list the", "percentage of patients", ""),
)
LINKS = (
    *("with", "after", "before", "and never", "over 65 with", "in the icu with", "and died after"),
    *("above 5", "within 30 days of", "more than twice", "in 2105 with", "or", "per", "by", "for"),
)
WORDS = st.one_of(
    st.sampled_from(PHRASES),
    st.sampled_from(
        ["in 2100", "since last year", "before june 2100", "10040675", "65", "0", "-3"]
    ),
    st.text(max_size=12),
)
QUESTIONS = st.one_of(
    st.builds(
        lambda first, rest: " ".join([first, *rest]),
        st.sampled_from(STARTS),
        st.lists(WORDS, max_size=6),
    ),
    st.lists(WORDS, max_size=12).map(" ".join),
    st.text(max_size=80),
    st.sampled_from(PHRASES).map(lambda phrase: f"{phrase} " * 400),
)
# Questions of a column without the record's name, of every attribute that lay words stand for.
ATTRIBUTES = (
    "How many patients were given drugs by mouth?",
    "How many patients received any drug intravenously?",
    "How many oral prescriptions were there in 2100?",
    "Which patients were never given an intravenous drug?",
)
LAYOUTS = (
    "iv",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("star", "iii", "eicu")),
)
RELEASES = (
    "omop_5_4",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("mimic_iv", "mimic_iii", "eicu")),
)
PREPARED = (
    *("ehrsql_eicu", "mimic_iv_star"),
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("ehrsql_mimic_iii", "ehrsql_mimic_iv", "eicu_star")
    ),
)


@pytest.fixture(scope="module", params=LAYOUTS)
def hospital(request: pytest.FixtureRequest) -> Iterator[tuple[Grammar, Database]]:
    with closing(open_database(make_hospital(request.param))) as database:
        yield grammar_of(database), database


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> Iterator[tuple[Grammar, Database]]:
    """A hospital in the layout of a release, which the grammar alone reads."""
    with closing(open_database(hospital_file(request.param, 8, seed=3))) as database:
        yield grammar_of(database), database


@pytest.fixture(scope="module")
def own_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Grammar, Database]]:
    """Tables of a hospital's own, by the map that is proposed for them."""
    path = tmp_path_factory.mktemp("own") / "own.duckdb"
    build_six_tables(path)
    with closing(open_database(path)) as database:
        records = parse_map(map_text(propose(database), "own"), "own.toml")
        columns = {t: [c.name for c in database.columns(t)] for t in database.tables()}
        yield of_records(present_kinds(records, columns), database), database


@pytest.fixture(scope="module", params=PREPARED)
def empty(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Grammar, Database]]:
    path = tmp_path_factory.mktemp("empty") / "empty.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in create_statements(load_schema(request.param)):
            connection.execute(statement)
    with closing(open_database(path)) as database:
        yield grammar_of(database), database


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Grammar, Database]]:
    if not RELEASED:
        pytest.skip("no ../shared/data: the released database is not asked")
    path = tmp_path_factory.mktemp("released") / "mimic_iv.sqlite"
    with gzip.open(RELEASED[0]) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    with closing(open_database(path)) as database:
        yield grammar_of(database), database


def grammar_of(database: Database) -> Grammar:
    grammar = read_grammar(column_types(database), database)
    assert grammar is not None
    return grammar


def ask(question: str, grammar: Grammar, database: Database) -> bool:
    """Compose and run a question; True if it was composed."""
    composed = grammar.compose(question)
    if not isinstance(composed, Composed):
        return False
    assert composed.understood == to_words(composed.query)
    database.execute(substitute_words(composed.sql, NOW), rows=1)
    return True


@given(QUESTIONS)
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_text_raises(hospital: tuple[Grammar, Database], question: str) -> None:
    ask(question, *hospital)


@given(QUESTIONS)
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_text_raises_on_a_release(release: tuple[Grammar, Database], question: str) -> None:
    ask(question, *release)


@given(st.data())
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_question_with_recorded_names_raises(
    release: tuple[Grammar, Database], data: st.DataObject
) -> None:
    texts = sorted(
        f"{role.kind} {text}" if role.column in ("patient", "admission", "stay") else text
        for role, each in release[0].texts.items()
        for text in each[:15]
    )
    asked = st.builds(
        lambda start, parts: " ".join([start, *(f"{link} {name}" for link, name in parts)]),
        st.sampled_from(STARTS),
        st.lists(st.tuples(st.sampled_from(LINKS), st.sampled_from(texts)), min_size=1, max_size=3),
    )
    ask(data.draw(asked), *release)


@given(QUESTIONS)
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_text_raises_on_own_tables(own_tables: tuple[Grammar, Database], question: str) -> None:
    ask(question, *own_tables)


@given(QUESTIONS)
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_text_raises_on_empty_tables(empty: tuple[Grammar, Database], question: str) -> None:
    ask(question, *empty)


@given(QUESTIONS)
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_text_raises_on_the_released_database(
    released: tuple[Grammar, Database], question: str
) -> None:
    ask(question, *released)


@pytest.mark.parametrize("question", ATTRIBUTES)
def test_attribute_without_a_name_is_answered(
    hospital: tuple[Grammar, Database], question: str
) -> None:
    assert ask(question, *hospital)


@pytest.mark.parametrize("question", ATTRIBUTES)
def test_attribute_without_a_name_on_the_released_database(
    released: tuple[Grammar, Database], question: str
) -> None:
    ask(question, *released)


@given(st.one_of(st.text(max_size=60), QUESTIONS))
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_text_raises_in_a_trained_parser(ward: Database, parser: Parser, question: str) -> None:
    answer = Answerer(parser, ward).answer(question)
    assert answer.understood
    assert (answer.sql is None) == bool(answer.refused)
