"""Agents from elsewhere: what they can do, what they cannot reach, and what their faults cost."""

import asyncio
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from tests.cases import one_in
from wardround.agents.isolated import agents as isolated
from wardround.agents.isolated.agents import IsolatedAgent, IsolatedAgents
from wardround.agents.isolated.exchange import described
from wardround.agents.isolated.program import AgentProgram
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.errors import AgentError, InfraError, UserError
from wardround.core.task import Briefing, Task
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Ledger
from wardround.models.client import LanguageModel, replayed, scripted
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Message, Reply
from wardround.models.recording import Recorder, Recording

ELSEWHERE = "tests.agents.isolated.agents_elsewhere"
BRIEFING = Briefing("Be kind.", (ToolSpec("beds", "Counts beds.", {}),), {"database": "ward"})


@asynccontextmanager
async def opened(
    name: str = f"{ELSEWHERE}:open_obedient", model: LanguageModel | None = None
) -> AsyncIterator[IsolatedAgents]:
    agents = IsolatedAgents(AgentProgram(name, {}), model)
    try:
        yield agents
    finally:
        await agents.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def agents() -> AsyncIterator[IsolatedAgents]:
    """Agents of one process, which no test ends."""
    async with opened() as shared:
        yield shared


in_one_loop = pytest.mark.asyncio(loop_scope="module")


def context(seed: int = 7) -> AgentContext:
    return AgentContext(seed, Ledger())


def user(text: str) -> Observation:
    return Observation(text, "user", budget=1.5, stage="first")


async def act(agent: IsolatedAgent, text: str) -> Action:
    return await asyncio.wait_for(agent.act(user(text)), 120)


def echo(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
    return Reply(messages[-1].text.upper())


@in_one_loop
async def test_an_agent_gets_its_briefing_and_seed_and_keeps_its_state(
    agents: IsolatedAgents,
) -> None:
    first, second = agents(BRIEFING, context(1)), agents(BRIEFING, context(2))
    seen = {"tools": ["beds"], "facts": {"database": "ward"}}
    assert await act(first, "brief") == Call("seen", {**seen, "seed": 1})
    assert await act(second, "brief") == Call("seen", {**seen, "seed": 2})
    assert await act(first, "heard") == Say("brief heard")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_class_of_the_readme_is_an_agent(tmp_path: Path) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    [code] = re.findall(r"```python\n(import wardround\n.*?)```", readme, re.DOTALL)
    (tmp_path / "own_agent.py").write_text(code.partition("\nrun = ")[0])
    program = (
        "import asyncio\n"
        "from tests.agents.isolated.test_isolated_agents import BRIEFING, context, opened, user\n"
        "async def main():\n"
        "    async with opened('own_agent:CountingAgent') as agents:\n"
        "        print(await agents(BRIEFING, context()).act(user('How many?')))\n"
        "asyncio.run(main())\n"
    )
    root = str(Path(__file__).parents[3])
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
    )
    assert ran.stdout.startswith("Call(tool='sql_execute'"), ran.stderr


@in_one_loop
async def test_gold_is_in_no_memory_that_an_agent_reaches(agents: IsolatedAgents) -> None:
    gold = f"gold-{secrets.token_hex(16)}"
    task: Task[None, str] = Task("t", None, gold)
    found = await act(agents(BRIEFING, context()), "search gold-")
    assert isinstance(found, Call)
    assert task.hidden not in found.arguments["secrets"]


async def test_a_crash_fails_the_trials_that_the_process_held_and_no_others() -> None:
    async with opened() as agents:
        held, crashing = agents(BRIEFING, context()), agents(BRIEFING, context())
        assert await act(held, "heard") == Say("heard")
        with pytest.raises(AgentError, match="the agent's process ended with exit code 3"):
            await act(crashing, "crash 3")
        with pytest.raises(AgentError, match="exit code 3"):
            await act(held, "heard")
        assert await act(agents(BRIEFING, context()), "heard") == Say("heard")


@in_one_loop
async def test_an_exception_fails_its_own_trial_only(agents: IsolatedAgents) -> None:
    held, failing = agents(BRIEFING, context()), agents(BRIEFING, context())
    await act(held, "heard")
    with pytest.raises(AgentError, match="the agent raised KeyError: 'bed'"):
        await act(failing, "raise bed")
    assert await act(held, "heard") == Say("heard heard")


async def time_out(agents: IsolatedAgents, text: str) -> None:
    """Ends the time of a trial while its agent acts."""
    own = context()
    agent = agents(BRIEFING, own)
    await act(agent, "heard")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(agent.act(user(text)), 0.2)
    await own.cleanup.aclose()


