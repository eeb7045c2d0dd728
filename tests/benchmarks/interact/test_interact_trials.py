"""Whole trials: by the oracle, by faulty agents, and concurrently."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cases import one_in
from tests.reachable import reachable, ways_to
from tests.records import trial_record
from tests.trials import run_trial
from wardround.assessment.answer import sentences
from wardround.assessment.assessed import Assessed
from wardround.assessment.evidence import PlayedSuite
from wardround.benchmarks.interact.benchmark import InteractBenchmark
from wardround.benchmarks.interact.declaration import InteractOptions
from wardround.benchmarks.interact.open_databases import OpenDatabase
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.task import Briefing, Task
from wardround.core.trajectory import Trajectory
from wardround.core.trial import FinishedTrial
from wardround.ehr.database import Database
from wardround.ehr.knowledge import KnowledgeBase, KnowledgeEntry, Meanings
from wardround.models.roles import RoleModels
from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.secret import Ambiguity, Secret
from wardround.runs.settings import RunSettings

CROWDED = KnowledgeEntry(1, "Crowded", "Of wards.", "Of more than thirtymark beds.")
KNOWN = KnowledgeBase({1: CROWDED, 2: KnowledgeEntry(2, "Small", "Of wards.", "Of few beds.")})

TEST = """
def test_case(pred_sqls, sol_sqls, db_name, conn):
    execute_queries(pred_sqls, db_name, conn)
    eyes = "SELECT 'testmark', beds FROM wards WHERE ward = 'Eyes'"
    rows = execute_queries(eyes, db_name, conn)[0]
    assert rows == [("testmark", 7)]
    return True
