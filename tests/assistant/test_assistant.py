"""Questions of people, within their limits and on record before they are answered."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.assistant.ward import BEDS, LIMITS, Ward, consulting, record_tools
from wardround.assistant.assistant import MOST_OPEN, Assistant
from wardround.assistant.consultation import Consultation
from wardround.assistant.served_record import ServedRecord, opened_record, spent_on
from wardround.assistant.users import (
    Allowances,
    LimitError,
    RefusedError,
    User,
    today,
    token_digest,
)
from wardround.core.actions import Action, Observation, Say
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.run_check import check_run
from wardround.core.run_reader import read_trajectory, read_trials, read_verdicts
from wardround.core.trajectory import Ledger, Requested

SETTINGS: dict[str, Any] = {"settings": {"agent": "parser"}}
USERS = {
    "ann": User(token_sha256=token_digest("ann"), questions_per_minute=3),
    "bob": User(token_sha256=token_digest("bob"), dollars_per_day=0),
}
ANSWER = (BEDS, Say("Two wards: ICU and Surgery."))


@pytest.fixture
def record(tmp_path: Path) -> Iterator[ServedRecord]:
    with opened_record(tmp_path, SETTINGS, has_values=True) as opened:
        yield opened


def assistant(record: ServedRecord, *actions: Action, ward: Ward | None = None) -> Assistant:
    ward = ward or Ward()
    allowances = Allowances(USERS)
    tools = record_tools(ward, record, allowances=allowances)
    consult = consulting(ward, *(actions or ANSWER))
    return Assistant(consult, tools, record, allowances)


async def test_an_answer_is_on_disk_when_it_is_given(record: ServedRecord, tmp_path: Path) -> None:
    served = assistant(record)
    first = await served.ask("local", "Which wards are there?")
    second = await served.ask("local", "Thanks", first.conversation)
    trials = read_trials(tmp_path / "001")
    assert [trial.key for trial in trials] == [
        (first.conversation, 0),
        (second.conversation, 1),
    ]
    said = [read_trajectory(tmp_path / "001", t.trajectory).said_by("agent") for t in trials]
    assert said == [["Two wards: ICU and Surgery."], ["You said: Thanks"]]
    assert [trial.labels["person"] for trial in trials] == ["local", "local"]
    assert {trial.outcome for trial in trials} == {Outcome.UNSCORED}
    await served.close()


async def test_a_record_is_sealed_and_goes_on(tmp_path: Path) -> None:
    for _ in range(2):
        with opened_record(tmp_path, SETTINGS, has_values=True) as record:
            served = assistant(record)
            await served.ask("local", "Which wards?")
            await served.close()
        check = check_run(tmp_path / "001")
        assert check.verified
        assert check.sealed
        assert not check.mismatches
    assert len(read_trials(tmp_path / "001")) == 2
    with opened_record(tmp_path, {"settings": {"agent": "tools"}}, has_values=True):
        assert (tmp_path / "002" / "run.json").exists()


def test_two_servers_do_not_write_to_one_record(record: ServedRecord, tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match="Another process is writing"),
        ExitStack() as stack,
    ):
        stack.enter_context(opened_record(tmp_path, SETTINGS, has_values=True))


async def test_without_values_the_record_says_who_and_when(tmp_path: Path) -> None:
    with opened_record(tmp_path, SETTINGS, has_values=False) as record:
        served = assistant(record)
        answered = await served.ask("local", "Which wards is Ann Lee on?")
        served.judge("local", answered.conversation, 0, "Ann Lee is at home", right=False)
        await served.close()
    texts = b"".join(path.read_bytes() for path in (tmp_path / "001").iterdir())
    assert b"Ann Lee" not in texts
    assert b"ICU" not in texts
    assert b"SELECT" not in texts
    (trial,) = read_trials(tmp_path / "001")
    assert trial.labels["person"] == "local"
    assert trial.counts["tool_calls"] == 1


class Failing:
    """An agent whose error says what it saw."""

    async def act(self, observation: Observation) -> Action:
        raise RuntimeError(observation.text)


async def test_without_values_the_record_keeps_no_agents_error(tmp_path: Path) -> None:
    with opened_record(tmp_path, SETTINGS, has_values=False) as record:
        allowances = Allowances(USERS)
        tools = record_tools(Ward(), record, allowances=allowances)

        async def consult(person: str) -> Consultation:
            return Consultation(Ward(), lambda briefing, context: Failing(), LIMITS)

        served = Assistant(consult, tools, record, allowances)
        answered = await served.ask("local", "Which wards is Ann Lee on?")
        assert "failed" in answered.answer.problem
        await served.close()
    texts = b"".join(path.read_bytes() for path in (tmp_path / "001").iterdir())
    assert b"agent_error" in texts
    assert b"Ann Lee" not in texts


async def test_limits_refuse_a_question(record: ServedRecord) -> None:
    served = assistant(record)
    for _ in range(3):
        await served.ask("ann", "Which wards?")
    with pytest.raises(RefusedError, match=r"too fast; wait \d+ s"):
        await served.ask("ann", "Which wards?")
    with pytest.raises(RefusedError, match="limit of 0 dollars a day"):
        await served.ask("bob", "Which wards?")
    with pytest.raises(RefusedError, match="empty"):
        await served.ask("local", "  ")
    with pytest.raises(RefusedError, match="10,001 characters"):
        await served.ask("local", "x" * 10_001)
    await served.close()


class Paid:
    """An agent each of whose answers costs a dollar, or more than is known."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def act(self, observation: Observation) -> Action:
        for cost in (1.0, None):
            self._ledger.record(Requested("agent", "a model", 1, 1, cost, 0.0))
        return Say("Two wards.")


