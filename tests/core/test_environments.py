"""Small environments of every kind, driven by the loop."""

import asyncio
import sqlite3
from dataclasses import dataclass, field

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.environment import Environment
from wardround.core.limits import Budget, Limits
from wardround.core.loop import Ending, Turns, converse
from wardround.core.task import Briefing
from wardround.core.tools import Tool, Toolbox, tool
from wardround.core.trajectory import Returned, Said, Trajectory

BRIEFING = Briefing("do it", ())


@dataclass
class Script:
    """An agent that carries out a list of actions."""

    actions: list[Action]
    seen: list[Observation] = field(default_factory=list)

    async def act(self, observation: Observation) -> Action:
        self.seen.append(observation)
        return self.actions.pop(0)


class SingleQuestion:
    """One question, one answer, no people."""

    briefing = BRIEFING

    async def start(self) -> Observation:
        return Observation("how many patients?", "environment")

    async def step(self, action: Action) -> Observation:
        return Observation("", "environment", done=True)

    async def close(self) -> None:
        pass


class PricedActions:
    """Actions cost, `ask` returns a person's reply, and a follow-up comes."""

    briefing = BRIEFING

    def __init__(self) -> None:
        self.budget = Budget(6.0)
        self.stage = 1

        async def ask(question: str) -> str:
            """Asks the user."""
            await asyncio.sleep(0)
            return f"about {question}: adults only"

        def submit(sql: str) -> str:
            """Hands in a query."""
            return "right" if sql == f"gold {self.stage}" else "wrong"

        self.tools: dict[str, Tool] = {
            "ask": tool(ask, price=2.0),
            "submit": tool(submit, price=3.0),
        }

    async def start(self) -> Observation:
        return Observation("first task", "user", budget=self.budget.remaining)

    async def step(self, action: Action) -> Observation:
        assert isinstance(action, Call)
        used = self.tools[action.tool]
        if not self.budget.spend(used.spec.price):
            return Observation("the budget is spent", "environment", done=True, budget=0.0)
        result = await Toolbox([used]).run(action)
        if result == "right":
            self.stage += 1
            done = self.stage > 2
            return Observation("follow-up", "user", done=done, budget=self.budget.remaining)
        return Observation(result, "tool", budget=self.budget.remaining)

    async def close(self) -> None:
        pass


class Rounds:
    """Several turns of a physician within one trial, with a patient as a tool."""

    briefing = BRIEFING

    def __init__(self) -> None:
        self.requests = ["take the history", "order a test"]

        def ask_patient(question: str) -> str:
            """Asks the patient."""
            return "it hurts here"

        self.tools = Toolbox([tool(ask_patient)])

    async def start(self) -> Observation:
        return Observation(self.requests.pop(0), "physician")

    async def step(self, action: Action) -> Observation:
        match action:
            case Call("ask_patient"):
                return Observation(await self.tools.run(action), "patient")
            case Say() if self.requests:
                return Observation(self.requests.pop(0), "physician")
        return Observation("thank you", "physician", done=True)

    async def close(self) -> None:
        pass


class OwnDatabase:
    """Writes to the trial's own database."""

    briefing = BRIEFING

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE TABLE bed (n INTEGER)")
        self.closed = False

    async def start(self) -> Observation:
        return Observation("add a bed", "user")

    async def step(self, action: Action) -> Observation:
        assert isinstance(action, Call)
        await asyncio.sleep(0)
        self.db.execute(action.arguments["sql"])
        count = self.db.execute("SELECT count(*) FROM bed").fetchone()[0]
        return Observation(str(count), "tool", done=True)

    async def close(self) -> None:
        self.db.close()
        self.closed = True


async def run_agent(agent: Script, environment: Environment) -> tuple[Ending, Trajectory]:
    trajectory = Trajectory()
    ending = await converse(agent, Turns(environment, trajectory, Limits()))
    await environment.close()
    return ending, trajectory


async def test_a_single_question_needs_one_action() -> None:
    ending, trajectory = await run_agent(Script([Say("null")]), SingleQuestion())
    assert ending is Ending.FINISHED
    assert trajectory.said_by("agent") == ["null"]


async def test_a_priced_environment_replies_through_tools_and_follows_up() -> None:
    agent = Script(
        [
            Call("ask", {"question": "age"}),
            Call("submit", {"sql": "gold 1"}),
            Call("submit", {"sql": "gold 2"}),
        ]
    )
    ending, trajectory = await run_agent(agent, PricedActions())
    assert ending is Ending.FINISHED
    assert [o.budget for o in agent.seen] == [6.0, 4.0, 1.0]
    assert trajectory.events[2] == Returned("ask", "about age: adults only")
    assert trajectory.events[4] == Said("user", "follow-up")
    assert trajectory.events[-1] == Said("environment", "the budget is spent")


async def test_turn_ends_before_the_trial() -> None:
    agent = Script([Call("ask_patient", {"question": "where?"}), Say("here"), Say("ordered")])
    ending, trajectory = await run_agent(agent, Rounds())
    assert ending is Ending.FINISHED
    assert trajectory.said_by("physician") == ["take the history", "order a test", "thank you"]
    assert trajectory.said_by("patient") == ["it hurts here"]


async def test_writing_trials_are_isolated() -> None:
    environments = [OwnDatabase() for _ in range(20)]
    agents = [Script([Call("sql", {"sql": "INSERT INTO bed VALUES (1)"})]) for _ in environments]
    done = await asyncio.gather(*map(run_agent, agents, environments))
    assert [trajectory.events[-1] for _, trajectory in done] == [Returned("sql", "1")] * 20
