"""A small ward whose questions a parser learns from in a second."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from wardround.agents.parser import Pair, Parser, train
from wardround.ehr.database import Database, open_database

OPEN = {"current_time": "'2105-12-31 23:59:00'"}

DRUGS = ("aspirin", "insulin", "heparin sodium", "furosemide", "0.9% sodium chloride", "warfarin")
TESTS = ("glucose", "white blood cells", "calcium, total", "lactate", "urea nitrogen")

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
    "": "",
    " since 2104": " AND strftime('%Y',{column}) >= '2104'",
    " in 2105": " AND strftime('%Y',{column}) = '2105'",
    " last month": (
        " AND datetime({column},'start of month') = datetime(current_time,'start of month',"
        "'-1 month')"
    ),
}
_REFUSED = (
    "What is the phone number of patient {patient}?",
    "Who is the doctor of patient {patient}?",
    "Which side effects does {drug} have?",
    "May patient {patient} be discharged tomorrow?",
)


def ward_pairs() -> list[Pair]:
    """Every wording with several values and times."""
    pairs = []
    for sql, wordings in _WORDINGS.items():
        for at, wording in enumerate(wordings):
            for turn, (said, time) in enumerate(_TIMES.items()):
                for step in range(4):
                    n = 5 * at + 3 * turn + step
                    values = {
                        "patient": 10001 + n % 20,
                        "drug": DRUGS[n % 5],
                        "test": TESTS[n % 4],
                        "said": said,
                        "time": time.format(column="prescriptions.starttime"),
                        "lab_time": time.format(column="labevents.charttime"),
                    }
                    pairs.append(Pair(wording.format(**values), sql.format(**values)))
    for wording in _REFUSED:
        for n in range(12):
            asked = wording.format(patient=10001 + n, drug=DRUGS[n % 5])
            pairs.append(Pair(asked, None))
    return pairs


@pytest.fixture(scope="session")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Twenty patients, their drugs and laboratory values."""
    path = tmp_path_factory.mktemp("ward") / "ward.sqlite"
    _fill(path)
    database = open_database(str(path))
    yield database
    database.close()


@pytest.fixture(scope="session")
def taught() -> list[Pair]:
    """The pairs that the parser learns from."""
    return ward_pairs()


@pytest.fixture(scope="session")
def parser(ward: Database, taught: list[Pair]) -> Parser:
    """A parser of the ward."""
    return train(taught, ward, words=OPEN)


def _fill(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            """
            CREATE TABLE admissions (subject_id INTEGER, hadm_id INTEGER);
            CREATE TABLE prescriptions (hadm_id INTEGER, drug TEXT, starttime TIMESTAMP(0));
            CREATE TABLE labevents (
                hadm_id INTEGER, label TEXT, valuenum DOUBLE PRECISION, charttime TIMESTAMP(0)
            );
            """
        )
        for n in range(20):
            connection.execute("INSERT INTO admissions VALUES (?, ?)", (10001 + n, 500 + n))
            for at, drug in enumerate(DRUGS):
                when = f"210{3 + (n + at) % 3}-11-{1 + n:02} 08:00:00"
                connection.execute(
                    "INSERT INTO prescriptions VALUES (?, ?, ?)", (500 + n, drug, when)
                )
            for at, test in enumerate(TESTS):
                when = f"210{4 + (n + at) % 2}-11-{1 + n:02} 09:00:00"
                connection.execute(
                    "INSERT INTO labevents VALUES (?, ?, ?, ?)", (500 + n, test, n + at / 10, when)
                )
