"""The paper's two sample tasks (A.1) on the MIMIC-IV demo, if it is available."""

import gzip
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.trials import run_trial
from wardround.agents.parser.agents import open_agents
from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.models.roles import RoleModels
from wardround.runs.settings import RunSettings

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared"
PAPER = SHARED / "papers" / "000_f0f872b2f28212e9.txt"
PACKED = SHARED / "data" / "ehrsql-2024" / "mimic_iv_star.sqlite.gz"
NAMED = (("6", "incre"), ("12", "adapt"))

pytestmark = pytest.mark.skipif(
    not (PAPER.is_file() and PACKED.is_file()),
    reason="no real records: the paper's samples are not answered from them",
)


def field(text: str, name: str) -> str:
    """A field of a task printed on several lines, with page breaks repaired."""
    match = re.search(rf'"{name}":\s*"(.*?)",?\s*"gold_', text, re.DOTALL)
    assert match
    return " ".join(match[1].split())


def mended(sql: str) -> str:
    """The query with broken lines joined and a misread name corrected."""
    sql = re.sub(r"\b(\w+)\. (\w+)", r"\1.\2", sql)
    sql = re.sub(r"' (\w+)'", r"'\1'", sql).replace("epilepsy %", "epilepsy%")
    return sql.replace("diagnosises ", "diagnosiscodes ")


@pytest.fixture(scope="module")
def real(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[ChatBenchmark, Path]]:
    folder = tmp_path_factory.mktemp("real")
    with gzip.open(PACKED) as packed, (folder / "star.sqlite").open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    text = PAPER.read_text().replace("```", "").replace("\\_", "_")
    text = text[text.index("A.1.1 INCREQA SAMPLE") : text.index("## A.2 TOOL SPECIFICATIONS")]
    items = []
    for number, flow in NAMED:
        part = text[text.index(f'"task_id": "{number}"') :]
        answer = re.search(r'"gold_answer": (\[\[.*?\]\])', part)
        assert answer
        items.append(
            {
                "task_id": number,
                "task_type": flow,
                "db_id": "mimic_iv_star",
                "instruction": field(part, "instruction"),
                "gold_sql": mended(field(part, "gold_sql")),
                "gold_answer": json.loads(answer[1].replace("'", '"')),
            }
        )
    (folder / "tasks.json").write_text(json.dumps(items))
    settings = RunSettings(
        benchmark="chatqa",
        agent="oracle",
        databases={"mimic_iv_star": str(folder / "star.sqlite")},
    )
    with closing(ChatBenchmark.open(settings.opening(RoleModels({})))) as benchmark:
        yield benchmark, folder / "tasks.json"


async def test_the_paper_s_samples_give_their_published_answers(
    real: tuple[ChatBenchmark, Path],
) -> None:
    benchmark, tasks = real
    suite = benchmark.load(tasks)
    assert not suite.defects
    for task in suite.tasks:
        finished = await run_trial(benchmark, benchmark.oracle(task), task, 0)
        assert finished.attempts[-1].rewards == {"paper": 1.0, "strict": 1.0}, task.id


async def test_model_free_agent_solves_the_first_sample(
    real: tuple[ChatBenchmark, Path],
) -> None:
    benchmark, tasks = real
    task = benchmark.load(tasks).tasks[0]
    for trial in range(3):
        finished = await run_trial(benchmark, open_agents(None), task, trial)
        assert finished.attempts[-1].rewards == {"paper": 1.0, "strict": 1.0}
