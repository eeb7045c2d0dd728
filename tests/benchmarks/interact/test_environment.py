"""Both environments: turns, prices, the last submission, the follow-up, database state."""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wardround.benchmarks.interact.declaration import InteractOptions, Mode
from wardround.benchmarks.interact.environment import ConversationEnvironment, PricedEnvironment
from wardround.benchmarks.interact.open_databases import OpenDatabase
from wardround.benchmarks.interact.prices import budget_of
from wardround.benchmarks.interact.scorer import explanation
from wardround.benchmarks.interact.submission_grader import Grade
from wardround.benchmarks.interact.tasks import (
    STAGES,
    InteractHidden,
    InteractPublic,
    Subtask,
    interact_task,
)
from wardround.benchmarks.interact.tools import action_tools, own_actions, submit_tool
from wardround.benchmarks.interact.trial_state import TrialState
from wardround.benchmarks.kit.submissions import submitted
from wardround.core.actions import Call, Observation, Say
from wardround.core.environment import Environment
from wardround.core.errors import InfraError
from wardround.core.limits import Budget
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import StageStarted, Trajectory
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.database.postgres.statements import Start
from wardround.ehr.knowledge import KnowledgeBase, Meanings
from wardround.people.clarifying.questions.recorded import Questions, RecordedUser, clarified
from wardround.people.clarifying.secret import Ambiguity, Answer, Labelled, Refused

OLD = Ambiguity("old", "semantic", ("age >= 65",))
HIDDEN = InteractHidden(
    clear="Count the beds of ward 3.",
    first=Subtask("How many beds?", "BI", ("SELECT 3",)),
    second=Subtask("And chairs?", "BI", ("SELECT 4",)),
    ambiguities=(OLD,),
    before=("INSERT INTO beds VALUES (7)",),
)


class User:
    """Answers questions with "old", and records the names that the agent has seen."""

    def __init__(self) -> None:
        self.seen: list[set[str]] = []

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        self.seen.append(set(seen))
        if "old" in question:
            return Answer("65 or older.", Labelled(OLD), ("age >= 65",))
        return Answer("I cannot say.", Refused())


def judged(subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
    """Passes submissions equal to the gold, and runs them so that they leave traces."""
    start.workspace.execute(sql)
    if sql.endswith(subtask.gold[0]):
        return Grade(True, "passed", statements=(sql,))
    return Grade(False, "wrong", feedback="That is not it.")


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "ward.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE beds (floor INTEGER)")
    with closing(open_database(path)) as database:
        yield database


def opened(ward: Database) -> OpenDatabase:
    return OpenDatabase(ward, "", "CREATE TABLE beds", Meanings(()), KnowledgeBase({}))


def state_of(
    ward: Database,
    hidden: InteractHidden = HIDDEN,
    *,
    reset: str = "submit",
    trajectory: Trajectory | None = None,
) -> TrialState:
    note = (trajectory or Trajectory()).record
    options = InteractOptions.model_validate({"mode": "a", "reset": reset})
    return TrialState(hidden, ward.writable(), judged, 5.0, options, note)


def conversation(ward: Database, user: User, trajectory: Trajectory) -> ConversationEnvironment:
    tools = Toolbox([submit_tool()])
    briefing = Briefing("The table beds has a floor.", tools.specs)
    questions = Questions(dict.fromkeys(STAGES, user), trajectory.record)
    state = state_of(ward, trajectory=trajectory)
    return ConversationEnvironment(briefing, state, questions, tools, 2, "How many beds?")


def priced(
    ward: Database,
    budget: Budget | None,
    user: User | None = None,
    *,
    reset: str = "submit",
    trajectory: Trajectory | None = None,
) -> PricedEnvironment:
    trajectory = Trajectory() if trajectory is None else trajectory
    state = state_of(ward, reset=reset, trajectory=trajectory)
    tools = Toolbox(action_tools(state, opened(ward)))
    questions = Questions(dict.fromkeys(STAGES, user or User()), trajectory.record)
    return PricedEnvironment(Briefing("", tools.specs), state, questions, tools, budget)


async def submit(environment: Environment, sql: str) -> Observation:
    return await environment.step(Call("submit", {"sql": sql}))


async def run(environment: Environment, sql: str) -> str:
    return (await environment.step(Call("execute", {"sql": sql}))).text


async def test_questions_are_answered_within_patience(ward: Database) -> None:
    user, trajectory = User(), Trajectory()
    environment = conversation(ward, user, trajectory)
    assert (await environment.start()).budget == 2
    first = await environment.step(Say("How old?"))
    assert first.text == "65 or older.\n[Questions left: 1]"
    assert (first.source, first.budget) == ("user", 1)
    await environment.step(Say("Which hadm_id?"))
    third = await environment.step(Say("How old?"))
    assert "submit" in third.text
    assert len(user.seen) == 2
    assert {"beds", "floor"} <= user.seen[0]
    assert "hadm_id" in user.seen[1]
    noted = [(each.action, each.term, each.leaks) for each in clarified(trajectory)]
    assert noted == [("AMB", "old", 1), ("UNA", "", 0)]
    await environment.close()