async def test_a_process_that_no_longer_listens_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(isolated, "GRACE_SECONDS", 0.3)
    async with opened() as agents:
        held = agents(BRIEFING, context())
        await act(held, "heard")
        await time_out(agents, "block 600")
        with pytest.raises(AgentError, match=r"was silent for 0\.3 s after a trial's time was up"):
            await act(held, "heard")
        assert await act(agents(BRIEFING, context()), "heard") == Say("heard")


@in_one_loop
async def test_a_trial_whose_time_is_up_leaves_the_others_alone(
    agents: IsolatedAgents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "GRACE_SECONDS", 0.3)
    held = agents(BRIEFING, context())
    await act(held, "heard")
    await time_out(agents, "sleep 600")
    await asyncio.sleep(0.6)
    assert await act(held, "heard") == Say("heard heard")


@in_one_loop
async def test_long_messages_pass_both_ways(agents: IsolatedAgents) -> None:
    action = await act(agents(BRIEFING, context()), f"long {'y' * 10_000_000}")
    assert isinstance(action, Call)
    assert len(action.arguments["text"]) == 99_000
    assert action.arguments["read"] == 10_000_000


async def test_models_are_asked_through_wardround_and_counted_there() -> None:
    own = context()
    async with opened(model=scripted(echo, "echo")) as agents:
        assert await act(agents(BRIEFING, own), "ask one two three") == Say("ONE TWO THREE")
    assert [(use.role, use.model) for use in own.ledger.drain()] == [("agent", "echo")] * 3


async def test_structured_answers_are_repaired_as_ever() -> None:
    replies = iter(["no form", '{"ward": "West", "floor": 3}'])
    model = scripted(lambda messages, tools: Reply(next(replies)))
    async with opened(model=model) as agents:
        assert await act(agents(BRIEFING, context()), "fill it in") == Say("West on floor 3")


async def test_recorded_exchanges_answer_an_isolated_agent(tmp_path: Path) -> None:
    """Recorded in this process, replayed from the other: the requests have the same keys."""
    recorder = Recorder(tmp_path / "r.jsonl")
    asked = scripted(echo, "echo")
    recorded = LanguageModel(asked.settings, recorder.around(asked.source))
    bound = recorded.bind("agent", lambda use: None, 7)
    await bound.chat([Message("user", "one")])
    recorder.close()
    again = replayed(asked.settings, Recording(tmp_path / "r.jsonl"))
    async with opened(model=again) as agents:
        assert await act(agents(BRIEFING, context(7)), "ask one") == Say("ONE")
        with pytest.raises(InfraError, match="has no answer"):
            await act(agents(BRIEFING, context(7)), "ask two")


async def test_a_model_that_cannot_be_used_ends_the_run() -> None:
    async def refuse(request: Request) -> Answer:
        raise UserError("The key is wrong.")

    model = LanguageModel(scripted(echo).settings, refuse)
    async with opened(model=model) as agents:
        with pytest.raises(UserError, match="The key is wrong"):
            await act(agents(BRIEFING, context()), "ask one")


NO_AGENTS = [
    (f"{ELSEWHERE}:open_badly", r"cannot be opened \(KeyError: 'weights'\)"),
    (f"{ELSEWHERE}:open_nothing", r"cannot be opened \(TypeError: it returned NoneType\)"),
    (f"{ELSEWHERE}:open_nobody", "cannot be imported"),
    ("os:system", "cannot be opened"),
    ("os:_exit", "cannot be opened"),
]


@pytest.mark.parametrize(("name", "complaint"), one_in(2, NO_AGENTS))
async def test_what_is_no_agent_is_refused(name: str, complaint: str) -> None:
    async with opened(name) as agents:
        with pytest.raises(UserError, match=complaint):
            await agents.process()


def test_settings_are_checked_where_the_agent_is() -> None:
    wrong = AgentProgram(f"{ELSEWHERE}:open_obedient", {"greting": "hello"})
    with pytest.raises(UserError, match="no setting --agent-setting greting="):
        described(wrong)
    assert described(AgentProgram(wrong.name, {"greeting": "hi"}))["train"] == ""


async def test_an_agent_that_learns_declares_it_and_gets_its_files() -> None:
    program = AgentProgram(
        f"{ELSEWHERE}:TRAINED", {"pairs": "mine"}, None, {"ward": Path("w.model")}
    )
    found = described(program)
    train = f"{ELSEWHERE}:train"
    assert (found["train"], found["pairs"], found["format"]) == (train, "mine", 3)
    agents = IsolatedAgents(program, None)
    try:
        with pytest.raises(AgentError, match=r"KeyError: 'trained on w\.model'"):
            await act(agents(BRIEFING, context()), "hello")
    finally:
        await agents.close()


SCRIPT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "observe":
        {answer}