"""

FIRST = Subtask(
    "How many wards are crowded?",
    "BI",
    ("SELECT COUNT(*) AS goldmark FROM wards WHERE beds > 30",),
)
SECOND = Subtask(
    "Add a ward Eyes of 7 beds (secondmark).",
    "DM",
    ("INSERT INTO wards VALUES ('Eyes', 7)",),
    (TEST,),
)
GAP = Ambiguity("Crowded", "one-shot", ("beds > 30",), knowledge=1, meaning="Of more than 30 beds.")
TASK: InteractTask = interact_task(
    "taskidmark",
    InteractPublic(FIRST.request, "ward"),
    InteractHidden("Count wards of more than 30 beds (clearmark).", FIRST, SECOND, (GAP,)),
)
SECRETS = ("goldmark", "testmark", "clearmark", "secondmark", "thirtymark", "taskidmark")


class Plan:
    """An agent with scripted actions that repeats the last one."""

    def __init__(self, *plan: Action) -> None:
        self.plan = list(plan)
        self.observations: list[Observation] = []

    async def act(self, observation: Observation) -> Action:
        self.observations.append(observation)
        return self.plan.pop(0) if len(self.plan) > 1 else self.plan[0]


def submit(sql: str) -> Call:
    return Call("submit", {"sql": sql})


def planned(*plan: Action) -> AgentMaker:
    return lambda briefing, context: Plan(*plan)


def opened(database: Database, **settings: Any) -> InteractBenchmark:
    chart = OpenDatabase(database, "fingerprint", "CREATE TABLE wards (…)", Meanings(()), KNOWN)
    chosen = RunSettings(
        benchmark="interact", agent="test", actions=8, options=InteractOptions(**settings)
    )
    opening = chosen.opening(RoleModels({}))
    return InteractBenchmark(
        {"ward": chart}, lambda secret, context: ModelFree(secret), opening, {}, None
    )


@pytest.fixture(params=["c", "a"])
def benchmark(
    ward_database: Database, request: pytest.FixtureRequest
) -> Iterator[InteractBenchmark]:
    opened_benchmark = opened(ward_database, mode=request.param)
    yield opened_benchmark
    # The database belongs to the session's fixture and stays open.
    opened_benchmark._grader.close()


async def trial(benchmark: InteractBenchmark, make: AgentMaker) -> FinishedTrial:
    return await run_trial(benchmark, make, TASK, 0)


async def test_oracle_earns_the_full_reward(benchmark: InteractBenchmark) -> None:
    last = (await trial(benchmark, benchmark.oracle(TASK))).attempts[-1]
    assert last.outcome is Outcome.PASSED
    assert last.rewards == {"paper": 1.0, "strict": 1.0}


async def test_second_try_is_worth_less_only_in_a_conversation(
    benchmark: InteractBenchmark,
) -> None:
    make = planned(
        submit("SELECT 99"),
        submit("SELECT COUNT(*) FROM wards WHERE beds > 30"),
        submit("INSERT INTO wards VALUES ('Eyes', 7)"),
    )
    last = (await trial(benchmark, make)).attempts[-1]
    assert last.outcome is Outcome.PASSED
    assert last.rewards is not None
    assert last.rewards["paper"] == (0.8 if benchmark._options.mode == "c" else 1.0)


@pytest.mark.parametrize(
    ("submissions", "sentence"),
    [
        (
            ["UPDATE wards SET beds = 8"],
            "It writes something wrong or unasked into the record in 100%",
        ),
        (
            ["SELECT COUNT(*) FROM wards WHERE beds > 30", "UPDATE wards SET beds = 7"],
            "It writes something wrong or unasked into the record in 100%",
        ),
        (
            [
                "SELECT COUNT(*) FROM wards WHERE beds > 30",
                "INSERT INTO wards VALUES ('Eyes', 7)",
            ],
            "No wrong write was seen in 1 task",
        ),
    ],
)
async def test_a_wrong_write_is_told_on_the_page(
    ward_database: Database, submissions: list[str], sentence: str
) -> None:
    benchmark = opened(ward_database)
    last = (await trial(benchmark, planned(*map(submit, submissions)))).last
    trials = [trial_record("1", outcome=Outcome.FAILED, measures=last.measures or {})]
    played = PlayedSuite("interact", trials, benchmark.harms(trials))
    assessed = Assessed("scripted", "ward", (), "28 November 2026", 1, (), (played,))
    assert any(each.startswith(sentence) for each in sentences(assessed))
    benchmark._grader.close()


async def test_malformed_submission_does_not_lower_the_reward(
    benchmark: InteractBenchmark,
) -> None:
    golds = [each.gold[0] for each in (TASK.hidden.first, TASK.hidden.second) if each]
    make = planned(Call("submit", {"statement": golds[0]}), *map(submit, golds))
    last = (await trial(benchmark, make)).attempts[-1]
    assert last.rewards == {"paper": 1.0, "strict": 1.0}


@pytest.mark.parametrize(("mode", "budget"), [("c", 3.0), ("a", 12.0)])
async def test_questions_and_budgets_count_budgeted_ambiguities(
    ward_database: Database, mode: str, budget: float
) -> None:
    benign = replace(GAP, term="many", kind="semantic", critical=False, knowledge=None)
    hidden = replace(TASK.hidden, ambiguities=(GAP, benign))
    benchmark = opened(ward_database, mode=mode, patience=2)
    plan = Plan(submit("SELECT 1"))
    await run_trial(
        benchmark, lambda briefing, context: plan, interact_task("t", TASK.public, hidden), 0
    )
    benchmark._grader.close()
    assert plan.observations[0].budget == budget


async def test_score_matches_the_environment_when_the_budget_ends(
    ward_database: Database,
) -> None:
    benchmark = opened(ward_database, mode="a", patience=0)
    golds = [each.gold[0] for each in (TASK.hidden.first, TASK.hidden.second) if each]
    looks = [Call("execute", {"sql": "SELECT 1"})] * 4
    plan = Plan(*looks, submit("SELECT 99"), *map(submit, golds))
    last = (await trial(benchmark, lambda briefing, context: plan)).attempts[-1]
    benchmark._grader.close()
    assert len(plan.observations) == 6, "the submission that could not be paid was the last"
    assert last.rewards == {"paper": 0.7, "strict": 0.7}


@pytest.mark.parametrize(
    ("mode", "setting"),
    [
        ("a", {"graft": Path()}),
        ("c", {"free": True}),
        ("clear", {"reset": "execute"}),
        ("c", {"own_actions": "m:f"}),
    ],
)
def test_options_of_another_mode_are_refused(mode: str, setting: dict[str, Any]) -> None:
    options: Any = {"mode": mode, **setting}
    with pytest.raises(UserError, match=f"means nothing in --mode {mode}"):
        RunSettings(benchmark="interact", agent="test", options=options)


@pytest.mark.parametrize(
    "action",
    one_in(
        3,
        [
            Say("Hm."),
            submit(""),
            submit(";;;"),
            submit("rubbish in, rubbish out"),
            submit("SELECT 'x' -- " + "x" * 10_000_000),
            submit("DROP TABLE wards, stays"),
            submit("SELECT pg_terminate_backend(pg_backend_pid())"),
            Call("no_such_tool", {"a": 1}),
            Call("submit", {"sql": 7, "more": None}),
            Call("submit", {"sql": b"SELECT 1"}),
            submit("SELECT '\ud83d'"),
            submit("SELECT 1\0"),
        ],
    ),
    ids=lambda action: str(action)[:40],
)
@pytest.mark.parametrize(
    "benchmark", ["c", pytest.param("a", marks=pytest.mark.slow)], indirect=True
)
async def test_invalid_actions_fail_only_their_trial(
    benchmark: InteractBenchmark, action: Action
) -> None:
    last = (await trial(benchmark, planned(action))).attempts[-1]
    assert last.outcome is Outcome.FAILED
    assert last.rewards == {"paper": 0.0, "strict": 0.0}
    after = await trial(benchmark, benchmark.oracle(TASK))
    assert after.attempts[-1].outcome is Outcome.PASSED, "the database is as it was"


async def test_concurrent_trials_are_isolated(ward_database: Database) -> None:
    benchmark = opened(ward_database, mode="a", free=True)
    observed: dict[int, list[Observation]] = {}

    def writing(number: int) -> AgentMaker:
        def make(briefing: Briefing, context: AgentContext) -> Plan:
            agent = Plan(
                Call("execute", {"sql": f"INSERT INTO wards VALUES ('own{number}', {number + 1})"}),
                Call("execute", {"sql": "SELECT ward FROM wards WHERE ward LIKE 'own%'"}),
                Call("execute", {"sql": f"UPDATE wards SET beds = beds + {number}"}),
                Call("execute", {"sql": "SELECT SUM(beds) FROM wards"}),
                submit("SELECT 1"),
            )
            observed[number] = agent.observations
            return agent

        return make

    await asyncio.gather(*(run_trial(benchmark, writing(n), TASK, n) for n in range(8)))
    for number, observations in observed.items():
        _, _, wards, _, beds = (each.text for each in observations[:5])
        assert f'"rows":[["own{number}"]]' in wards
        assert f'"rows":[[{82 + number + 1 + 4 * number}]]' in beds
    assert ward_database.execute("SELECT COUNT(*) FROM wards").rows == [(3,)]
    benchmark._grader.close()


async def test_gold_is_unreachable_from_an_agent(
    benchmark: InteractBenchmark,
) -> None:
    objects: list[Any] = []

    def make(briefing: Briefing, context: AgentContext) -> Plan:
        agent = Plan(
            Say("What does crowded mean?"),
            Call("ask", {"question": "What does crowded mean?"}),
            Call("get_all_knowledge_definitions"),
            Call("get_knowledge_definition", {"knowledge": "Crowded"}),
            submit("SELECT 99"),
        )
        objects.extend([briefing, context, agent])
        return agent

    await trial(benchmark, make)
    reached = list(reachable(objects))
    texts = [thing for thing in reached if isinstance(thing, str)]
    assert any("Small" in text for text in texts), "the walk finds what is there"
    assert not [text for text in texts if any(secret in text for secret in SECRETS)]
    assert not [t for t in reached if isinstance(t, Task | InteractHidden | Secret | Trajectory)]


async def test_database_is_unreachable_from_an_agent(
    benchmark: InteractBenchmark, ward_database: Database
) -> None:
    objects: list[Any] = []

    def make(briefing: Briefing, context: AgentContext) -> Plan:
        agent = Plan(
            Call("get_schema"),
            Call("execute", {"sql": "SELECT 1 FROM nowhere"}),
            Call("execute", {"sql": "SELECT current_database(), inet_server_port()"}),
            Call("execute", {"sql": "SHOW data_directory"}),
            submit("SELECT 99"),
        )
        objects.extend([briefing, context, agent])
        return agent

    await trial(benchmark, make)
    assert ways_to(ward_database, objects) == []


async def test_reachability_walk_finds_planted_gold(benchmark: InteractBenchmark) -> None:
    objects: list[Any] = []
    oracle = benchmark.oracle(TASK)

    def make(briefing: Briefing, context: AgentContext) -> Any:
        objects.append(oracle(briefing, context))
        return objects[0]

    await trial(benchmark, make)
    assert [t for t in reachable([make]) if isinstance(t, str) and "secondmark" in t]


async def test_logs_contain_only_ids_and_counts(
    benchmark: InteractBenchmark, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for make in (benchmark.oracle(TASK), planned(submit("SELECT ward FROM wards")), _failing):
        await trial(benchmark, make)
    records = (r for r in caplog.records if r.name.startswith("wardround"))
    logged = " ".join(record.getMessage() for record in records)
    for secret in (*SECRETS[:-1], "Surgery", "crowded"):
        assert secret not in logged


def _failing(briefing: Briefing, context: AgentContext) -> Any:
    class Failing:
        async def act(self, observation: Observation) -> Action:
            raise ValueError(observation.text)

    return Failing()
