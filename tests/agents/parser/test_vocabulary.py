"""Names are linked by the record's own synonyms and classes; what is counted is shown."""

from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest

from wardround.agents.parser.grammar.grammar import Composed, Grammar, grammar_of
from wardround.ehr.database import Database, open_database
from wardround.ehr.records import parse_map, present_kinds

MAP = """\
layout = "ours"

[written."patient.sex"]
female = ["f"]
male = ["m"]

[patient]
from = "people"
columns = { patient = "no", sex = "sex", birth = { sql = "born", precision = "day" } }

[diagnosis]
from = "found"
columns = { patient = "person", time = { sql = "seen", precision = "day" }, name = "what" }

[procedure]
from = "done"
columns = { patient = "person", time = { sql = "seen", precision = "day" }, name = "what" }

[synonym]
from = "terms"
columns = { name = "what", other = "other" }

[class]
from = "classes"
columns = { name = "what", broader = "broader" }
"""
STATEMENTS = (
    "CREATE TABLE people (no INTEGER, sex TEXT, born DATE)",
    "INSERT INTO people VALUES (1, 'f', '1940-06-15'), (2, 'f', '1950-01-01'), "
    "(3, 'm', '1940-01-01'), (4, 'f', '1939-01-01')",
    "CREATE TABLE found (person INTEGER, seen DATE, what TEXT)",
    "INSERT INTO found VALUES (1, '2000-06-14', 'Closed fracture of hip'), "
    "(2, '2000-06-14', 'Fracture of rib'), (3, '2001-01-01', 'Fracture of rib'), "
    "(4, '2001-01-01', 'Bruise without fracture'), (4, '2002-01-01', 'Viral sinusitis'), "
    "(1, '2003-01-01', 'Bruise'), (2, '2003-01-01', 'Bruise of eye')",
    "CREATE TABLE done (person INTEGER, seen DATE, what TEXT)",
    "INSERT INTO done VALUES (1, '2000-06-15', 'Radiography of hip'), "
    "(2, '2000-06-14', 'Plain X-ray of chest'), (3, '2000-12-31', 'Plain X-ray of chest')",
    "CREATE TABLE terms (what TEXT, other TEXT)",
    "INSERT INTO terms VALUES ('Radiography of hip', 'Hip X-ray')",
    "CREATE TABLE classes (what TEXT, broader TEXT)",
    "INSERT INTO classes VALUES ('Viral sinusitis', 'Disease of nose'), "
    "('Bruise of eye', 'Bruise')",
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("terms") / "small.duckdb"
    with duckdb.connect(str(path)) as made:
        for statement in STATEMENTS:
            made.execute(statement)
    with closing(open_database(path)) as opened:
        yield opened


@pytest.fixture(scope="module")
def grammar(database: Database) -> Grammar:
    columns = {t: [column.name for column in database.columns(t)] for t in database.tables()}
    return grammar_of(present_kinds(parse_map(MAP, "map.toml"), columns), database)


def answer(question: str, grammar: Grammar, database: Database) -> tuple[object, str]:
    composed = grammar.compose(question)
    assert isinstance(composed, Composed), question
    sql = composed.sql.replace("CURRENT_TIME", "'2010-01-01'")
    found = database.execute(sql).rows
    return found[0][0], " ".join((*composed.understood, *composed.linked))


def test_a_part_stands_for_all_names_with_it_in_their_head(
    grammar: Grammar, database: Database
) -> None:
    count, reading = answer("How many patients had a fracture?", grammar, database)
    assert count == 3
    assert "\"fracture\" stands for 'Fracture of rib', 'Closed fracture of hip'." in reading
    assert "Not counted, though \"fracture\" is a part: 'Bruise without fracture'." in reading


def test_a_synonym_is_a_name(grammar: Grammar, database: Database) -> None:
    count, reading = answer("How many patients had an x-ray?", grammar, database)
    assert count == 3
    assert "'Radiography of hip' (also called 'Hip X-ray')" in reading


def test_a_class_stands_for_what_is_in_it(grammar: Grammar, database: Database) -> None:
    count, reading = answer("How many patients had a disease of nose?", grammar, database)
    assert count == 1
    assert "\"disease of nose\" stands for 'Viral sinusitis'" in reading


def test_the_same_day_is_after_and_before_where_times_are_days(
    grammar: Grammar, database: Database
) -> None:
    count, reading = answer("How many patients had an x-ray after a fracture?", grammar, database)
    assert count == 2
    assert "after or on the same day as being diagnosed" in reading
    count, _ = answer("How many patients had an x-ray before a fracture?", grammar, database)
    assert count == 2


def test_an_age_is_that_at_the_event(grammar: Grammar, database: Database) -> None:
    asked = "How many women over 59 had {}?"
    count, reading = answer(asked.format("an x-ray"), grammar, database)
    assert count == 1
    assert "at an age > 59" in reading
    assert answer(asked.format("a fracture"), grammar, database)[0] == 0


def test_an_age_without_an_event_is_that_of_now(grammar: Grammar, database: Database) -> None:
    count, reading = answer("How many women are over 68?", grammar, database)
    assert count == 2
    assert "Aged > 68 now or at death" in reading


def test_a_negated_age_is_the_opposite(grammar: Grammar, database: Database) -> None:
    count, reading = answer("How many patients not over 60 had a fracture?", grammar, database)
    assert (count, "at an age <= 60" in reading) == (2, True)


def test_a_class_includes_the_name_that_is_recorded(grammar: Grammar, database: Database) -> None:
    count, reading = answer("How many patients had a bruise?", grammar, database)
    assert count == 2
    assert "'Bruise', 'Bruise of eye'" in reading
