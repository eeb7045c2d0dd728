"""A database whose names and values have capitals is searched and graded like any other."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.benchmarks.chatqa.conftest import Opener
from tests.trials import run_trial
from wardround.core.actions import Call
from wardround.core.benchmark import TrialContext
from wardround.core.limits import Limits
from wardround.core.record import Outcome
from wardround.core.task import EVERY_TASK
from wardround.core.trajectory import Trajectory


@pytest.fixture
def small_database(tmp_path: Path) -> Path:
    """Drug orders, every name and value in capitals or mixed."""
    path = tmp_path / "capitals.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE MedicationOrders (PatientID INTEGER, "Drug Name" TEXT, STARTED TEXT);
            INSERT INTO MedicationOrders VALUES
              (1, 'Metoprolol Tartrate', '2100-02-01'), (2, 'WARFARIN', '2100-03-02');
            """
        )
    connection.close()
    return path


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    sql = 'SELECT "Drug Name" FROM MedicationOrders WHERE PatientID = {}'
    gold = {"incre": (2, "WARFARIN"), "adapt": (1, "Metoprolol Tartrate")}
    tasks = [
        {
            "task_id": flow,
            "task_type": flow,
            "db_id": "small",
            "instruction": f"Your goal is to see drugs. You want those of patient {patient}.",
            "gold_sql": sql.format(patient),
            "gold_answer": [[drug]],
        }
        for flow, (patient, drug) in gold.items()
    ]
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(tasks))
    return path


async def test_gold_with_capitals_passes_both_gradings(open_chat: Opener, task_file: Path) -> None:
    benchmark = open_chat()
    suite = benchmark.load(task_file, EVERY_TASK)
    assert not suite.defects
    for task in suite.tasks:
        finished = await run_trial(benchmark, benchmark.oracle(task), task, 0)
        assert finished.last.outcome is Outcome.PASSED
        assert finished.last.rewards == {"paper": 1, "strict": 1}


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (Call("table_search", {}), '["MedicationOrders"]'),
        (
            Call(
                "value_substring_search",
                {"table": "medicationorders", "column": "drug name", "value": "tartrate"},
            ),
            '["Metoprolol Tartrate"]',
        ),
        (
            Call(
                "value_similarity_search",
                {"table": "MEDICATIONORDERS", "column": "Drug name", "value": "coumadin", "k": 1},
            ),
            '["WARFARIN"]',
        ),
        (
            Call("sql_execute", {"query": "select started from medicationorders"}),
            '{"columns":["STARTED"],"rows":[["2100-02-01"],["2100-03-02"]],"truncated":false}',
        ),
    ],
)
async def test_tools_find_names_in_any_letter_case(
    open_chat: Opener, task_file: Path, call: Call, result: str
) -> None:
    benchmark = open_chat()
    task = benchmark.load(task_file, EVERY_TASK).tasks[0]
    environment = await benchmark.environment(task, TrialContext(0, Limits(), Trajectory()))
    assert (await environment.step(call)).text == result


async def test_column_search_shows_names_as_they_are(open_chat: Opener, task_file: Path) -> None:
    benchmark = open_chat()
    task = benchmark.load(task_file, EVERY_TASK).tasks[0]
    environment = await benchmark.environment(task, TrialContext(0, Limits(), Trajectory()))
    text = (await environment.step(Call("column_search", {"table": "medicationorders"}))).text
    assert text.startswith("CREATE TABLE MedicationOrders (")
    assert '["PatientID","Drug Name","STARTED"]' in text
