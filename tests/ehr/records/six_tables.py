"""Six tables of an invented hospital: wide codes, a formulary, no declared key."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from uuid import UUID

import duckdb

from wardround.ehr.database.names import quote_text

TABLES = {
    "enc": (
        "enc_no BIGINT, mrn VARCHAR, gender VARCHAR, dob DATE, arr TIMESTAMP, dep TIMESTAMP,"
        " unit VARCHAR, dx_main VARCHAR, dx_2 VARCHAR, dx_3 VARCHAR, went_to VARCHAR"
    ),
    "chem": (
        "rowno BIGINT, enc_no BIGINT, taken TIMESTAMP, loinc VARCHAR, test VARCHAR, result DOUBLE,"
        " uom VARCHAR, mark VARCHAR"
    ),
    "rx": (
        "rx_no BIGINT, enc_no BIGINT, from_ts TIMESTAMP, to_ts TIMESTAMP, item VARCHAR,"
        " how VARCHAR, strength VARCHAR"
    ),
    "formulary": "item VARCHAR, substance VARCHAR, atc VARCHAR, shelf INTEGER",
    "germs": (
        "sample_no BIGINT, enc_no BIGINT, sampled TIMESTAMP, material VARCHAR, organism VARCHAR,"
        " agent VARCHAR, sir VARCHAR"
    ),
    "obs": (
        "enc_no BIGINT, ts TIMESTAMP, hr INTEGER, sbp INTEGER, dbp INTEGER, temp DOUBLE,"
        " spo2 INTEGER"
    ),
}
_CODES = ["I21.4", "J18.9", "E11.9", "N17.9", "I50.2", "K70.3", "A41.9", "S72.0", "C34.1", "J44.1"]
_LABS = [
    ("2951-2", "Sodium", 139, 4, "mmol/L"),
    ("2823-3", "Potassium", 4.1, 0.5, "mmol/L"),
    ("2160-0", "Creatinine", 1.1, 0.4, "mg/dL"),
    ("718-7", "Hemoglobin", 12.5, 1.8, "g/dL"),
    ("2345-7", "Glucose", 120, 30, "mg/dL"),
    ("6690-2", "Leukocytes", 8.5, 3, "K/uL"),
]
_DRUGS = [
    ("metoprolol", "C07AB02"),
    ("furosemide", "C03CA01"),
    ("heparin", "B01AB01"),
    ("pantoprazole", "A02BC02"),
    ("ceftriaxone", "J01DD04"),
    ("morphine", "N02AA01"),
    ("insulin", "A10AB01"),
    ("atorvastatin", "C10AA05"),
]
_GERMS = ["Escherichia coli", "Staphylococcus aureus", "Klebsiella pneumoniae", "no growth"]


# The same columns in types that only PostgreSQL has, and results that are text.
_OF_POSTGRES = {
    "rowno BIGINT": "rowno UUID",
    "gender VARCHAR": "gender CHAR(1)",
    "TIMESTAMP": "TIMESTAMPTZ",
    "result DOUBLE": "result VARCHAR",
    "DOUBLE": "NUMERIC(4, 1)",
    "hr INTEGER": '"Heart Rate" SMALLINT',
    "sir VARCHAR": "sir sir",
}


def build_six_tables(path: Path, people: int = 90) -> None:
    """Write the tables to a DuckDB file."""
    with duckdb.connect(str(path)) as connection:
        for statement in table_statements(TABLES, _rows(Random(4), people)):
            connection.execute(statement)


def six_tables_of_postgres(people: int = 90) -> list[str]:
    """The statements that make the tables on PostgreSQL."""
    rows = _rows(Random(4), people)
    rows["chem"] = [(str(UUID(int=int(str(row[0])) ** 6)), *row[1:]) for row in rows["chem"]]
    tables = dict(TABLES)
    for old, new in _OF_POSTGRES.items():
        tables = {name: columns.replace(old, new) for name, columns in tables.items()}
    return ["CREATE TYPE sir AS ENUM ('S', 'I', 'R')", *table_statements(tables, rows)]


def table_statements(
    tables: Mapping[str, str], rows: Mapping[str, list[tuple[object, ...]]]
) -> Iterator[str]:
    """The statements that make tables with their rows."""
    for table, columns in tables.items():
        yield f"CREATE TABLE {table} ({columns})"
        for at in range(0, len(rows[table]), 500):
            part = rows[table][at : at + 500]
            listed = ", ".join(f"({', '.join(map(_literal, row))})" for row in part)
            yield f"INSERT INTO {table} VALUES {listed}"


def _literal(cell: object) -> str:
    if cell is None:
        return "NULL"
    return str(cell) if isinstance(cell, int | float) else quote_text(str(cell))


def _rows(random: Random, people: int) -> dict[str, list[tuple[object, ...]]]:
    rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in TABLES}
    rows["formulary"] = [
        (f"D{n:04d}", name, atc, random.randrange(9)) for n, (name, atc) in enumerate(_DRUGS)
    ]
    numbers = iter(random.sample(range(400_000, 900_000), 4 * people))
    for person in range(people):
        gender = random.choice("wm")
        born = datetime(1930, 1, 1) + timedelta(days=random.randrange(25_000))
        begin = datetime(2021, 1, 1) + timedelta(minutes=random.randrange(700_000))
        for _ in range(random.choice([1, 1, 2, 3])):
            end = begin + timedelta(minutes=int(1440 * random.lognormvariate(1.4, 0.7)))
            number = next(numbers)
            left = random.choice(["home", "home", "home", "nursing home", "rehab", "deceased"])
            unit = random.choice(["medicine", "surgery", "MICU", "neurology"])
            codes = [*random.sample(_CODES, 2), random.choice([None, random.choice(_CODES)])]
            named = (f"P{person * 37 % 100_000:07d}", gender, born.date(), begin, end, unit)
            rows["enc"].append((number, *named, *codes, left))
            _events(rows, random, number, begin, end)
            begin = end + timedelta(days=random.randrange(3, 200))
    return rows


def _events(
    rows: dict[str, list[tuple[object, ...]]],
    random: Random,
    number: int,
    begin: datetime,
    end: datetime,
) -> None:
    minutes = max(60, int((end - begin).total_seconds() // 60))

    def during() -> datetime:
        return begin + timedelta(minutes=random.randrange(minutes))

    for _ in range(random.randrange(3, 12)):
        code, name, middle, spread, unit = random.choice(_LABS)
        result = round(random.gauss(middle, spread), 1)
        mark = "H" if result > middle + spread else "L" if result < middle - spread else None
        given = (during(), code, name, result, unit, mark)
        rows["chem"].append((700_000 + 3 * len(rows["chem"]), number, *given))
    for _ in range(random.randrange(1, 6)):
        start = during()
        stop = start + timedelta(hours=random.randrange(6, 90))
        item = f"D{random.randrange(len(_DRUGS)):04d}"
        how, strength = random.choice(["iv", "po", "sc"]), random.choice(["40 mg", "5 mg", "1 g"])
        rows["rx"].append((len(rows["rx"]) + 1, number, start, stop, item, how, strength))
    if random.random() < 0.5:
        germ = random.choice(_GERMS)
        grows = germ != "no growth"
        agent = random.choice(["ceftriaxone", "vancomycin", "ciprofloxacin"]) if grows else None
        sir = random.choice("SSIR") if grows else None
        material = random.choice(["blood", "urine", "sputum", "wound swab"])
        grown = (during(), material, germ, agent, sir)
        rows["germs"].append((len(rows["germs"]) + 1, number, *grown))
    for hour in range(0, min(minutes // 60, 24), 2):
        systolic = round(random.gauss(122, 15))
        rows["obs"].append(
            (
                number,
                begin + timedelta(hours=hour),
                round(random.gauss(82, 13)),
                systolic,
                systolic - round(random.gauss(48, 6)),
                round(random.gauss(37, 0.5), 1),
                min(100, round(random.gauss(96, 2))),
            )
        )