async def test_a_limit_of_dollars_outlives_the_server(tmp_path: Path) -> None:
    users = {"ann": User(dollars_per_day=2), "eve": User(dollars_per_day=2)}

    async def consult(person: str) -> Consultation:
        return Consultation(Ward(), lambda briefing, context: Paid(context.ledger), LIMITS)

    async def ask(settings: dict[str, Any], has_values: bool, person: str) -> None:
        with opened_record(tmp_path, settings, has_values=has_values) as record:
            allowances = Allowances(users, spent_on(tmp_path, today()))
            tools = record_tools(Ward(), record, allowances=allowances)
            served = Assistant(consult, tools, record, allowances)
            answered = await served.ask(person, "Which wards?")
            served.judge(person, answered.conversation, 0, "", right=True)  # is not paid again
            await served.close()

    await ask(SETTINGS, True, "ann")
    await ask({"settings": {"agent": "another"}}, False, "ann")
    assert spent_on(tmp_path, today()) == {"ann": 2.0}
    assert spent_on(tmp_path, today() - timedelta(days=1)) == {}
    with pytest.raises(LimitError, match="limit of 2 dollars a day"):
        await ask(SETTINGS, True, "ann")
    await ask(SETTINGS, True, "eve")


async def test_a_limit_of_dollars_holds_for_questions_that_wait(
    record: ServedRecord, tmp_path: Path
) -> None:
    async def consult(person: str) -> Consultation:
        ward = Ward(seconds=0.01)
        return Consultation(ward, lambda briefing, context: Paid(context.ledger), LIMITS)

    allowances = Allowances({"ann": User(dollars_per_day=2)})
    tools = record_tools(Ward(), record, allowances=allowances)
    served = Assistant(consult, tools, record, allowances)
    asking = [served.ask("ann", "Which wards?") for _ in range(MOST_OPEN)]
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    refused = [each for each in outcomes if isinstance(each, LimitError)]
    assert len(outcomes) - len(refused) == 2
    reasons = [trial.reason for trial in read_trials(tmp_path / "001")]
    assert reasons.count("Your limit of 2 dollars a day is reached; ask tomorrow.") == len(refused)
    await served.close()


async def test_one_person_has_a_part_of_the_answers_at_once(record: ServedRecord) -> None:
    ward = Ward(seconds=0.2)
    served = assistant(record, ward=ward)
    finished: list[str] = []

    async def ask(person: str) -> None:
        await served.ask(person, "Which wards?")
        finished.append(person)

    greedy = [asyncio.create_task(ask("eve")) for _ in range(MOST_OPEN)]
    await asyncio.sleep(0.05)
    await ask("local")
    assert finished.count("eve") <= 2  # of eight answers at once
    await asyncio.gather(*greedy)
    assert finished.count("eve") == MOST_OPEN
    await served.close()


async def test_tools_count_against_the_limits_of_questions(record: ServedRecord) -> None:
    allowances = Allowances(USERS)
    tools = record_tools(Ward(), record, allowances=allowances)
    served = Assistant(consulting(Ward()), tools, record, allowances)
    for _ in range(2):
        await tools.call("ann", BEDS)
    await served.ask("ann", "Which wards?")
    with pytest.raises(RefusedError, match="too fast"):
        await tools.call("ann", BEDS)
    with pytest.raises(RefusedError, match="too fast"):
        await served.ask("ann", "Which wards?")
    with pytest.raises(RefusedError, match="0 dollars a day"):
        await tools.call("bob", BEDS)
    await served.close()
    await tools.close()


