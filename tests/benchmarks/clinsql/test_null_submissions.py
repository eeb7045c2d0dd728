from pathlib import Path

import pytest

from tests.benchmarks.clinsql.items import GOLD, item
from wardround.benchmarks.clinsql.checks.sql_decider import vocabulary
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.leaf_verdicts import QUERY
from wardround.benchmarks.clinsql.program_verdicts import ProgramGrader, ran_verdict
from wardround.benchmarks.clinsql.question_match import answer_verdicts
from wardround.benchmarks.clinsql.scorer import score
from wardround.benchmarks.clinsql.sql_grader import SqlGrader
from wardround.core.actions import Call, Observation
from wardround.core.trajectory import Trajectory
from wardround.ehr.database import Database

OTHER = """SELECT l.itemid, AVG(l.valuenum) AS creatinine
FROM `physionet-data.mimiciv_3_1_hosp.labevents` AS l WHERE l.itemid = 50912 GROUP BY l.itemid"""
MOST = 0.02


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
    assert strict_reward(sql, tmp_path, records) <= MOST


def test_the_gold_scores_in_strict(tmp_path: Path, records: Database) -> None:
    assert strict_reward(item(tmp_path / "gold").hidden.sql, tmp_path / "run", records) > 0.5
