"""Conversations of people with an agent."""

import asyncio

import pytest

from tests.assistant.ward import BEDS, LIMITS, ROWS, Ward, consultation
from tests.cases import for_each
from wardround.assistant.consultation import Answer, Consultation, Query
from wardround.core.actions import Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.task import Briefing


async def test_an_answer_has_the_queries_that_ran_for_it() -> None:
    talk = consultation(Ward(), BEDS, Say("Two wards."))
    answer = await talk.ask("Which wards are there?")
    sql, rows = "SELECT ward, beds FROM wards", (("ICU", 12), ("Surgery", 30))
    assert answer.text == "Two wards."
    assert answer.queries == (Query(sql, ("ward", "beds"), rows, False, "duckdb"),)
    assert not answer.problem
    assert not answer.is_over
    await talk.close()


async def test_the_next_message_goes_on_and_has_no_query_of_the_last() -> None:
    talk = consultation(Ward(), BEDS, Say("Two wards."))
    await talk.ask("Which wards are there?")
    assert (await talk.ask("Thank you")).text == "You said: Thank you"
    answer = await talk.ask("And beds?")
    assert answer.text == "You said: And beds?"
    assert answer.queries == ()
    await talk.close()


async def test_a_query_that_failed_is_not_shown_as_rows() -> None:
    ward = Ward(results=("Error: no such table", ROWS))
    talk = consultation(ward, BEDS, BEDS, Say("Two wards."))
    assert len((await talk.ask("Which wards?")).queries) == 1
    await talk.close()


async def test_each_call_of_a_tool_is_told() -> None:
    told = list[str]()
    talk = consultation(Ward(), Call("look"), BEDS, Say("Two."))
    await talk.ask("Which wards?", told.append)
    assert told == ["look", "run"]
    await talk.close()


async def test_the_limit_of_actions_ends_the_conversation() -> None:
    talk = consultation(Ward(), *[BEDS] * 20, limits=Limits(actions=3, seconds=5))
    answer = await talk.ask("Which wards?")
    assert answer.is_over
    assert not answer.text
    assert answer.problem == ("The conversation reached its limit of 3 actions; start a new one.")
    assert len(answer.queries) == 3
    assert answer.caution == "There is no reply: a query that ran before is no answer."
    assert talk.is_over
    with pytest.raises(RuntimeError):
        await talk.ask("And now?")


async def test_a_slow_answer_is_given_up_and_the_environment_closed() -> None:
    ward = Ward(seconds=30)
    talk = consultation(ward, BEDS, limits=Limits(actions=10, seconds=0.2))
    answer = await talk.ask("Which wards?")
    assert answer.problem == "There was no reply within 0.2 s; start a new conversation."
    assert answer.is_over
    assert ward.closed == [True]


async def test_a_person_who_leaves_stops_the_agent() -> None:
    ward = Ward(seconds=30)
    talk = consultation(ward, BEDS)
    asking = asyncio.create_task(talk.ask("Which wards?"))
    await asyncio.sleep(0.05)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert talk.is_over
    assert ward.closed == [True]


async def test_a_fault_of_the_environment_is_a_sentence() -> None:
    answer = await consultation(Ward(), Call("break")).ask("Which wards?")
    assert answer.problem == (
        "The conversation broke off by a fault (InfraError); start a new one."
    )


async def test_a_fault_of_the_agent_is_a_sentence_without_its_words() -> None:
    class Faulty:
        async def act(self, observation: Observation) -> Say:
            raise ValueError("the patient is Ann Lee")

    def make(briefing: Briefing, context: AgentContext) -> Faulty:
        return Faulty()

    answer = await Consultation(Ward(), make, LIMITS).ask("Who?")
    assert answer.problem == "The assistant failed at this question; start a new conversation."


async def test_wrong_settings_are_said_without_their_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Locked:
        async def act(self, observation: Observation) -> Say:
            raise UserError("The key is wrong.")

    def make(briefing: Briefing, context: AgentContext) -> Locked:
        return Locked()

    answer = await Consultation(Ward(), make, LIMITS).ask("Who?")
    assert answer.problem == "The assistant cannot work with its settings; tell who runs it."
    assert "The key is wrong." in caplog.text


async def test_a_query_is_readable() -> None:
    assert Query("SELECT a FROM t", (), (), False, "duckdb").readable == "SELECT\n  a\nFROM t"
    assert Query("not ( sql", (), (), False, "duckdb").readable == "not ( sql"


@for_each(
    [
        ((), "No query"),
        (("SELECT 170 FROM patients",), "No query"),
        (("SELECT count(*) FROM pg_settings", "SELECT 5 * count(*) / count(*) FROM p"), "No query"),
        (("SELECT 170 UNION ALL SELECT id FROM patients WHERE false",), "It is not clear"),
        (("SELECT 170 FROM patients FROM", "SELECT 170"), "It is not clear"),
        (("SELECT 170", "SELECT count(*) FROM patients"), ""),
        (("SELECT CASE WHEN count(*) > 0 THEN 'yes' ELSE 'no' END FROM patients",), ""),
    ]
)
def test_a_reply_that_may_not_rest_on_records_is_cautioned(
    queries: tuple[str, ...], caution: str
) -> None:
    ran = tuple(Query(sql, ("n",), ((170,),), False, "duckdb") for sql in queries)
    said = Answer("There are 170 patients.", ran).caution
    assert said.startswith(caution) if caution else not said
