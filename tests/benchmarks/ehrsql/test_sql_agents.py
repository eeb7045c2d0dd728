"""The SQL writer as an agent: its actions, its examples and its prompt."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.ehrsql.conftest import SHARED
from wardround.agents.sql_writer.examples import Examples
from wardround.benchmarks.ehrsql.sql_agents import open_agents
from wardround.benchmarks.ehrsql.tasks import load_pairs
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext
from wardround.core.environment import Agent
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Ledger
from wardround.models import Message, Reply, scripted

TRAIN = SHARED / "ehrsql-2024"


@pytest.mark.skipif(not TRAIN.is_dir(), reason="needs the published questions")
def test_published_examples_mostly_use_the_same_tables() -> None:
    examples = Examples(load_pairs(TRAIN / "train")[:800])
    asked = [pair for pair in load_pairs(TRAIN / "valid") if pair.sql][::20]
    near = [examples.similar(pair.question, 1)[0] for pair in asked]
    pairs = zip(near, asked, strict=True)
    same = [item.sql and _tables(item.sql) == _tables(two.sql) for item, two in pairs]
    assert (sum(map(bool, same)), len(asked)) == (25, 47)


def _tables(sql: str | None) -> set[str]:
    return {after.split()[0] for after in (sql or "").split("FROM ")[1:]}


RULES = """Tables
CREATE TABLE patients (
    subject_id INTEGER NOT NULL,
    gender TEXT,
    dob TEXT,
    dod TEXT,
    row_id INTEGER,
    PRIMARY KEY (row_id)
)

CREATE TABLE mine (
    bare,
    subject_id INTEGER,
    FOREIGN KEY (subject_id) REFERENCES patients(subject_id)
)"""


class Sampled:
    """A model with scripted answers that records its prompts."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.prompts: list[list[Message]] = []

    def __call__(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        self.prompts.append(list(messages))
        return Reply(self.answers.pop(0))


TOOLS = (
    ("run_sql", "run_query", "query"),
    ("submit_sql", "answer_with_query", "query", "confidence"),
    ("abstain", "abstain", "reason", "confidence"),
)


def writer(model: Sampled, prices: Sequence[float] = (0, 0, 0), **settings: Any) -> Agent:
    facts = {"dialect": "sqlite", "current_time": "2100-12-31 23:59:00"}
    specs = tuple(
        ToolSpec(name, "", {"properties": parameters}, price, role)
        for (name, role, *parameters), price in zip(TOOLS, prices, strict=True)
    )
    make = open_agents(scripted(model), **settings)
    return make(Briefing(RULES, specs, facts), AgentContext(1, Ledger()))


def sample(sql: str) -> str:
    return json.dumps({"sql": sql})


async def actions(agent: Agent, *results: str) -> list[Action]:
    """The agent's actions on a question and these tool results."""
    tool_results = (Observation(text, "tool") for text in results)
    observations = [Observation("How many patients?", "user"), *tool_results]
    return [await agent.act(observation) for observation in observations]


FOUR, FIVE = (json.dumps({"columns": ["n"], "rows": [[n]], "truncated": False}) for n in (4, 5))


async def test_each_query_is_run_once_and_the_agreed_one_is_submitted() -> None:
    model = Sampled(
        sample("SELECT 5"), sample("SELECT 4;"), sample("SELECT 4"), sample("SELECT 2+2")
    )
    done = await actions(writer(model, samples=4), FIVE, FOUR, FOUR)
    assert done == [
        Call("run_sql", {"query": "SELECT 5"}),
        Call("run_sql", {"query": "SELECT 4"}),
        Call("run_sql", {"query": "SELECT 2+2"}),
        Call("submit_sql", {"query": "SELECT 4", "confidence": 0.75}),
    ]


async def test_agent_abstains_if_most_samples_have_no_answer() -> None:
    model = Sampled(sample("null"), sample("NULL"), sample("SELECT 4"))
    *_, last = await actions(writer(model, samples=3), FOUR)
    assert isinstance(last, Call)
    assert last.tool == "abstain"
    assert last.arguments["confidence"] == pytest.approx(2 / 3)


async def test_unreadable_samples_have_no_vote() -> None:
    model = Sampled(sample("SELECT 4"), *["no JSON"] * 30)
    agent = writer(model, samples=3)
    done = await actions(agent, FOUR)
    assert [action.tool for action in done if isinstance(action, Call)] == ["run_sql", "abstain"]


async def test_a_failing_query_has_no_vote() -> None:
    model = Sampled(sample("SELECT x"), sample("SELECT 4"))
    done = await actions(writer(model, samples=2), "Error: no such column: x", FOUR)
    assert done[-1] == Call("submit_sql", {"query": "SELECT 4", "confidence": 0.5})


async def test_queries_without_budget_for_submission_are_not_run() -> None:
    model = Sampled(sample("SELECT 4"), sample("SELECT 2+2"), sample("SELECT 3+1"))
    agent = writer(model, prices=(1, 3, 0), samples=3)
    await agent.act(Observation("How many patients?", "user", budget=5.0))
    second = Observation(f"{FOUR}\n[left: 4]", "tool", budget=4.0)
    assert await agent.act(second) == Call("run_sql", {"query": "SELECT 2+2"})
    third = await agent.act(Observation(f"{FOUR}\n[left: 3]", "tool", budget=3.0))
    assert third == Call("submit_sql", {"query": "SELECT 4", "confidence": pytest.approx(2 / 3)})


def test_tasks_without_its_tools_are_refused() -> None:
    make = open_agents(scripted(Sampled()))
    with pytest.raises(UserError, match="needs a tool with the role 'run_query'"):
        make(Briefing(RULES, ()), AgentContext(1, Ledger()))


async def test_the_prompt_holds_rules_meanings_and_examples(tmp_path: Path) -> None:
    train = tmp_path / "train.json"
    known = [{"id": "1", "question": "How many men?", "db_id": "x", "query": "select 'known'"}]
    train.write_text(json.dumps(known), encoding="utf-8")
    model = Sampled(sample("null"))
    await actions(writer(model, samples=1, k=1, examples=train))
    [[rules, prompt]] = model.prompts
    assert "now, which is 2100-12-31 23:59:00" in rules.text
    assert "{{" not in rules.text
    assert "\npatients\n- subject_id\n" in rules.text
    assert rules.text.endswith("\nmine\n- bare\n- subject_id\n")
    assert "Question: How many men?\nSQL: select 'known'" in prompt.text
    assert prompt.text.endswith("Question: How many patients?\nSQL:")


def test_missing_model_is_refused_with_the_option_to_name_it() -> None:
    with pytest.raises(UserError, match="--model"):
        open_agents(None)
