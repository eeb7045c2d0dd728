"""A small ward whose questions a parser learns from in a second, on any engine."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.ehr.database.engines import made_database
from wardround.agents.parser import Pair, Parser, TrainingPairs, train
from wardround.apps.command_line.main import app
from wardround.ehr.database import Database, Dialect, open_database
from wardround.ehr.times import TimeFilter, condition, time_filter

NO_NAMES: Mapping[str, str] = {}
OPEN = {"current_time": "'2105-12-31 23:59:00'"}

# The pairs name the first few; the others are only in the records.
DRUGS = (
    *("aspirin", "insulin", "heparin sodium", "furosemide", "0.9% sodium chloride"),
    *("warfarin", "metoprolol tartrate", "metoprolol succinate xl"),
)
TESTS = (
    *("glucose", "white blood cells", "calcium, total", "lactate"),
    *("urea nitrogen", "vancomycin (peak)", "vancomycin (trough)"),
)

_OF_PATIENT = "admissions.hadm_id FROM admissions WHERE admissions.subject_id = {patient}"
_COUNT = "SELECT COUNT(*) FROM prescriptions WHERE prescriptions.drug = '{drug}'{time}"
_HAD = (
    "SELECT COUNT(*)>0 FROM prescriptions WHERE prescriptions.hadm_id IN ( SELECT "
    f"{_OF_PATIENT} ) AND prescriptions.drug = '{{drug}}'{{time}}"
)
_LAST = (
    f"SELECT labevents.valuenum FROM labevents WHERE labevents.hadm_id IN ( SELECT {_OF_PATIENT} ) "
    "AND labevents.label = '{test}'{lab_time} ORDER BY labevents.charttime DESC LIMIT 1"
)
_WORDINGS = {
    _COUNT: (
        "How many times was {drug} prescribed{said}?",
        "Count the prescriptions of {drug}{said}.",
        "What is the number of {drug} prescriptions{said}?",
    ),
    _HAD: (
        "Was patient {patient} prescribed {drug}{said}?",
        "Did patient {patient} receive {drug}{said}?",
        "Has patient {patient} been given {drug}{said}?",
    ),
    _LAST: (
        "What was the last {test} of patient {patient}{said}?",
        "Tell me the {test} last measured for patient {patient}{said}.",
    ),
}
_TIMES = {
    "": None,
    " since 2104": time_filter("abs-year-since", year=2104),
    " in 2105": time_filter("abs-year-in", year=2105),
    " last month": time_filter("rel-month-last"),
}
_REFUSED = (
    "What is the phone number of patient {patient}?",
    "Who is the doctor of patient {patient}?",
    "Which side effects does {drug} have?",
    "May patient {patient} be discharged tomorrow?",
)


def ward_pairs(dialect: Dialect = "sqlite", names: Mapping[str, str] = NO_NAMES) -> list[Pair]:
    """Every wording with several values and times.

    Args:
        dialect: whose SQL to write.
        names: other names of tables and columns.
    """

    def time(filter: TimeFilter | None, column: str) -> str:
        return f" AND {condition(filter, column, dialect)}" if filter else ""

    pairs = []
    for sql, wordings in _WORDINGS.items():
        for at, wording in enumerate(wordings):
            for turn, (item, filter) in enumerate(_TIMES.items()):
                for step in range(4):
                    n = 5 * at + 3 * turn + step
                    values = {
                        "patient": 10001 + n % 20,
                        "drug": DRUGS[n % 5],
                        "test": TESTS[n % 4],
                        "said": item,
                        "time": time(filter, "prescriptions.starttime"),
                        "lab_time": time(filter, "labevents.charttime"),
                    }
                    written = named(sql.format(**values), names)
                    pairs.append(Pair(wording.format(**values), written))
    for wording in _REFUSED:
        for n in range(12):
            asked = wording.format(patient=10001 + n, drug=DRUGS[n % 5])
            pairs.append(Pair(asked, None))
    return pairs


@pytest.fixture(scope="session")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Twenty patients, their drugs and laboratory values."""
    with made_database("sqlite", tmp_path_factory.mktemp("ward"), ward_statements()) as location:
        database = open_database(location)
        yield database
        database.close()


@pytest.fixture(scope="session")
def training() -> TrainingPairs:
    """The pairs that the parser learns from."""
    return TrainingPairs(ward_pairs(), words=OPEN)


@pytest.fixture(scope="session")
def parser(ward: Database, training: TrainingPairs) -> Parser:
    """A parser of the ward."""
    return train(training, ward)


def ward_statements(names: Mapping[str, str] = NO_NAMES) -> list[str]:
    """The statements that create the ward, in the SQL of every engine."""
    return [named(statement, names) for statement in _statements()]


def _statements() -> Iterator[str]:
    yield "CREATE TABLE admissions (subject_id INTEGER, hadm_id INTEGER)"
    yield "CREATE TABLE prescriptions (hadm_id INTEGER, drug TEXT, starttime TIMESTAMP)"
    yield (
        "CREATE TABLE labevents "
        "(hadm_id INTEGER, label TEXT, valuenum DOUBLE PRECISION, charttime TIMESTAMP)"
    )
    for n in range(20):
        yield f"INSERT INTO admissions VALUES ({10001 + n}, {500 + n})"
        for at, drug in enumerate(DRUGS):
            when = f"210{3 + (n + at) % 3}-11-{1 + n:02} 08:00:00"
            yield f"INSERT INTO prescriptions VALUES ({500 + n}, '{drug}', '{when}')"
        for at, test in enumerate(TESTS):
            when = f"210{4 + (n + at) % 2}-11-{1 + n:02} 09:00:00"
            yield f"INSERT INTO labevents VALUES ({500 + n}, '{test}', {n + at / 10}, '{when}')"


def named(sql: str, names: Mapping[str, str]) -> str:
    """The SQL with other names of tables and columns."""
    return re.sub(r"'[^']*'|\w+", lambda word: names.get(word[0], word[0]), sql)


@pytest.fixture(scope="module")
def lessons(training: TrainingPairs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ward's pairs in the published form."""
    folder = tmp_path_factory.mktemp("lessons")
    data = [{"id": str(n), "question": pair.question} for n, pair in enumerate(training.pairs)]
    labels = {str(n): pair.sql or "null" for n, pair in enumerate(training.pairs)}
    (folder / "data.json").write_text(json.dumps({"version": "ward", "data": data}))
    (folder / "label.json").write_text(json.dumps(labels))
    return folder


@pytest.fixture(scope="module")
def trained(ward: Database, lessons: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser's file, made by the command."""
    path = tmp_path_factory.mktemp("trained") / "parser.model"
    words = ["train", "parser", "--tasks", str(lessons), "--database", ward.url]
    ran = CliRunner().invoke(app, [*words, "--made", "0", "--to", str(path)])
    assert ran.exit_code == 0, ran.output
    assert "3 kinds of questions" in ran.stdout
    return path
