"""Ten golds over the six scenarios, each with the checks of its SQL rubric."""

from typing import Any, TypeAlias

Check: TypeAlias = dict[str, Any]

H, ICU = "`physionet-data.mimiciv_3_1_hosp", "`physionet-data.mimiciv_3_1_icu"
PEOPLE = f"{H}.patients` AS p JOIN {H}.admissions` AS a ON p.subject_id = a.subject_id"
AT_ADMISSION = "p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 30 AND 70"
DIAGNOSES = f"JOIN {H}.diagnoses_icd` AS d ON a.subject_id = d.subject_id AND a.hadm_id = d.hadm_id"
TRIED: Check = {"kind": "join", "tables": ["admissions", "diagnoses_icd"], "keys": ["hadm_id"]}
COMMON: list[Check] = [{"kind": "sex", "value": "F"}, {"kind": "age", "low": 30, "high": 70}]
CODES: Check = {"kind": "codes", "version": 10, "patterns": ["I%", "E%"]}
DISEASE = f"{PEOPLE} {DIAGNOSES}"
CODED = "d.icd_version = 10 AND (d.icd_code LIKE 'I%' OR d.icd_code LIKE 'E%')"
KEPT = f"p.gender = 'F' AND {AT_ADMISSION}"
LOS = "DATETIME_DIFF(a.dischtime, a.admittime, HOUR) / 24"
DAYS: Check = {"kind": "measure", "name": "length_of_stay", "unit": "days"}


def percentile(argument: float) -> Check:
    return {"kind": "measure", "statistic": "percentile", "argument": argument}


GOLDS: list[tuple[str, str, list[Check]]] = [
    (
        "Patient_Demographics_and_Admissions",
        f"SELECT COUNT(DISTINCT p.subject_id) AS n FROM {PEOPLE} WHERE {KEPT}",
        [*COMMON, {"kind": "distinct", "column": "subject_id"}],
    ),
    (
        "Patient_Demographics_and_Admissions",
        f"SELECT COUNT(*) AS n, AVG({LOS}) AS los FROM {PEOPLE} WHERE p.gender = 'F'"
        " AND p.anchor_age BETWEEN 30 AND 70",
        [COMMON[0], {**COMMON[1], "convention": "anchor"}, DAYS],
    ),
    (
        "Disease_Diagnosis_and_Outcomes",
        f"SELECT COUNT(DISTINCT a.hadm_id) AS n FROM {DISEASE} WHERE {KEPT} AND {CODED}",
        [*COMMON, CODES, TRIED, {"kind": "distinct", "column": "hadm_id"}],
    ),
    (
        "Disease_Diagnosis_and_Outcomes",
        "SELECT SAFE_DIVIDE(SUM(a.hospital_expire_flag), COUNT(a.hadm_id)) AS rate,"
        f" COUNT(*) AS n FROM {DISEASE} WHERE {KEPT} AND {CODED}",
        [*COMMON, CODES, {"kind": "measure", "name": "rate"}],
    ),
    (
        "Laboratory_Results_Analysis",
        f"SELECT APPROX_QUANTILES(l.valuenum, 100)[OFFSET(90)] AS p90 FROM {PEOPLE}"
        f" JOIN {H}.labevents` AS l ON l.hadm_id = a.hadm_id WHERE {KEPT} AND l.itemid = 50912"
        " AND l.valuenum IS NOT NULL AND l.charttime BETWEEN a.admittime"
        " AND DATETIME_ADD(a.admittime, INTERVAL 24 HOUR)",
        [
            *COMMON,
            percentile(90),
            {"kind": "window", "start": "admission", "hours": 24},
            {"kind": "excludes_null", "column": "valuenum"},
        ],
    ),
    (
        "Laboratory_Results_Analysis",
        f"WITH c AS (SELECT DISTINCT a.hadm_id FROM {DISEASE} WHERE {KEPT} AND {CODED})"
        " SELECT COUNT(*) AS n, COUNT(l.valuenum) AS m FROM c"
        f" JOIN {H}.labevents` AS l ON l.hadm_id = c.hadm_id WHERE l.valuenum IS NOT NULL",
        [*COMMON, CODES, {"kind": "excludes_null", "column": "valuenum"}],
    ),
    (
        "Vital_Signs_Monitoring",
        f"SELECT AVG(c.valuenum) AS mean FROM {PEOPLE} JOIN {ICU}.icustays` AS i"
        f" ON i.hadm_id = a.hadm_id JOIN {ICU}.chartevents` AS c ON c.stay_id = i.stay_id"
        f" WHERE {KEPT} AND c.itemid = 220045"
        " AND DATETIME_DIFF(c.charttime, i.intime, HOUR) BETWEEN 0 AND 24",
        [
            *COMMON,
            {"kind": "window", "start": "icu", "hours": 24},
            {"kind": "join", "tables": ["admissions", "icustays"], "keys": ["hadm_id"]},
        ],
    ),
    (
        "Vital_Signs_Monitoring",
        f"SELECT APPROX_QUANTILES(i.los, 10)[OFFSET(8)] AS p80 FROM {PEOPLE}"
        f" JOIN {ICU}.icustays` AS i ON i.hadm_id = a.hadm_id WHERE {KEPT}",
        [*COMMON, percentile(80)],
    ),
    (
        "Medication_Management",
        f"SELECT COUNT(DISTINCT r.hadm_id) AS n FROM {DISEASE} JOIN {H}.prescriptions` AS r"
        f" ON r.hadm_id = a.hadm_id WHERE {KEPT} AND {CODED} AND LOWER(r.drug) LIKE '%a%'",
        [*COMMON, CODES, {"kind": "drugs", "patterns": ["%a%"]}],
    ),
    (
        "Diagnostic_Procedures",
        f"SELECT COUNT(*) AS n, AVG({LOS}) AS los FROM {PEOPLE}"
        f" JOIN {H}.procedures_icd` AS o ON o.hadm_id = a.hadm_id WHERE {KEPT}",
        [*COMMON, DAYS],
    ),
]
