"""Roles that a question gives its parts are in the query and in its reading, or it is refused."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings

from tests.agents.parser.probes.hospitals import make_hospital
from tests.agents.parser.probes.test_any_question import NOW, QUESTIONS, grammar_of
from tests.agents.parser.probes.test_probes import FOLDER
from wardround.agents.parser.grammar.grammar import Composed, Grammar
from wardround.ehr.database import Database, open_database
from wardround.ehr.times import substitute_words


def lines(name: str) -> list[tuple[str, str]]:
    text = (FOLDER / name).read_text().splitlines()[1:]
    return [(first, second) for first, second in (line.split("\t") for line in text)]


@pytest.fixture(scope="module")
def hospital() -> Iterator[tuple[Grammar, Database]]:
    with closing(open_database(make_hospital("iv"))) as database:
        yield grammar_of(database), database


@pytest.mark.parametrize(("first", "second"), lines("pairs.tsv"))
def test_pair_has_two_queries_and_two_readings(
    hospital: tuple[Grammar, Database], first: str, second: str
) -> None:
    grammar, database = hospital
    one, other = grammar.compose(first), grammar.compose(second)
    assert isinstance(one, Composed)
    assert isinstance(other, Composed)
    assert one.sql != other.sql
    assert one.understood != other.understood
    for composed in (one, other):
        database.execute(substitute_words(composed.sql, NOW), rows=1)


@pytest.mark.parametrize(("question", "words"), lines("open_roles.tsv"))
def test_open_role_is_refused_by_its_word(
    hospital: tuple[Grammar, Database], question: str, words: str
) -> None:
    refused = hospital[0].compose(question)
    assert not isinstance(refused, Composed)
    found = refused.reading.words
    named = [" ".join(w.text for w in found[i.first : i.last]) for i in refused.items]
    assert any(name in words for name in named)


def test_sequence_agrees_with_the_rows(hospital: tuple[Grammar, Database]) -> None:
    grammar, database = hospital
    composed = grammar.compose("How many patients were given heparin after furosemide?")
    assert isinstance(composed, Composed)
    sql = (
        "SELECT COUNT(DISTINCT a.subject_id) FROM prescriptions a JOIN prescriptions b"
        " ON a.subject_id = b.subject_id WHERE a.drug = 'heparin' AND b.drug = 'furosemide'"
        " AND a.starttime > b.starttime"
    )
    assert database.execute(composed.sql).rows == database.execute(sql).rows


READ: dict[tuple[str, ...], str] = {}


@given(QUESTIONS)
@settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_equal_readings_are_of_equal_queries(
    hospital: tuple[Grammar, Database], question: str
) -> None:
    composed = hospital[0].compose(question)
    if isinstance(composed, Composed):
        assert READ.setdefault(composed.understood, composed.sql) == composed.sql
