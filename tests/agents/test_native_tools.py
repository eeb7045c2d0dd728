"""Several tool calls in one reply: carried out one by one, answered together and in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from wardround.agents.native_tools import NEW_STAGE, REFUSED, CallQueue, open_agents
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.limits import Limits
from wardround.core.loop import Ending, Turns, converse
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Ledger, Trajectory
from wardround.models import Message, ModelCall, Reply, scripted

BRIEFING = Briefing("Help.", (ToolSpec("Bed.search", "Finds beds.", {"type": "object"}),))
PROBLEM = "not one JSON object"


def calls(number: int, unreadable: Sequence[int] = ()) -> tuple[ModelCall, ...]:
    return tuple(
        ModelCall(f"c{n}", "Bed.search", {"n": n}, PROBLEM if n in unreadable else "")
        for n in range(number)
    )


def action(number: int) -> Call:
    return Call("Bed.search", {"n": number})


def result(text: str, **changes: object) -> Observation:
    return Observation(**{"text": text, "source": "tool", **changes})  # type: ignore[arg-type]


@dataclass
class Ward:
    """A room with a list of observations, one for each action; the last one ends the trial."""

    results: list[Observation]
    actions: list[Action] = field(default_factory=list)
    briefing: Briefing = BRIEFING

    async def start(self) -> Observation:
        return Observation("Which beds?", "user")

    async def step(self, action: Action) -> Observation:
        self.actions.append(action)
        return self.results[len(self.actions) - 1]

    async def close(self) -> None:
        pass


async def lived(
    replies: list[Reply], *results: Observation, limit: int = 30
) -> tuple[list[Action], list[list[Message]], Ending]:
    """The actions, what the model was asked each time, and the trial's ending."""
    asked: list[list[Message]] = []

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        asked.append(list(messages))
        return replies[len(asked) - 1]

    room, ledger = Ward(list(results)), Ledger()
    agent = open_agents(scripted(answer))(BRIEFING, AgentContext(1, ledger))
    ending = await converse(agent, Turns(room, Trajectory(), Limits(actions=limit), ledger))
    return room.actions, asked, ending


BYE = result("bye", source="user", done=True)


async def test_each_call_is_an_action_and_all_results_go_back_together() -> None:
    replies = [Reply("I look.", calls(3)), Reply("Done.")]
    found = [result("r0"), result("r1"), result("r2"), BYE]
    actions, asked, _ = await lived(replies, *found)
    assert actions == [action(0), action(1), action(2), Say("Done.")]
    assert len(asked) == 2
    assert [(m.role, m.call_id, m.text) for m in asked[1][3:]] == [
        ("tool", "c0", "r0"),
        ("tool", "c1", "r1"),
        ("tool", "c2", "r2"),
    ]


async def test_a_new_stage_drops_the_rest() -> None:
    replies = [Reply("", calls(3)), Reply("", calls(1)), Reply("Done.")]
    first = result("And now chairs?", source="user", stage="second")
    found = [
        first,
        result("r1", stage="second"),
        result("r2", source="user", done=True, stage="second"),
    ]
    actions, asked, _ = await lived(replies, *found)
    assert actions == [action(0), action(0), Say("Done.")]
    answers = [m.text for m in asked[1] if m.role == "tool"]
    assert answers == ["And now chairs?", NEW_STAGE, NEW_STAGE]


async def test_a_refused_call_drops_the_rest() -> None:
    replies = [Reply("", calls(3, unreadable=[2])), Reply("Done.")]
    spent = result("Not enough left.", source="environment", budget=0.5)
    actions, asked, _ = await lived(replies, result("r0"), spent, BYE)
    assert actions == [action(0), action(1), Say("Done.")]
    assert [m.text for m in asked[1] if m.role == "tool"] == ["r0", "Not enough left.", PROBLEM]
    actions, asked, _ = await lived([Reply("", calls(2)), Reply("Done.")], spent, BYE)
    assert [m.text for m in asked[1] if m.role == "tool"] == ["Not enough left.", REFUSED]


async def test_the_end_of_the_trial_drops_the_rest() -> None:
    actions, asked, ending = await lived([Reply("", calls(3))], result("ok", done=True))
    assert (actions, len(asked), ending) == ([action(0)], 1, Ending.FINISHED)
    actions, asked, ending = await lived([Reply("", calls(3))], result("r0"), result("r1"), limit=2)
    assert (actions, ending) == ([action(0), action(1)], Ending.ACTION_LIMIT)


async def test_a_persons_answer_is_the_result_of_the_call() -> None:
    replies = [Reply("", calls(2)), Reply("Done.")]
    _, asked, _ = await lived(replies, result("Adults.", source="user"), result("r1"), BYE)
    assert [m.text for m in asked[1] if m.role == "tool"] == ["Adults.", "r1"]
    assert asked[1][-1].role == "tool"


async def test_an_unreadable_call_is_answered_in_its_place() -> None:
    replies = [Reply("", calls(3, unreadable=[0, 2])), Reply("Done.")]
    actions, asked, _ = await lived(replies, result("r1"), BYE)
    assert actions == [action(1), Say("Done.")]
    assert [m.text for m in asked[1] if m.role == "tool"] == [PROBLEM, "r1", PROBLEM]


@given(st.data())
def test_every_call_is_answered_once_and_in_order(data: st.DataObject) -> None:
    number = data.draw(st.integers(0, 8))
    unreadable = data.draw(st.sets(st.integers(0, 8)))
    ends_after = data.draw(st.integers(0, 8))
    queue, done = CallQueue(calls(number, sorted(unreadable))), 0
    while done < ends_after and (call := queue.next()) is not None:
        queue.answer(f"result of {call.arguments['n']}")
        done += 1
    queue.drop("dropped")
    assert queue.next() is None
    results = queue.results()
    assert [r.call_id for r in results] == [f"c{n}" for n in range(number)]
    readable = [n for n in range(number) if n not in unreadable]
    expected = {n: f"result of {n}" for n in readable[:ends_after]}
    expected |= dict.fromkeys(readable[ends_after:], "dropped")
    expected |= {n: PROBLEM for n in unreadable if n < number}
    assert [r.text for r in results] == [expected[n] for n in range(number)]