async def test_observations_name_the_current_stage(ward: Database) -> None:
    for environment in (conversation(ward, User(), Trajectory()), priced(ward, None)):
        assert (await environment.start()).stage == "first"
        assert (await submit(environment, "SELECT 1")).stage == "first"
        assert (await submit(environment, "SELECT 3")).stage == "second"
        assert (await submit(environment, "SELECT 4")).done
        await environment.close()


async def test_conversation_ends_after_two_failed_tries(ward: Database) -> None:
    environment = conversation(ward, User(), Trajectory())
    await environment.start()
    second = await submit(environment, "SELECT 1")
    assert second.text.startswith("That is not it.")
    assert not second.done
    assert (await submit(environment, "SELECT 2")).done
    await environment.close()


async def test_follow_up_comes_after_success_and_has_its_own_two_tries(ward: Database) -> None:
    environment = conversation(ward, User(), Trajectory())
    await environment.start()
    await submit(environment, "SELECT 1")
    follows = await submit(environment, "SELECT 3")
    assert follows.text.endswith("And chairs?")
    assert "submit" in (await environment.step(Say("Which chairs?"))).text
    assert not (await submit(environment, "SELECT 3")).done
    assert (await submit(environment, "SELECT 4")).done
    await environment.close()


async def test_call_without_sql_is_an_error_but_not_a_submission(ward: Database) -> None:
    environment = conversation(ward, User(), Trajectory())
    await environment.start()
    assert (await environment.step(Call("submit", {}))).text.startswith("Error:")
    assert not (await submit(environment, "SELECT 1")).done
    await environment.close()


async def test_actions_cost_their_price_and_observations_show_the_remainder(ward: Database) -> None:
    environment = priced(ward, Budget(budget_of(ambiguities=1, patience=0)))
    await environment.start()
    spent = [
        (Call("execute", {"sql": "SELECT 1"}), 7.0),
        (Call("get_column_meaning", {"table": "beds", "column": "floor"}), 6.5),
        (Call("ask", {"question": "How old?"}), 4.5),
        (Call("get_all_external_knowledge_names"), 4.0),
        (Call("submit", {"sql": "SELECT 1"}), 1.0),
    ]
    for action, remaining in spent:
        observation = await environment.step(action)
        assert observation.budget == remaining
        assert observation.text.endswith(f"[Budget left: {remaining:g}]")
        assert not observation.done
    await environment.close()


async def test_without_budget_only_one_submission_is_accepted(ward: Database) -> None:
    environment = priced(ward, Budget(1.5))
    await environment.start()
    refused = await environment.step(Call("ask", {"question": "How old?"}))
    assert refused.budget == 1.5
    assert "Submit" in refused.text
    last = await submit(environment, "SELECT 3")
    assert last.done
    await environment.close()


async def test_unaffordable_submission_is_the_last(ward: Database) -> None:
    environment = priced(ward, Budget(2.5))
    await environment.start()
    last = await submit(environment, "SELECT 3")
    assert last.done
    assert last.budget == 2.5
    await environment.close()


@pytest.mark.parametrize(("first", "before"), [("SELECT 1", 0), ("SELECT 3", 0), ("SELECT 3", 2)])
async def test_submission_that_uses_up_the_budget_is_the_last(
    ward: Database, first: str, before: int
) -> None:
    environment = priced(ward, Budget(3.0 + before))
    await environment.start()
    for _ in range(before):
        await run(environment, "SELECT 1")
    last = await submit(environment, first)
    assert (last.done, last.budget) == (True, 0)
    assert last.text.startswith("The budget is spent")
    await environment.close()


async def test_submission_within_the_budget_is_not_the_last(ward: Database) -> None:
    environment = priced(ward, Budget(3.5))
    await environment.start()
    assert not (await submit(environment, "SELECT 1")).done
    await environment.close()


@pytest.mark.parametrize(
    ("ambiguities", "counted"),
    [
        ((), 0),
        ((OLD,), 1),
        ((replace(OLD, critical=False),), 0),
        ((OLD, replace(OLD, critical=False), OLD), 2),
        ((replace(OLD, critical=False, knowledge=7),), 1),
        ((replace(OLD, kind="one-shot", knowledge=7), replace(OLD, critical=False)), 1),
    ],
)
def test_budgets_count_critical_ambiguities_and_those_of_knowledge(
    ambiguities: tuple[Ambiguity, ...], counted: int
) -> None:
    assert replace(HIDDEN, ambiguities=ambiguities).budgeted == counted


