"""A map and a database are held against each other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.cases import one_in
from tests.ehr.database.engines import ENGINES, made_database, needs
from wardround.ehr.database import open_database
from wardround.ehr.records import MapFacts, examine_records, parse_map

TABLES = [
    "CREATE TABLE people (no INTEGER, sex TEXT)",
    "CREATE TABLE stays (id INTEGER, person INTEGER, came TIMESTAMP, went TIMESTAMP)",
    "CREATE TABLE results (stay INTEGER, person INTEGER, taken TIMESTAMP, test TEXT, result TEXT)",
    "INSERT INTO people VALUES (1, 'f'), (2, 'm')",
    "INSERT INTO stays VALUES (10, 1, '2100-01-01 08:00:00', '2100-01-05 08:00:00'),"
    " (11, 2, '2100-02-01 08:00:00', NULL)",
    "INSERT INTO results VALUES (10, 1, '2100-01-02 08:00:00', 'lactate', '1.2'),"
    " (10, 1, '2100-01-06 07:00:00', 'lactate', '2.0'),"
    " (10, 1, '2100-01-06 09:00:00', 'lactate', 'low'),"
    " (11, 3, '2100-01-30 08:00:00', 'lactate', '3')",
]
MAP = """layout = "ours"

[patient]
from = "people"
columns = { patient = "no", sex = "sex" }

[admission]
from = "stays"
columns = { patient = "person", admission = "id", time = "came", finish = "went" }

[lab]
from = "results"
columns = { patient = "person", admission = "stay", time = "taken", name = "test", text = "result" }
"""


@pytest.fixture(params=[pytest.param(engine, marks=needs(engine)) for engine in ENGINES])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with made_database(request.param, tmp_path, TABLES) as made:
        yield made


def examined(location: str, text: str) -> MapFacts:
    database = open_database(location)
    try:
        return examine_records(parse_map(text, "map.toml"), database, text, "map.toml")
    finally:
        database.close()


def test_records_are_counted_with_those_of_nobody_and_outside_their_stay(location: str) -> None:
    facts = examined(location, MAP)
    counted = {e.kind: (e.records, e.patients, e.without_patient, e.outside) for e in facts.kinds}
    # A day before or after the stay is allowed, so 25 hours after its end and 48 before its start
    # are outside, and 23 hours after its end are not.
    assert counted == {
        "patient": (2, 2, 0, None),
        "admission": (2, 2, 0, None),
        "lab": (4, 2, 1, 2),
    }
    assert facts.faults == ("map.toml, line 11: 1 of 4 rows of 'lab' are of nobody.",)
    assert "icu" in facts.absent


WRONG = [
    ('"test"', '"tests"', "map.toml, line 13: 'lab' names a column that results has not: tests."),
    ('"results"', '"labs"', "map.toml, line 12: 'lab' names no table of yours: labs."),
    ('text = "result"', 'value = "result"', "map.toml, line 11: column 'value' of 'lab' must be"),
    ('time = "taken"', 'time = "test"', "map.toml, line 11: column 'time' of 'lab' must be a time"),
    ('"people"', '"people JOIN stays ON stays.person = people.no OR 1 = 1"', "'patient' has 4"),
    ('from = "people"', 'from = "people"\nwhere = "no > 9"', "the kind 'patient' has no rows, so"),
    (
        'time = "taken"',
        "time = \"CAST(taken AS VARCHAR) || '+02:00'\"",
        "map.toml, line 11: column 'time' of 'lab' has a time zone;",
    ),
    (
        "[lab]",
        '[visit]\nfrom = "stays"\ncolumns = { patient = "person", visit = "id" }\n\n[lab]',
        "map.toml, line 12: 'visit' has the rows and the key of 'admission', stays.id.",
    ),
    (
        'from = "results"',
        'from = "results JOIN stays ON stays.person = people.no JOIN people ON people.no = 1"',
        "map.toml, line 12: the join of stays needs people, which follows.",
    ),
    ("[patient]", "[hospital]", "line 5: 'hospital' has no column"),
]


@pytest.mark.parametrize(("old", "new", "fault"), one_in(3, WRONG))
def test_what_does_not_fit_is_said_with_its_line(
    tmp_path: Path, cli: Cli, old: str, new: str, fault: str
) -> None:
    with made_database("duckdb", tmp_path, TABLES) as made:
        path = tmp_path / "map.toml"
        path.write_text(MAP.replace(old, new), encoding="utf-8")
        ran = cli("doctor", made, "--map", path)
    assert ran.code
    assert fault in (ran.out + ran.err).replace(str(path), "map.toml")
    assert not {"Traceback", "lactate"} & {*ran.err.split(), *ran.out.split()}


def test_a_table_without_its_header_is_named_once(tmp_path: Path) -> None:
    headless = ["DROP TABLE results", "CREATE TABLE results (column0 TEXT, column1 TEXT)"]
    with made_database("duckdb", tmp_path, [*TABLES, *headless]) as made:
        facts = examined(made, MAP)
    assert "lab" in facts.absent
    named = [fault for fault in facts.faults if "results" in fault]
    assert named == ["map.toml, line 12: 'lab' names results, which was read without its header."]


@pytest.mark.parametrize("engine", [pytest.param(name, marks=needs(name)) for name in ENGINES])
def test_doctor_reads_a_map_on_each_engine_by_its_location(
    engine: str, tmp_path: Path, cli: Cli
) -> None:
    path = tmp_path / "map.toml"
    path.write_text(MAP, encoding="utf-8")
    with made_database(engine, tmp_path, [*TABLES, "DELETE FROM results"]) as made:
        ran = cli("doctor", made, "--map", path)
    assert (ran.code, ran.err) == (0, "")
    assert "Not in this layout: visit, icu, transfer, death, diagnosis, procedure, drug" in ran.out
    assert " lab," in ran.out.splitlines()[-1]


def test_a_database_without_patients_is_one_sentence(location: str) -> None:
    text = MAP.replace('from = "people"', 'from = "people"\nwhere = "no > 9"')
    said = "map.toml, line 3: the kind 'patient' has no rows, so no record belongs to anybody."
    assert examined(location, text).faults == (said,)
    without = MAP.replace(MAP[MAP.index("[patient]") : MAP.index("[admission]")], "")
    said = "map.toml, line 1: there is no kind 'patient', so no record belongs to anybody."
    assert examined(location, without).faults == (said,)


def test_doctor_prints_the_kinds_and_what_is_absent(tmp_path: Path, cli: Cli) -> None:
    with made_database("duckdb", tmp_path, [*TABLES, "DELETE FROM results WHERE person = 3"]) as db:
        path = tmp_path / "map.toml"
        path.write_text(MAP, encoding="utf-8")
        ran = cli("doctor", db, "--map", path)
        as_json = cli("doctor", db, "--map", path, "--json")
    assert ran.code == as_json.code == 0
    assert ran.out.splitlines()[4].split()[:4] == ["lab", "3", "1", "1"]
    assert "Not in this layout: visit, icu," in ran.out
    assert '"faults": []' in as_json.out