"""


def script(folder: Path, answer: str) -> str:
    (folder / "agent.py").write_text(SCRIPT.format(answer=answer))
    return f"exec:{sys.executable} -u {folder / 'agent.py'}"


async def test_a_command_speaks_json_lines(tmp_path: Path) -> None:
    answer = 'print(json.dumps(dict(type="say", trial=message["trial"], text=message["stage"])))'
    async with opened(script(tmp_path, answer)) as agents:
        assert await act(agents(BRIEFING, context()), "hello") == Say("first")


async def test_the_number_of_a_trial_tells_no_order(tmp_path: Path) -> None:
    number = "str(message['trial'])"
    answer = f'print(json.dumps(dict(type="say", trial=message["trial"], text={number})))'
    numbers = []
    async with opened(script(tmp_path, answer)) as agents:
        for _ in range(6):
            said = await act(agents(BRIEFING, context()), "hello")
            assert isinstance(said, Say)
            numbers.append(int(said.text))
    assert len(set(numbers)) == 6
    assert numbers != sorted(numbers) or min(numbers) > 1_000_000
    assert all(0 < each < 2**53 for each in numbers)


async def test_a_command_may_ask_the_model(tmp_path: Path) -> None:
    ask = {"type": "ask", "ask": 1, "messages": [{"role": "user", "text": "one"}]}
    answer = f"""print(json.dumps({{**{ask}, "trial": message["trial"]}}))
    elif message["type"] == "answer":
        text = message["reply"]["text"]
        print(json.dumps(dict(type="call", trial=message["trial"], tool=text, arguments={{}})))"""
    own = context()
    async with opened(script(tmp_path, answer), scripted(echo)) as agents:
        assert await act(agents(BRIEFING, own), "hello") == Call("ONE", {})
    assert len(own.ledger.drain()) == 1


WRONG_LINES = [
    ('print("Loading weights")', "wrote a line that is not a message: 'Loading weights'"),
    ("print([1, 2])", "not a message: '\\[1, 2\\]'"),
    ('print(json.dumps({"type": "say"}))', "not a message"),
    ('print("x" * 40_000_000)', "wrote a line of more than 32 MB"),
    ('sys.stdout.buffer.write(b"\\xff\\xfe\\n"); sys.stdout.flush()', "not a message"),
    ("sys.exit(4)", "ended with exit code 4"),
    (
        'print(json.dumps({"type": "dance", "trial": message["trial"]}))',
        r"a wrong message \(dance\)",
    ),
    (
        'print(json.dumps({"type": "call", "tool": 3, "trial": message["trial"]}))',
        r"a wrong message \(call\)",
    ),
    (
        'print(json.dumps({"type": "ask", "messages": "hi", "trial": message["trial"]}))\n'
        '    elif message["type"] == "answer":\n'
        '        print(json.dumps({**message, "type": "error"}))',
        "request to its model is wrong: messages",
    ),
    *(
        (
            f'print(json.dumps({{**{action}, "trial": message["trial"], "line_bytes": 1}}))',
            "^the agent's action is larger than 100 kB$",
        )
        for action in (
            '{"type": "say", "text": "x" * 200_000}',
            '{"type": "call", "tool": "t", "arguments": {"a": [[1]] * 200_000}}',
            '{"type": "say", "text": "", "more": "x" * 200_000}',
        )
    ),
    # An agent may not keep a failure from counting, nor end the run.
    *(
        (
            'print(json.dumps({"type": "error", "trial": message["trial"], '
            f'"kind": "{kind}", "message": "too hard"}}))',
            "^too hard$",
        )
        for kind in ("infra", "user", "too_long")
    ),
    (
        'print(json.dumps({"type": "error", "trial": message["trial"], '
        '"message": chr(27) + "]0;title" + chr(7) + chr(0x9B) + "2J" + chr(0x202E)}))',
        r"^\]0;title2J$",
    ),
]


@pytest.mark.parametrize(("answer", "complaint"), one_in(3, WRONG_LINES))
async def test_wrong_lines_are_the_agents_failure(
    tmp_path: Path, answer: str, complaint: str
) -> None:
    async with opened(script(tmp_path, answer), scripted(echo)) as agents:
        with pytest.raises(AgentError, match=complaint):
            await act(agents(BRIEFING, context()), "hello")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
async def test_the_documented_program_works(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "bring-an-agent.md").read_text("utf-8")
    (tmp_path / "count.js").write_text(page.partition("```js\n")[2].partition("```")[0])
    async with opened(f"exec:node {tmp_path / 'count.js'}") as agents:
        agent = agents(BRIEFING, context())
        action = await act(agent, "How many?")
        assert isinstance(action, Call)
        assert action.tool == "sql_execute"
        said = await agent.act(Observation("3", "tool"))
        assert said == Say("The records say: 3")


@pytest.mark.parametrize("name", ["exec:", "exec:no-such-command --fast"])
def test_a_command_that_is_not_installed_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="names no command"):
        IsolatedAgents(AgentProgram(name, {}), None)
