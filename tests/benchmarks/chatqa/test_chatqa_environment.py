"""The environment: results of the six tools, the user's replies, and grading."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.trials import run_trial
from wardround.benchmarks.chatqa import benchmark as benchmark_module
from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.benchmarks.chatqa.environment import ChatEnvironment
from wardround.core.actions import Call, Observation, Say
from wardround.core.benchmark import TrialContext
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.people.person import END, Utterance

Opener = Callable[..., ChatBenchmark]

TASKS: list[dict[str, Any]] = [
    {
        "task_id": "1",
        "task_type": "incre",
        "db_id": "small",
        "instruction": "Your goal is to find the number of patients. Specifically, you want to "
        "know how many patients were prescribed Lopressor.",
        "gold_sql": "SELECT COUNT(DISTINCT patient) FROM orders WHERE drug LIKE '%metoprolol%'",
        "gold_answer": [[2]],
    },
    {
        "task_id": "2",
        "task_type": "adapt",
        "db_id": "small",
        "instruction": "Your goal is to find when a drug was started. Specifically, you want to "
        "know when patient 3 was first prescribed Lasix.",
        "gold_sql": "SELECT MIN(started) FROM orders WHERE patient = 3",
        "gold_answer": [["2100-04-01 08:00:00"]],
    },
]


@pytest.fixture
def task_file(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps(TASKS))
    return path


async def first_environment(benchmark: ChatBenchmark, task_file: Path) -> Any:
    task = benchmark.load(task_file).tasks[0]
    environment = await benchmark.environment(task, TrialContext(3, Limits(), Trajectory()))
    await environment.start()
    return environment


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (Call("table_search"), '["orders"]'),
        (
            Call(
                "value_substring_search", {"table": "orders", "column": "drug", "value": "TARTRATE"}
            ),
            '["metoprolol tartrate"]',
        ),
        (
            Call(
                "value_similarity_search",
                {"table": "orders", "column": "drug", "value": "Coumadin", "k": 1},
            ),
            '["warfarin"]',
        ),
        (
            Call("sql_execute", {"query": "SELECT DISTINCT patient FROM orders", "k": 2}),
            '{"columns":["patient"],"rows":[[1],[2]],"truncated":true}',
        ),
    ],
)
async def test_tool_returns_its_result(
    open_chat: Opener, task_file: Path, call: Call, result: str
) -> None:
    environment = await first_environment(open_chat(), task_file)
    assert await environment.step(call) == Observation(result, "tool")


async def test_column_search_shows_the_definition_and_three_rows(
    open_chat: Opener, task_file: Path
) -> None:
    environment = await first_environment(open_chat(), task_file)
    text = (await environment.step(Call("column_search", {"table": "orders"}))).text
    assert text.startswith("CREATE TABLE orders (")
    assert "patient INTEGER NOT NULL" in text
    assert text.splitlines()[-4:] == [
        '["patient","drug","started"]',
        '[1,"metoprolol tartrate","2100-02-01 08:00:00"]',
        '[2,"metoprolol tartrate","2100-03-01 08:00:00"]',
        '[2,"warfarin","2100-03-02 08:00:00"]',
    ]


async def test_web_search_finds_clinical_knowledge_with_its_source(
    open_chat: Opener, task_file: Path
) -> None:
    environment = await first_environment(open_chat(), task_file)
    text = (await environment.step(Call("web_search", {"keyword": "Lopressor"}))).text
    assert text.startswith("metoprolol")
    assert "Source: " in text
    nothing = (await environment.step(Call("web_search", {"keyword": "zzqqx"}))).text
    assert nothing == "Nothing was found on 'zzqqx'."


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (Call("drop_table"), "no tool named 'drop_table'"),
        (Call("column_search", {"table": "nowhere"}), "no table 'nowhere'"),
        (Call("sql_execute", {"query": "DELETE FROM orders"}), ""),
        (Call("sql_execute", {"query": "SELEC 1"}), ""),
        (Call("sql_execute", {"query": "SELECT 1", "k": 0}), "'k'"),
        (
            Call("value_substring_search", {"table": "orders", "column": "colour", "value": "x"}),
            "colour",
        ),
    ],
)
async def test_invalid_call_returns_an_error_and_the_trial_continues(
    open_chat: Opener, task_file: Path, call: Call, complaint: str
) -> None:
    environment = await first_environment(open_chat(), task_file)
    answer = await environment.step(call)
    assert answer.text.startswith("Error: ")
    assert complaint in answer.text
    assert not answer.done
    assert (await environment.step(Call("table_search"))).text == '["orders"]'


async def test_the_briefing_states_limits_rules_and_tools(
    open_chat: Opener, task_file: Path
) -> None:
    environment = await first_environment(open_chat(), task_file)
    briefing = environment.briefing
    assert [tool.name for tool in briefing.tools] == [
        "table_search",
        "column_search",
        "value_substring_search",
        "value_similarity_search",
        "web_search",
        "sql_execute",
    ]
    for stated in ("30 of your actions", "within 60 seconds", "600 seconds", "2100-12-31 23:59:00"):
        assert stated in briefing.rules
    assert briefing.facts["flow"] == "incre"


@pytest.mark.parametrize("schema", ["mimic_iv_star", "eicu_star"])
def test_each_published_database_has_its_own_rules(schema: str) -> None:
    from wardround.benchmarks.chatqa.environment import agent_rules

    facts = {"flow": "adapt", "dialect": "sqlite", "current_time": "2100-12-31 23:59:00"}
    rules = agent_rules(facts, schema, Limits())
    expected = {"mimic_iv_star": "costrecords.eventtype", "eicu_star": "cost.event_type"}[schema]
    assert expected in rules
    assert "<answer>42</answer>" in rules


async def test_the_oracle_passes_both_flows_in_both_modes(
    open_chat: Opener, task_file: Path
) -> None:
    benchmark = open_chat()
    for task in benchmark.load(task_file).tasks:
        finished = await run_trial(benchmark, benchmark.oracle(task), task, 0)
        assert finished.attempts[-1].rewards == {"paper": 1.0, "strict": 1.0}, task.id
        assert finished.attempts[-1].ending == "finished"


class Silent:
    """An agent that answers without using a tool."""

    async def act(self, observation: Observation) -> Say:
        return Say("I found 2. <answer>7</answer>")


async def test_guessing_agent_fails_both_flows(open_chat: Opener, task_file: Path) -> None:
    benchmark = open_chat()
    for task in benchmark.load(task_file).tasks:
        finished = await run_trial(benchmark, lambda briefing, context: Silent(), task, 0)
        assert finished.attempts[-1].rewards == {"paper": 0.0, "strict": 0.0}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"gold_sql": "SELECT nothing FROM orders"}, "gold query fails"),
        ({"gold_sql": "SELECT 1 FROM orders WHERE patient = 99"}, "returns no row"),
        ({"gold_answer": [[3]]}, "paper and strict grader on this database: want 3, got 2"),
        ({"db_id": "elsewhere"}, "--database elsewhere=FILE"),
    ],
)
def test_task_that_cannot_be_graded_becomes_a_defect(
    open_chat: Opener, tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{**TASKS[0], "task_id": "bad", **change}, TASKS[1]]))
    suite = open_chat().load(path)
    assert [task.id for task in suite.tasks] == ["small-adapt-2"]
    assert reason in suite.defects[0].reason
    path.write_text(json.dumps([{**TASKS[0], **change}]))
    with pytest.raises(UserError, match="None of the tasks"):
        open_chat().load(path)


def test_a_gold_that_reads_an_empty_table_is_refused(open_chat: Opener, tmp_path: Path) -> None:
    import sqlite3

    path, tasks = tmp_path / "half.sqlite", tmp_path / "tasks.json"
    with sqlite3.connect(path) as connection:
        connection.executescript("CREATE TABLE a (x); CREATE TABLE b (x); INSERT INTO a VALUES (1)")
    connection.close()
    golds = ("SELECT COUNT(*) FROM a", "SELECT COUNT(*) FROM a WHERE x NOT IN (SELECT x FROM b)")
    written = [
        {**TASKS[0], "task_id": str(n), "db_id": "half", "gold_sql": gold, "gold_answer": [[1]]}
        for n, gold in enumerate(golds)
    ]
    tasks.write_text(json.dumps(written))
    suite = open_chat(databases={"half": str(path)}).load(tasks)
    assert [task.id for task in suite.tasks] == ["half-incre-0"]
    assert "reads the table b, which is empty" in suite.defects[0].reason


async def test_an_end_token_in_the_first_message_ends_nothing() -> None:
    class Hasty:
        async def open(self) -> Utterance:
            return Utterance("###END###", ends=True)

        async def reply(self, message: str) -> Utterance:
            return Utterance("###END###", ends=True)

    environment = ChatEnvironment(Briefing("", (), {}), Hasty(), Toolbox([]))
    assert not (await environment.start()).done
    assert (await environment.step(Say("Hello."))).done


class Says:
    """A user, or an agent, with a script."""

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)

    async def open(self) -> Utterance:
        return Utterance(self._texts.pop(0))

    async def reply(self, message: str) -> Utterance:
        text = self._texts.pop(0)
        return Utterance(text, text == END)

    async def act(self, observation: Observation) -> Say:
        return Say(self._texts.pop(0))


@pytest.mark.parametrize(
    ("user", "agent", "outcome"),
    [
        (("Lasix?", "Is it furosemide?", END), ("None.", "Two."), "user_error"),
        (("Lasix?", "FUROSEMIDE then.", END), ("None.", "Two."), "user_error"),
        (("Lasix?", "Yes, furosemide.", END), ("Do you mean Furosemide?", "Two."), "failed"),
        (("Lasix?", "furosemides?", END), ("None.", "Two."), "failed"),
    ],
)
async def test_a_name_that_the_user_says_before_its_time_fails_no_agent(
    open_chat: Opener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    user: tuple[str, ...],
    agent: tuple[str, ...],
    outcome: str,
) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{**TASKS[1], "withheld": ["furosemide"]}]))
    benchmark = open_chat()
    (task,) = benchmark.load(path).tasks
    monkeypatch.setattr(benchmark_module, "user_of", lambda *parts: Says(*user))
    finished = await run_trial(benchmark, lambda *parts: Says(*agent), task, 0, attempts=2)
    assert str(finished.attempts[-1].outcome) == outcome
    assert len(finished.attempts) == (2 if outcome == "user_error" else 1)
    if outcome == "user_error":
        assert "named furosemide before" in finished.attempts[0].reason
