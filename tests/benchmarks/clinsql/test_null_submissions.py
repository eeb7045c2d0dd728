from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.clinsql.item_samples import GOLD, item
from wardround.benchmarks.clinsql.checks.leaf_verdicts import QUERY
from wardround.benchmarks.clinsql.checks.program_verdicts import ProgramGrader, ran_verdict
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.gold.sql_grader import SqlGrader, answer_verdicts
from wardround.benchmarks.clinsql.scorer import score
from wardround.core.actions import Call, Observation
from wardround.core.trajectory import Trajectory
from wardround.ehr.database import Database

OTHER = """SELECT l.itemid, AVG(l.valuenum) AS creatinine
FROM `physionet-data.mimiciv_3_1_hosp.labevents` AS l WHERE l.itemid = 50912 GROUP BY l.itemid"""


def strict_reward(sql: str, folder: Path, records: Database) -> float:
    task, executions = item(folder), Executions(records, 30.0)
    trajectory = Trajectory()
    verdicts = []
    if sql:
        action = Call("submit_sql", {"query": sql})
        trajectory.acted(action)
        trajectory.observed(Observation("", "tool", done=True), after=action)
        queries = SqlGrader(executions, hospitals=False)
        outcome = executions.of(sql)
        programs = ProgramGrader(executions, 1.0, queries.decide)
        verdicts = [ran_verdict(task, sql, outcome), *programs.verdicts(task, sql, outcome)]
        verdicts += queries.verdicts(task, sql, outcome)
        verdicts += answer_verdicts(task, sql, verdicts, vocabulary(executions))
        assert any(verdict.item == QUERY for verdict in verdicts)
    return score(task, trajectory, verdicts).rewards["strict"]


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "SELECT 1",
        "SELECT 10 AS admissions, 4.5 AS mean_los_days",
        OTHER,
        GOLD.replace("55 AND 65", "20 AND 54"),  # the same question about other people
    ],
)
def test_a_null_submission_scores_nothing_in_strict(
    sql: str, tmp_path: Path, records: Database
) -> None:
    assert strict_reward(sql, tmp_path, records) == 0


IN_HOSPITALS = """SELECT COUNT(*) AS admissions,
  ROUND(AVG(DATETIME_DIFF(a.dischtime, a.admittime, HOUR) / 24), 2) AS mean_los_days
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
WHERE p.gender = 'F' AND a.hadm_id IN (
  SELECT d.hadm_id FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d WHERE {codes})"""
FAILURE = "d.icd_version = 9 AND d.icd_code LIKE '428%' OR d.icd_version = 10 AND {}"


@pytest.mark.parametrize(
    ("codes", "refused"),
    [
        ("d.icd_version = 10 AND d.icd_code LIKE 'N18%'", True),
        ("d.icd_version = 10 AND d.icd_code LIKE 'I50%'", False),  # half of what is asked for
        (FAILURE.format("d.icd_code LIKE 'I11%'"), False),
        ("d.seq_num = 1", False),
    ],
)
def test_a_query_about_another_condition_answers_another_question(
    codes: str, refused: bool, tmp_path: Path, records: Database
) -> None:
    task = item(tmp_path)
    gold = IN_HOSPITALS.format(codes=FAILURE.format("d.icd_code LIKE 'I50%'"))
    checks = {
        "sql:old": {"kind": "codes", "version": 9, "patterns": ["428%"]},
        "sql:new": {"kind": "codes", "version": 10, "patterns": ["I50%"]},
    }
    task = replace(task, hidden=replace(task.hidden, sql=gold, checks=checks))
    words = vocabulary(Executions(records, 30.0))
    found = list(answer_verdicts(task, IN_HOSPITALS.format(codes=codes), [], words))
    assert bool(found) is refused


def test_the_gold_scores_in_strict(tmp_path: Path, records: Database) -> None:
    assert strict_reward(item(tmp_path / "gold").hidden.sql, tmp_path / "run", records) == 1
