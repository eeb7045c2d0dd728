"""Tables of an invented Dutch clinic: short names, dates as text, units in names of columns."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import duckdb

from tests.ehr.records.six_tables import table_statements

TABLES = {
    "pat": "pid BIGINT, gesl VARCHAR, geb_dat VARCHAR",
    "opn": "onr BIGINT, pat BIGINT, dt_in VARCHAR, dt_uit VARCHAR",
    "bed": "bed_id BIGINT, opn BIGINT, kamer VARCHAR, dt_van VARCHAR, dt_tot VARCHAR",
    "dgn": "dgn_id BIGINT, opn BIGINT, icd VARCHAR, oms VARCHAR",
    "lab": "lab_id BIGINT, opn BIGINT, afn_dt VARCHAR, kreat_umol_l DOUBLE, na_mmol_l DOUBLE",
    "bep": (
        "bep_id BIGINT, opn BIGINT, afn_dt VARCHAR, loinc VARCHAR, oms VARCHAR, uitslag VARCHAR,"
        " nr_min DOUBLE, nr_max DOUBLE"
    ),
    "med": (
        "med_id BIGINT, opn BIGINT, mid VARCHAR, dos_mg DOUBLE, weg VARCHAR, dt_begin VARCHAR,"
        " dt_eind VARCHAR"
    ),
    "vit": (
        "vit_id BIGINT, opn BIGINT, mt_dt VARCHAR, hf_pm INTEGER, rr_sys_mmhg INTEGER,"
        " rr_dia_mmhg INTEGER"
    ),
}
_CODES = [
    ("I21.9", "Acuut myocardinfarct"),
    ("J18.9", "Longontsteking"),
    ("I10", "Verhoogde bloeddruk"),
    ("N17.9", "Nierfalen"),
    ("S72.0", "Gebroken heup"),
    ("D64.9", "Bloedarmoede"),
]
_TESTS = [
    ("2951-2", "Natrium", 139.0, 4.0),
    ("2823-3", "Kalium", 4.2, 0.5),
    ("718-7", "Hb", 8.0, 1.0),
    ("1988-5", "CRP", 12.0, 3.5),
    ("2345-7", "Suiker", 6.0, 0.8),
    ("6690-2", "Leuko's", 8.0, 2.0),
]
_DRUGS = ["Furosemide tablet", "Zoutoplossing", "Laxeermiddel", "Oogdruppels", "Slaapmiddel"]


def build_clinic(path: Path) -> None:
    """Write the tables, the same each time."""
    with duckdb.connect(str(path)) as connection:
        for statement in table_statements(TABLES, _rows_by_table()):
            connection.execute(statement)


def clinic_of_postgres() -> list[str]:
    """The statements that make the tables on PostgreSQL."""
    tables = {name: each.replace("DOUBLE", "DOUBLE PRECISION") for name, each in TABLES.items()}
    return [*table_statements(tables, _rows_by_table())]


def _rows_by_table() -> dict[str, list[tuple[object, ...]]]:
    rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in TABLES}
    for table, row in _rows(Random(11)):
        rows[table].append(row)
    return rows


def _rows(random: Random) -> Iterator[tuple[str, tuple[object, ...]]]:
    admission = 5_000
    for number in range(80):
        patient = 700_000 + 7 * number
        born = datetime(1935, 1, 1) + timedelta(days=random.randrange(25_000))
        yield "pat", (patient, random.choice("VM"), f"{born:%Y-%m-%d}")
        begin = datetime(2020, 1, 1) + timedelta(minutes=random.randrange(500_000))
        for _ in range(random.choice([1, 2, 3])):
            admission += random.randint(2, 40)
            end = begin + timedelta(minutes=random.randint(2_000, 15_000))
            yield "opn", (admission, patient, _text(begin), _text(end))
            yield from _events(random, admission, begin, end)
            begin = end + timedelta(days=random.randint(4, 200))


def _events(
    random: Random, admission: int, begin: datetime, end: datetime
) -> Iterator[tuple[str, tuple[object, ...]]]:
    def moment() -> str:
        return _text(begin + (end - begin) * random.random())

    def key() -> int:
        return random.randrange(10**9)

    yield "bed", (key(), admission, f"C{random.randint(1, 12):02}", _text(begin), _text(end))
    for code, name in random.sample(_CODES, 2):
        yield "dgn", (key(), admission, code, name)
    for _ in range(4):
        creatinine, sodium = random.lognormvariate(4.5, 0.4), random.gauss(139, 4)
        yield "lab", (key(), admission, moment(), round(creatinine), round(sodium, 1))
        loinc, name, middle, spread = random.choice(_TESTS)
        result = f"{random.gauss(middle, spread):.1f}" if random.random() > 0.02 else "mislukt"
        limits = (middle - 2 * spread, middle + 2 * spread)
        yield "bep", (key(), admission, moment(), loinc, name, result, *limits)
        systolic = random.randint(95, 165)
        pulse, diastolic = random.randint(55, 120), int(0.58 * systolic)
        yield "vit", (key(), admission, moment(), pulse, systolic, diastolic)
    for drug in random.sample(_DRUGS, 3):
        times = sorted([moment(), moment()])
        dose = random.choice([5.0, 10.0, 40.0])
        yield "med", (key(), admission, drug, dose, random.choice(["po", "iv", "sc"]), *times)


def _text(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}"