async def test_only_accepted_submissions_count_as_submitted(ward: Database) -> None:
    trajectory = Trajectory()
    environment = priced(ward, Budget(7.0), trajectory=trajectory)
    await environment.start()
    for call in (
        Call("submit", {"query": "SELECT 3"}),
        Call("submit", {"sql": "SELECT 1"}),
        Call("ask", {"question": "How old?"}),
        Call("submit", {"sql": "SELECT 3"}),
    ):
        trajectory.acted(call)
        await environment.step(call)
    accepted = [(each.item, each.stage, each.sql) for each in submitted(trajectory)]
    assert accepted == [
        ("submission 1", "first", "SELECT 1"),
        ("submission 2", "first", "SELECT 3"),
    ]
    await environment.close()


async def test_the_requests_are_stages_with_their_verdicts(ward: Database) -> None:
    trajectory = Trajectory()
    environment = conversation(ward, User(), trajectory)
    await environment.start()
    for sql in ("SELECT 1", "SELECT 3", "SELECT 4"):
        await submit(environment, sql)
    await environment.close()
    started = [event for event in trajectory.events if isinstance(event, StageStarted)]
    assert [(e.stage, e.text) for e in started] == [
        ("first", "How many beds?"),
        ("second", "And chairs?"),
    ]
    graded = [
        (event.stage, [(v.item, v.source, v.state) for v in event.verdicts])
        for event in trajectory.graded_stages()
    ]
    assert graded == [
        ("first", [("submission 1", s, "failed") for s in ("program:paper", "program:strict")]),
        ("first", [("submission 2", s, "passed") for s in ("program:paper", "program:strict")]),
        ("second", [("submission 3", s, "passed") for s in ("program:paper", "program:strict")]),
    ]


