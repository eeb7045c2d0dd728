"""Six tables of an invented Portuguese hospital, which no rule of `data map` was written for."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import duckdb

from tests.ehr.records.six_tables import table_statements

TABLES = {
    "utente": "num_utente VARCHAR, sexo VARCHAR, data_nasc DATE, concelho VARCHAR",
    "episodio": (
        "num_ep BIGINT, num_utente VARCHAR, dta_admissao TIMESTAMP, dta_alta TIMESTAMP,"
        " proveniencia VARCHAR, destino VARCHAR, servico VARCHAR"
    ),
    "diag": "cod_linha BIGINT, num_ep BIGINT, ordem INTEGER, cid10 VARCHAR, descritivo VARCHAR",
    "analise": (
        "cod_analise BIGINT, num_ep BIGINT, dta_colheita TIMESTAMP, dta_validacao TIMESTAMP,"
        " prova VARCHAR, valor DOUBLE, unid VARCHAR, ref_inf DOUBLE, ref_sup DOUBLE"
    ),
    "prescricao": (
        "cod_presc BIGINT, num_ep BIGINT, farmaco VARCHAR, dose_txt VARCHAR, via VARCHAR,"
        " dta_inicio TIMESTAMP, dta_fim TIMESTAMP, cod_medico INTEGER"
    ),
    "sinais": (
        "num_ep BIGINT, dta_registo TIMESTAMP, temp_c DOUBLE, fc INTEGER, ta_sist INTEGER,"
        " ta_diast INTEGER, peso_kg DOUBLE"
    ),
}
_CODES = [
    ("I50.0", "Insuficiencia cardiaca congestiva"), ("J18.9", "Pneumonia"), ("N39.0", "ITU"),
    ("E11.9", "Diabetes tipo 2"), ("I10", "Hipertensao"), ("K35.8", "Apendicite aguda"),
    ("S72.0", "Fratura do colo do femur"), ("I63.9", "AVC isquemico"),
]  # fmt: skip
_TESTS = [
    ("Sodio", 139, 4, "mmol/L"), ("Potassio", 4.2, 0.5, "mmol/L"),
    ("Creatinina", 1.1, 0.3, "mg/dL"),
    ("Hemoglobina", 13, 1.5, "g/dL"), ("PCR", 25, 9, "mg/L"), ("Glicose", 118, 25, "mg/dL"),
]  # fmt: skip
_DRUGS = ["Furosemida", "Enoxaparina", "Paracetamol", "Ceftriaxona", "Omeprazol", "Bisoprolol"]


def build_portuguese(path: Path) -> None:
    """Writes the tables to a DuckDB file."""
    with duckdb.connect(str(path)) as connection:
        for statement in table_statements(TABLES, _rows(Random(21))):
            connection.execute(statement)


def portuguese_of_postgres() -> list[str]:
    """The statements that make the tables on PostgreSQL."""
    tables = {name: each.replace("DOUBLE", "DOUBLE PRECISION") for name, each in TABLES.items()}
    return [*table_statements(tables, _rows(Random(21)))]


def _rows(random: Random) -> dict[str, list[tuple[object, ...]]]:
    rows: dict[str, list[tuple[object, ...]]] = {table: [] for table in TABLES}
    numbers, keys = iter(random.sample(range(2_000_000, 9_000_000), 400)), iter(range(10**6))
    for person in range(100):
        patient = f"PT{person * 7919 % 100_000:05}"
        born = datetime(1932, 1, 1) + timedelta(days=random.randrange(27_000))
        town = random.choice(["Lisboa", "Porto", "Coimbra", "Braga"])
        rows["utente"].append((patient, random.choice(["M", "F"]), born.date(), town))
        begin = datetime(2022, 1, 1) + timedelta(minutes=random.randrange(600_000))
        for _ in range(random.choice([1, 1, 2, 3])):
            end = begin + timedelta(minutes=int(1440 * random.lognormvariate(1.5, 0.6)))
            stay = next(numbers)
            origin = random.choice(["Urgencia", "Consulta", "Transferencia"])
            left = random.choice(["Domicilio", "Domicilio", "Lar", "Falecido"])
            service = random.choice(["Medicina", "Cirurgia", "UCI", "Cardiologia"])
            rows["episodio"].append((stay, patient, begin, end, origin, left, service))
            for table, row in _events(random, keys, stay, begin, end):
                rows[table].append(row)
            begin = end + timedelta(days=random.randrange(5, 250))
    return rows


def _events(
    random: Random, keys: Iterator[int], stay: int, begin: datetime, end: datetime
) -> Iterator[tuple[str, tuple[object, ...]]]:
    def moment() -> datetime:
        return (begin + (end - begin) * random.random()).replace(microsecond=0)

    for order, (code, name) in enumerate(random.sample(_CODES, 3), 1):
        yield "diag", (next(keys) + 10_000, stay, order, code, name)
    for _ in range(6):
        name, middle, spread, unit = random.choice(_TESTS)
        taken = moment()
        checked = taken + timedelta(minutes=random.randrange(30, 300))
        value, limits = random.gauss(middle, spread), (middle - spread, middle + spread)
        row = (next(keys) + 50_000, stay, taken, checked, name, round(value, 2), unit, *limits)
        yield "analise", row
        signs = (random.gauss(36.9, 0.6), random.randint(55, 125), random.randint(95, 170))
        weight = random.gauss(74, 11)
        low = int(0.6 * signs[2])
        yield "sinais", (stay, moment(), round(signs[0], 1), *signs[1:], low, round(weight, 1))
    for drug in random.sample(_DRUGS, 3):
        first, last = sorted([moment(), moment()])
        dose = random.choice(["40 mg", "500 mg", "1 g", "20 mg"])
        how = random.choice(["oral", "EV", "SC"])
        doctor = random.randrange(100, 180)
        yield "prescricao", (next(keys) + 90_000, stay, drug, dose, how, first, last, doctor)