async def test_a_conversation_is_its_persons_own(record: ServedRecord) -> None:
    served = assistant(record)
    answered = await served.ask("local", "Which wards?")
    for call in (
        lambda: served.ask("ann", "And beds?", answered.conversation),
        lambda: asyncio.to_thread(served.conversation, "ann", answered.conversation),
    ):
        with pytest.raises(RefusedError):
            await call()
    with pytest.raises(RefusedError):
        served.judge("ann", answered.conversation, 0, "", right=True)
    assert served.conversations("ann") == {}
    await served.close()


async def test_a_second_question_waits_for_the_first(record: ServedRecord) -> None:
    served = assistant(record, Say("Yes?"), BEDS, ward=Ward(seconds=0.2))
    answered = await served.ask("local", "Hello")
    asking = asyncio.create_task(served.ask("local", "Which?", answered.conversation))
    await asyncio.sleep(0.05)
    with pytest.raises(RefusedError, match="still being answered"):
        await served.ask("local", "Which?", answered.conversation)
    assert (await asking).number == 1
    await served.close()


async def test_a_question_whose_person_left_is_on_record(
    record: ServedRecord, tmp_path: Path
) -> None:
    served = assistant(record, ward=Ward(seconds=30))
    asking = asyncio.create_task(served.ask("local", "Which wards?"))
    await asyncio.sleep(0.05)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    (trial,) = read_trials(tmp_path / "001")
    assert trial.reason == "the person left"


async def test_the_oldest_conversation_is_closed(record: ServedRecord) -> None:
    ward = Ward()
    served = assistant(record, ward=ward)
    first = await served.ask("local", "Which wards?")
    for _ in range(MOST_OPEN):
        await served.ask("local", "Which wards?")
    assert ward.closed == [True]
    with pytest.raises(RefusedError, match=r"not open any more|is over"):
        await served.ask("local", "And beds?", first.conversation)
    await served.close()


async def test_a_conversation_too_many_is_closed(record: ServedRecord) -> None:
    closed = list[Consultation]()

    class Noted(Consultation):
        async def close(self) -> None:
            closed.append(self)
            await super().close()

    async def consult(person: str) -> Consultation:
        return Noted(Ward(seconds=30), lambda briefing, context: Paid(context.ledger), LIMITS)

    allowances = Allowances(USERS)
    tools = record_tools(Ward(), record, allowances=allowances)
    served = Assistant(consult, tools, record, allowances)
    asking = [asyncio.create_task(served.ask("eve", "Which?")) for _ in range(MOST_OPEN)]
    await asyncio.sleep(0)
    with pytest.raises(LimitError, match="are being answered"):
        await served.ask("eve", "Which wards?")
    assert len(closed) == 1
    for each in asking:
        each.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    await served.close()


async def test_what_a_person_says_of_an_answer_counts(record: ServedRecord, tmp_path: Path) -> None:
    served = assistant(record)
    answered = await served.ask("local", "Which wards?")
    served.judge("local", answered.conversation, 0, "One is missing", right=False)
    served.judge("local", answered.conversation, 0, "No, all there", right=True)
    (trial,) = read_trials(tmp_path / "001")
    assert trial.outcome is Outcome.PASSED
    assert trial.reason == "No, all there"
    states = [line.verdict.state for line in read_verdicts(tmp_path / "001")]
    assert states == ["failed", "passed"]
    with pytest.raises(RefusedError, match="no such answer"):
        served.judge("local", answered.conversation, 7, "", right=True)
    assert served.conversation("local", answered.conversation)[0].is_right
    await served.close()


async def test_a_correction_is_run_marked_and_kept(record: ServedRecord, tmp_path: Path) -> None:
    served = assistant(record)
    answered = await served.ask("local", "Which wards?")
    rows = await served.correct("local", answered.conversation, 0, "SELECT ward FROM wards")
    assert rows.columns == ("ward", "beds")
    (shown,) = served.conversation("local", answered.conversation)
    assert shown.correction == rows
    assert shown.is_right is False
    asked = next(t for t in read_trials(tmp_path / "001") if t.task == answered.conversation)
    assert asked.outcome is Outcome.FAILED
    kept = [line.verdict for line in read_verdicts(tmp_path / "001")]
    assert next((v.item, v.evidence) for v in kept) == ("correction", "SELECT ward FROM wards")
    with pytest.raises(RefusedError, match="no such answer"):
        await served.correct("local", answered.conversation, 3, "SELECT 1")
    await served.close()


async def test_a_correction_that_fails_is_told_and_not_kept(
    record: ServedRecord, tmp_path: Path
) -> None:
    served = assistant(record, Say("None."), ward=Ward(results=("Error: no such table: ward",)))
    answered = await served.ask("local", "Which wards?")
    with pytest.raises(RefusedError, match="Error: no such table: ward"):
        await served.correct("local", answered.conversation, 0, "SELECT * FROM ward")
    assert read_verdicts(tmp_path / "001") == []
    await served.close()
