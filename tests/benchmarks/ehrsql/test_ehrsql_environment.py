"""The environment's question, queries and final answer, and the predictions of runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reachable import ways_to
from tests.trials import run_trial
from wardround.benchmarks.ehrsql.benchmark import EhrsqlBenchmark
from wardround.benchmarks.ehrsql.declaration import FileOptions
from wardround.benchmarks.ehrsql.file_scoring.command import score_files
from wardround.benchmarks.ehrsql.gold import check_gold
from wardround.benchmarks.ehrsql.result_cache import Ran
from wardround.benchmarks.ehrsql.tasks import EhrsqlHidden, EhrsqlPublic, EhrsqlTask
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.run_reader import read_trials
from wardround.core.task import Briefing, Task
from wardround.core.trial import FinishedTrial
from wardround.models.roles import RoleModels
from wardround.report.run_report import read_report
from wardround.runs.settings import RunSettings
from wardround.runs.start import Listener, start_run
from wardround.runs.validation import validate_tasks

WHERE = "wardround.benchmarks.ehrsql.declaration:BENCHMARK"
QUIET = Listener(lambda started: None, lambda record: None)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def settings(records: Path, questions: Path | None, **more: Any) -> RunSettings:
    return RunSettings(
        benchmark=WHERE,
        tasks=questions,
        databases={"records": str(records)},
        agent="oracle",
        **more,
    )


@pytest.fixture
def benchmark(records: Path, questions: Path) -> Iterator[EhrsqlBenchmark]:
    opened = EhrsqlBenchmark.open(settings(records, questions).opening(RoleModels({})))
    yield opened
    opened.close()


class Script:
    """An agent with scripted actions that records its observations."""

    def __init__(self, *actions: Action) -> None:
        self.actions = list(actions)
        self.observations: list[Observation] = []
        self.briefing: Briefing | None = None
        self.context: AgentContext | None = None

    async def act(self, observation: Observation) -> Action:
        self.observations.append(observation)
        return self.actions[len(self.observations) - 1]


def maker(script: Script) -> AgentMaker:
    def make(briefing: Briefing, context: AgentContext) -> Script:
        script.briefing, script.context = briefing, context
        return script

    return make


async def play(
    benchmark: EhrsqlBenchmark, questions: Path, id: str, *actions: Action
) -> tuple[Script, FinishedTrial]:
    tasks: dict[str, EhrsqlTask] = {task.id: task for task in benchmark.load(questions).tasks}
    script = Script(*actions)
    return script, await run_trial(benchmark, maker(script), tasks[id], 0)


async def test_query_is_run_and_submitted(benchmark: EhrsqlBenchmark, questions: Path) -> None:
    sql = "SELECT COUNT(*) FROM orders WHERE started > datetime(current_time, '-1 year')"
    script, trial = await play(
        benchmark,
        questions,
        "recent",
        Say("Let me see."),
        Call("run_sql", {"query": sql}),
        Call("run_sql", {"query": "SELECT 1 FROM notes"}),
        Call("submit_sql", {"query": sql, "confidence": 2}),
        Call("submit_sql", {"query": sql, "confidence": 0.8}),
    )
    observations = script.observations
    assert (observations[0].text, observations[0].source) == ("the question recent?", "user")
    assert "Nobody is listening" in observations[1].text
    assert json.loads(observations[2].text)["rows"] == [[2]], (
        "current_time is the tasks', not today's"
    )
    assert observations[3].text.startswith("Error: No such table")
    assert observations[4].text.startswith("Error: submit_sql: argument 'confidence'")
    attempt = trial.attempts[-1]
    assert attempt.outcome is Outcome.PASSED
    assert attempt.ending == "finished"
    assert attempt.rewards == {"ehrsql-2024": 1.0, "strict": 1.0}
    assert attempt.measures == {"answered": True, "problem": "", "confidence": 0.8}


@pytest.mark.parametrize(("k", "times"), [(100, 1), (1, 2)])
async def test_complete_result_is_not_run_again_for_grading(
    benchmark: EhrsqlBenchmark,
    questions: Path,
    monkeypatch: pytest.MonkeyPatch,
    k: int,
    times: int,
) -> None:
    sql = "SELECT patient FROM orders"
    run: list[str] = []
    execute = benchmark._database.execute

    def counted(text: str, **limits: Any) -> Any:
        run.append(text)
        return execute(text, **limits)

    benchmark.load(questions)
    monkeypatch.setattr(benchmark._database, "execute", counted)
    calls = Call("run_sql", {"query": sql, "k": k}), Call("submit_sql", {"query": sql})
    await play(benchmark, questions, "recent", *calls)
    assert run.count(sql) == times


@pytest.mark.parametrize(
    ("id", "action", "passed", "why"),
    [
        ("plan", Call("abstain", {"reason": "no plans are recorded"}), True, ""),
        ("plan", Call("submit_sql", {"query": "SELECT 1"}), False, "answered, but has no answer"),
        ("count", Call("abstain"), False, "refused, though it can be answered"),
        ("count", Call("submit_sql", {"query": "SELECT 9"}), False, "another result"),
        ("count", Call("submit_sql", {"query": "DROP TABLE orders"}), False, "(denied)"),
    ],
)
async def test_submitted_answer_is_graded(
    benchmark: EhrsqlBenchmark, questions: Path, id: str, action: Call, passed: bool, why: str
) -> None:
    _, trial = await play(benchmark, questions, id, action)
    attempt = trial.attempts[-1]
    assert attempt.outcome is (Outcome.PASSED if passed else Outcome.FAILED)
    assert why in attempt.reason


async def test_missing_answer_is_wrong(benchmark: EhrsqlBenchmark, questions: Path) -> None:
    _, trial = await play(benchmark, questions, "plan", *[Say("hm")] * 30)
    attempt = trial.attempts[-1]
    assert (attempt.outcome, attempt.ending) == (Outcome.FAILED, "action_limit")
    assert attempt.measures == {"answered": True, "problem": "absent", "confidence": None}


async def test_briefing_has_the_tables_and_no_gold(
    benchmark: EhrsqlBenchmark, questions: Path
) -> None:
    script, _ = await play(benchmark, questions, "drugs", Call("abstain"))
    assert script.briefing is not None
    rules = script.briefing.rules
    assert "CREATE TABLE orders" in rules
    assert "2100-12-31 23:59:00" in rules
    assert "DISTINCT drug" not in rules
    assert [tool.name for tool in script.briefing.tools] == ["run_sql", "submit_sql", "abstain"]
    assert set(script.briefing.facts) == {"database", "dialect", "current_time"}


async def test_database_is_unreachable_from_an_agent(
    benchmark: EhrsqlBenchmark, questions: Path
) -> None:
    script, _ = await play(
        benchmark,
        questions,
        "count",
        Say("Where are you?"),
        Call("run_sql", {"query": "SELECT 1 FROM nowhere"}),
        Call("run_sql", {"query": "ATTACH 'elsewhere' AS x"}),
        Call("run_sql", {"query": "PRAGMA database_list"}),
        Call("run_sql", {"query": "SELECT * FROM pragma_database_list"}),
        Call("abstain"),
    )
    assert ways_to(benchmark._database, [script]) == []
    assert ways_to(benchmark._database, [script, benchmark._database]), "the walk finds it"


def test_oracle_passes_and_its_predictions_score_the_same(
    records: Path, questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    start_run(settings(records, questions, trials=2), out, QUIET, force=False)
    predictions = json.loads((out / "predictions.json").read_text("utf-8"))
    assert predictions == json.loads((questions / "label.json").read_text("utf-8"))
    assert not (out / "confidences.json").exists()
    summary = read_report(out).summary
    assert list(summary.tables)[:3] == ["scores", "answers", "breakdown"]
    assert summary.tables["scores"].rows[5][:2] == ("F1_exe", 100.0)
    files = FileOptions(
        file=out / "predictions.json",
        labels=questions,
        database=str(records),
        grading="ehrsql-2024",
    )
    assert score_files(files).as_json()["F1_exe"] == 100.0
    start_run(settings(records, questions), out, QUIET, force=True)
    assert (out / "predictions.json").exists()


def test_tasks_that_a_run_left_out_are_named_by_score(
    records: Path, questions: Path, tmp_path: Path
) -> None:
    labels = json.loads((questions / "label.json").read_text("utf-8"))
    (questions / "label.json").write_text(
        json.dumps(labels | {"drugs": "SELECT missing FROM orders"})
    )
    out = tmp_path / "run"
    start_run(settings(records, questions), out, QUIET, force=False)
    files = FileOptions(
        file=out / "predictions.json", labels=questions, database=str(records), grading="strict"
    )
    report = score_files(files)
    assert report.problems()["left out by the run"] == ["drugs"]
    assert report.left_out == {"drugs": "its gold query fails: No such column: missing."}


def test_unlabelled_questions_give_predictions_without_scores(
    records: Path, questions: Path, tmp_path: Path
) -> None:
    (questions / "label.json").unlink()
    out = tmp_path / "run"
    start_run(settings(records, questions), out, QUIET, force=False)
    predictions = json.loads((out / "predictions.json").read_text("utf-8"))
    assert set(predictions) == {"count", "drugs", "recent", "pulse", "plan", "why"}
    trials = read_trials(out)
    assert {trial.outcome for trial in trials} == {Outcome.UNSCORED}
    assert {tuple(trial.scores) for trial in trials} == {()}
    tables = read_report(out).summary.tables
    assert list(tables) == ["outcomes", "cost"]
    assert tables["outcomes"].rows[0][-2] == 0


def test_validation_finds_failing_and_differing_golds(records: Path, questions: Path) -> None:
    labels = json.loads((questions / "label.json").read_text("utf-8"))
    labels["drugs"] = "SELECT nothing FROM orders"
    (questions / "label.json").write_text(json.dumps(labels), encoding="utf-8")
    (questions / "answer.json").write_text('{"count": "[[\'77\']]"}', encoding="utf-8")
    verdict = validate_tasks(settings(records, questions))
    assert [defect.where for defect in verdict.defects] == ["count", "drugs"]
    assert verdict.defects[0].reason.endswith("than the published one: want 77.0, got 3.0")
    assert "its gold query fails" in verdict.defects[1].reason
    assert verdict.summary.tables["golds"].rows == (
        ("answerable", 2, 2),
        ("unanswerable", 2, 2),
        ("all", 4, 4),
    )


@pytest.mark.parametrize(
    ("answer", "rows", "difference"),
    [
        ((("1",),), ((1,), (2,)), "want nothing more, got 2.0"),
        ((("1",), ("2",)), ((1,),), "want 2.0, got nothing more"),
        ((("a, b",),), (("a", "b"),), "want a, b, got a, b"),
        ((), (("a",),), "want nothing more, got a"),
    ],
)
def test_gold_s_difference_from_its_published_answer_is_named(
    answer: Any, rows: Any, difference: str
) -> None:
    hidden = EhrsqlHidden("SELECT 1", "ehrsql-2024", answer)
    problem = check_gold(Task("t", EhrsqlPublic("?", "2100-12-31"), hidden), Ran(rows))
    assert problem.endswith(difference)


def test_the_synthetic_hospital_is_the_default_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")  # the user's own is built once
    none = RunSettings(benchmark=WHERE, agent="oracle")
    opened = EhrsqlBenchmark.open(none.opening(RoleModels({})))
    [name] = opened.fingerprints()
    opened.close()
    assert name.startswith("hospital-")


def test_one_database_and_tasks_are_required(records: Path, questions: Path) -> None:
    two = RunSettings(benchmark=WHERE, agent="oracle", databases={"a": str(records), "b": "b"})
    with pytest.raises(UserError, match="EHRSQL asks about one database, and 2 were given"):
        EhrsqlBenchmark.open(two.opening(RoleModels({})))
    opened = EhrsqlBenchmark.open(settings(records, None).opening(RoleModels({})))
    with pytest.raises(UserError, match="no shipped tasks"):
        opened.load(None)
    opened.close()


def test_judge_grades_in_a_process_without_cached_golds(records: Path, questions: Path) -> None:
    loaded = EhrsqlBenchmark.open(settings(records, questions).opening(RoleModels({})))
    fresh = EhrsqlBenchmark.open(settings(records, questions).opening(RoleModels({})))
    task = loaded.load(questions).tasks[0]
    trajectories = [run(benchmark, task) for benchmark in (loaded, fresh)]
    assert [trial.attempts[-1].outcome for trial in trajectories] == [Outcome.PASSED] * 2
    loaded.close()
    fresh.close()


def run(benchmark: EhrsqlBenchmark, task: EhrsqlTask) -> FinishedTrial:
    import asyncio

    return asyncio.run(run_trial(benchmark, benchmark.oracle(task), task, 0))