async def test_evidence_with_gold_is_in_verdicts_but_not_in_events(
    ward: Database,
) -> None:
    def graded(subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
        return Grade(False, "wrong", "Wrong.", "Wrong.", evidence="want 1 row: (goldmark)")

    trajectory = Trajectory()
    options = InteractOptions(mode="a")
    case = TrialState(HIDDEN, ward.writable(), graded, 5.0, options, trajectory.record)
    await case.open()
    trajectory.acted(Call("submit", {"sql": "SELECT 4"}))
    await case.submit("SELECT 4")
    case.close()
    assert all("goldmark" not in str(event) for event in trajectory.events)
    task = interact_task("t", InteractPublic("Beds?", "ward"), HIDDEN)
    result = explanation(task, trajectory, case.submissions[0].verdicts)
    assert (result.request, result.attempt) == (HIDDEN.first.request, "SELECT 4")
    assert result.difference == "want 1 row: (goldmark)"


async def test_follow_up_passes_strictly_only_after_a_strict_first_request(ward: Database) -> None:
    def leniently(subtask: Subtask, sql: str, start: Start, mode: Mode) -> Grade:
        return Grade(mode == "paper" or subtask.request != HIDDEN.first.request, "passed")

    trajectory = Trajectory()
    state = TrialState(
        HIDDEN, ward.writable(), leniently, 5.0, InteractOptions(mode="a"), trajectory.record
    )
    await state.open()
    await state.submit("SELECT 3")
    await state.submit("SELECT 4")
    state.close()
    states = [[v.state for v in event.verdicts] for event in trajectory.graded_stages()]
    assert states == [["passed", "failed"], ["passed", "failed"]]


async def test_questions_after_a_submission_are_refused(ward: Database) -> None:
    user = User()
    environment = conversation(ward, user, Trajectory())
    await environment.start()
    await submit(environment, "SELECT 1")
    assert "submit" in (await environment.step(Say("How old?"))).text
    assert not user.seen
    await environment.close()


async def test_follow_up_has_its_own_user(ward: Database) -> None:
    first, second = User(), User()
    state = state_of(ward)
    tools = Toolbox(action_tools(state, opened(ward)))
    questions = Questions({"first": first, "second": second}, Trajectory().record)
    environment = PricedEnvironment(Briefing("", tools.specs), state, questions, tools, None)
    await environment.start()
    for sql, users in (("SELECT 1", [1, 0]), ("SELECT 3", [2, 0]), ("SELECT 1", [2, 1])):
        await environment.step(Call("ask", {"question": "How old?"}))
        assert [len(first.seen), len(second.seen)] == users
        await submit(environment, sql)
    await environment.close()


async def test_trial_ends_if_the_last_action_is_not_a_submission(ward: Database) -> None:
    environment = priced(ward, Budget(1.5))
    await environment.start()
    await environment.step(Call("ask", {"question": "How old?"}))
    assert (await environment.step(Call("execute", {"sql": "SELECT 1"}))).done
    await environment.close()


async def test_free_actions_are_unlimited(ward: Database) -> None:
    environment = priced(ward, None)
    assert (await environment.start()).budget is None
    for _ in range(12):
        assert not (await submit(environment, "SELECT 1")).done
    assert not (await submit(environment, "SELECT 3")).done
    assert (await submit(environment, "SELECT 4")).done
    await environment.close()


async def test_submissions_restore_the_database_and_statements_do_not(ward: Database) -> None:
    environment = priced(ward, None)
    await environment.start()
    assert '"rows":[[7]]' in await run(environment, "SELECT floor FROM beds")
    await run(environment, "INSERT INTO beds VALUES (8)")
    assert '"rows":[[7],[8]]' in await run(environment, "SELECT floor FROM beds ORDER BY 1")
    await submit(environment, "SELECT 1")
    assert '"rows":[[7]]' in await run(environment, "SELECT floor FROM beds")
    await environment.close()
    assert ward.execute("SELECT * FROM beds").rows == []


async def test_reset_on_execute_restores_the_database_each_time(ward: Database) -> None:
    environment = priced(ward, None, reset="execute")
    await environment.start()
    await run(environment, "INSERT INTO beds VALUES (8)")
    assert '"rows":[[7]]' in await run(environment, "SELECT floor FROM beds")
    await environment.close()


async def test_follow_up_begins_with_the_state_after_the_first_request(ward: Database) -> None:
    change = Subtask("Add a bed.", "DM", ("INSERT INTO beds VALUES (9)",))
    hidden = InteractHidden("", change, Subtask("How many?", "BI", ("SELECT 1",)), ())
    state = state_of(ward, hidden)
    await state.open()
    assert (await state.submit("INSERT INTO beds VALUES (9)")).endswith("How many?")
    assert state.stage == "second"
    assert state.execute("SELECT floor FROM beds", 10).rows == [(9,)]
    await state.submit("DELETE FROM beds")
    assert state.execute("SELECT floor FROM beds", 10).rows == [(9,)]
    state.close()


async def test_recorded_user_repeats_the_recorded_replies(ward: Database) -> None:
    trajectory = Trajectory()
    environment = conversation(ward, User(), trajectory)
    await environment.start()
    await environment.step(Say("How old?"))
    await environment.close()
    recorded = RecordedUser(trajectory)
    assert (await recorded.clarify("anything", ())).text == "65 or older."
    with pytest.raises(InfraError):
        await recorded.clarify("more", ())


async def test_last_of_several_statements_gives_the_result(ward: Database) -> None:
    with closing(state_of(ward)) as state:
        await state.open()
        several = "INSERT INTO beds VALUES (8); SELECT ';' ; SELECT MAX(floor) FROM beds -- ;"
        assert state.execute(several, 10).rows == [(8,)]
        with pytest.raises(QueryError):
            state.execute("INSERT INTO beds VALUES (9); SELECT nothing; DELETE FROM beds", 10)
        assert state.execute("SELECT MAX(floor) FROM beds", 10).rows == [(9,)]


async def test_own_action_that_runs_the_agents_sql_costs_as_much_as_execute(
    ward: Database,
) -> None:
    def opener(query: Any) -> list[Any]:
        def count_of(sql: str) -> str:
            """Counts rows."""
            return str(len(query(sql).rows))

        def length_of(sql: str) -> str:
            """Counts letters."""
            return str(len(sql))

        return [count_of, length_of]

    state = state_of(ward)
    tools = Toolbox(own_actions(opener, state))
    record = Trajectory().record
    environment = PricedEnvironment(
        Briefing("", tools.specs),
        state,
        Questions(dict.fromkeys(STAGES, User()), record),
        tools,
        Budget(3),
    )
    await environment.start()
    sql = {"sql": "SELECT * FROM beds"}
    assert (await environment.step(Call("count_of", sql))).budget == 2
    assert (await environment.step(Call("length_of", sql))).budget == 1.5
    await environment.close()


@pytest.mark.parametrize(("rows", "price"), [(10, 0.5), (2000, 1.0)])
async def test_own_actions_cost_by_the_size_of_their_result(
    ward: Database, rows: int, price: float
) -> None:
    def opener(query: Any) -> list[Any]:
        def beds() -> str:
            """Lists beds."""
            assert query("SELECT floor FROM beds").rows == [(7,)]
            return " bed" * rows

        return [beds]

    state = state_of(ward)
    nine = action_tools(state, opened(ward))
    tools = Toolbox([*nine, *own_actions(opener, state)])
    record = Trajectory().record
    questions = Questions(dict.fromkeys(STAGES, User()), record)
    environment = PricedEnvironment(Briefing("", tools.specs), state, questions, tools, Budget(1.5))
    await environment.start()
    assert (await environment.step(Call("beds"))).budget == 1.5 - price
    if price == 1:
        withheld = await environment.step(Call("beds"))
        assert "bed bed" not in withheld.text
    await environment.close()
