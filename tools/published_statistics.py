"""Summary statistics of a published MIMIC-IV release, with standard errors."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

import duckdb

from wardround.ehr.hospital.summary_statistics import Sample, readmissions, summary_statistics

# Number of bootstrap resamples of patients.
RESAMPLES = 300
_STAYS = """
    select subject_id, hadm_id, admittime, dischtime, hospital_expire_flag = 1,
        epoch(dischtime - admittime) / 86400,
        (select count(*) from diagnoses d where d.hadm_id = a.hadm_id),
        (select count(*) from procedures p where p.hadm_id = a.hadm_id),
        (select count(*) from results l where l.subject_id = a.subject_id
            and l.time between a.admittime - interval 12 hour and a.dischtime),
        (select count(*) from orders o where o.hadm_id = a.hadm_id),
        (select count(distinct (micro_specimen_id, test_name)) from cultures c
            where c.hadm_id = a.hadm_id),
        (select count(*) from critical i where i.hadm_id = a.hadm_id) > 0
    from admissions a order by subject_id, admittime
"""
_FILES = {
    "admissions": "hosp/admissions.csv.gz",
    "patients": "hosp/patients.csv.gz",
    "diagnoses": "hosp/diagnoses_icd.csv.gz",
    "procedures": "hosp/procedures_icd.csv.gz",
    "orders": "hosp/prescriptions.csv.gz",
    "cultures": "hosp/microbiologyevents.csv.gz",
    "critical": "icu/icustays.csv.gz",
}
_NAMES = ("days", "diagnoses", "procedures", "results", "orders", "samples", "intensive")


def published_samples(folder: Path) -> list[Sample]:
    """Every patient's values, from a folder of the official layout.

    Args:
        folder: The MIMIC-IV demo, with `lab_chart_values.csv.gz` (subject_id, time, itemid, value,
            table) instead of labevents.

    Returns:
        One sample for each patient, in the order of subject_id.
    """
    with duckdb.connect() as database:
        for name, file in _FILES.items():
            source = database.read_csv(str(folder / file))
            source.create(name)
        database.read_csv(str(folder / "lab_chart_values.csv.gz")).create("charted")
        database.execute("create table results as from charted where \"table\" = 'labevents'")
        return _samples(database)


def _samples(database: duckdb.DuckDBPyConnection) -> list[Sample]:
    by_patient: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for subject, gender, age in database.sql(
        "select subject_id, gender, anchor_age from patients order by 1"
    ).fetchall():
        by_patient[subject]["age"].append(float(age))
        by_patient[subject]["female"].append(float(gender == "F"))
    stays = defaultdict(list)
    for subject, _, admitted, left, died, *values in database.sql(_STAYS).fetchall():
        stays[subject].append((admitted, left, died))
        by_patient[subject]["died"].append(float(died))
        for name, value in zip(_NAMES, values, strict=True):
            by_patient[subject][name].append(float(value))
    for subject, times in stays.items():
        by_patient[subject]["returned"] = readmissions(times)
    for subject, days in database.sql("select subject_id, los from critical").fetchall():
        by_patient[subject]["intensive days"].append(float(days))
    for subject, item, value in database.sql(
        "select subject_id, itemid, value from results where value is not null"
    ).fetchall():
        by_patient[subject][f"lab {item}"].append(float(value))
    return [by_patient[subject] for subject in sorted(by_patient)]


def standard_errors(samples: Sequence[Sample], seed: int = 0) -> dict[str, float]:
    """Bootstrap standard errors of every statistic, resampling patients."""
    draw = Random(seed)
    again = [
        summary_statistics([samples[int(draw.random() * len(samples))] for _ in samples])
        for _ in range(RESAMPLES)
    ]
    return {
        name: _spread([sample[name] for sample in again if name in sample]) for name in again[0]
    }


def _spread(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    total = sum((value - mean) * (value - mean) for value in values)
    return float((total / (len(values) - 1)) ** 0.5)
