"""A small clinic to be interviewed about, with what is written of its columns and terms."""

from collections.abc import Iterator

import pytest

from tests.ehr.database.engines import made_database
from wardround.agents.parser.interview.chart import Chart, shape_of
from wardround.ehr.database import Database, open_database

TEXTS = """
- admissions.admission_location: where the person came from
- admissions.insurance: who pays
- admissions.admittime: when the stay began
- admissions.dischtime: when the stay ended
- admissions.age: age in whole years at admission
- icustays.unit: the unit in which the stay took place
- prescriptions.drug: name of the drug as ordered
- labevents.valuenum: the result as a number
- cost.cost: the amount charged, in us dollars
- {"id":1,"knowledge":"Elderly","description":"","definition":"65 years or older at admission."}
- {"id":2,"knowledge":"High Sodium","description":"","definition":"A 'sodium' of 145 or more."}
"""

_TABLES = (
    "patients (row_id BIGINT, subject_id BIGINT PRIMARY KEY, gender TEXT, dob TIMESTAMP)",
    "admissions (row_id BIGINT, subject_id BIGINT REFERENCES patients(subject_id), "
    "hadm_id BIGINT PRIMARY KEY, admittime TIMESTAMP, dischtime TIMESTAMP, "
    "admission_location TEXT, insurance TEXT, age BIGINT)",
    "icustays (row_id BIGINT, subject_id BIGINT, hadm_id BIGINT REFERENCES admissions(hadm_id), "
    "stay_id BIGINT PRIMARY KEY, unit TEXT, intime TIMESTAMP, outtime TIMESTAMP)",
    "charted (row_id BIGINT, hadm_id BIGINT, stay_id BIGINT REFERENCES icustays(stay_id))",
    "prescriptions (row_id BIGINT, subject_id BIGINT, hadm_id BIGINT REFERENCES "
    "admissions(hadm_id), starttime TIMESTAMP, stoptime TIMESTAMP, drug TEXT)",
    "d_labitems (row_id BIGINT, itemid BIGINT PRIMARY KEY, label TEXT)",
    "labevents (row_id BIGINT, subject_id BIGINT, hadm_id BIGINT REFERENCES admissions(hadm_id), "
    "itemid BIGINT REFERENCES d_labitems(itemid), charttime TIMESTAMP, valuenum DOUBLE)",
    "cost (row_id BIGINT, subject_id BIGINT, hadm_id BIGINT REFERENCES admissions(hadm_id), "
    "event_type TEXT, chargetime TIMESTAMP, cost DOUBLE)",
)
_STAYS = (
    # patient, sex, age, days in hospital, from, insurance, days in intensive care, sodium, month
    (1, "f", 80, 9, "emergency room", "medicare", 4, 150, 2),
    (1, "f", 80, 3, "clinic referral", "medicare", 0, 140, 8),
    (2, "m", 40, 12, "emergency room", "other", 2, 146, 9),
    (3, "f", 70, 2, "clinic referral", "other", 0, 139, 3),
    (4, "m", 66, 5, "emergency room", "medicare", 6, 138, 11),
)
_DRUGS = ("morphine sulfate", "aspirin", "enoxaparin sodium", "morphine sulfate", "aspirin")


def clinic_statements() -> Iterator[str]:
    """What makes the clinic: five stays of four people."""
    yield from (f"CREATE TABLE {table}" for table in _TABLES)
    yield "INSERT INTO d_labitems VALUES (0, 7, 'sodium'), (1, 8, 'sodium, urine')"
    people = {stay[0]: stay[1] for stay in _STAYS}
    for number, (person, sex) in enumerate(people.items()):
        yield f"INSERT INTO patients VALUES ({number}, {person}, '{sex}', '2030-01-01')"
    for n, (person, _, age, days, place, payer, icu, sodium, month) in enumerate(_STAYS):
        stay, start, end = 100 + n, f"2100-{month:02}-01", f"2100-{month:02}-{1 + days:02}"
        values = f"{n}, {person}, {stay}, '{start}', '{end}', '{place}', '{payer}', {age}"
        yield f"INSERT INTO admissions VALUES ({values})"
        if icu:
            unit, out = ("surgical", "medical")[n % 2], f"2100-{month:02}-{1 + icu:02}"
            values = f"{n}, {person}, {stay}, {900 + n}, '{unit}', '{start}', '{out}'"
            yield f"INSERT INTO icustays VALUES ({values})"
        drug = f"{n}, {person}, {stay}, '{start}', '{end}', '{_DRUGS[n]}'"
        yield f"INSERT INTO prescriptions VALUES ({drug})"
        yield f"INSERT INTO labevents VALUES ({n}, {person}, {stay}, 7, '{start}', {sodium})"
        for at, kind in enumerate(("prescriptions", "labevents")):
            bill = f"{2 * n + at}, {person}, {stay}, '{kind}', '{start}', {100 * (n + 1) + at}"
            yield f"INSERT INTO cost VALUES ({bill})"


@pytest.fixture(scope="session")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The clinic in DuckDB, which reads the queries as PostgreSQL does."""
    folder = tmp_path_factory.mktemp("clinic")
    with made_database("duckdb", folder, list(clinic_statements())) as location:
        database = open_database(location)
        yield database
        database.close()


@pytest.fixture(scope="session")
def chart(clinic: Database) -> Chart:
    """What an interviewer knows of it."""
    return shape_of(clinic).with_texts(TEXTS)
