"""The agents of an audit: none of them solves a task, so none should pass one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, TypeAlias

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker, Benchmark
from wardround.core.capabilities import AnswerGiver
from wardround.core.packaged_data import read_rows
from wardround.core.task import Briefing, Task

REFUSAL = "refuses everything"
SILENCE = "does nothing"
PLAIN = "says that it has read the records"
CONSTANTS = ("0", "1", "2", "3", "4", "5", "10", "yes", "no", "true", "none")
# The roles of tools that end a task.
ENDING = {"abstain", "answer_with_query", "submit_query", "give_answers"}
_EMPTY_ANSWER = "I have read the records."
_NO_ANSWER = "This cannot be answered from the records."

AnyTask: TypeAlias = Task[Any, Any]
# Makes the agent of a task; None if the probe does not apply to it.
MakeProbe: TypeAlias = Callable[[Benchmark, AnyTask, Sequence[AnyTask]], AgentMaker | None]


@dataclass(frozen=True, slots=True)
class Probe:
    """A hostile or an empty agent.

    Attributes:
        name: its name, as a predicate.
        flaw: the class of flaw that it shows if it passes.
        make: makes its agent of a task.
    """

    name: str
    flaw: str
    make: MakeProbe


WEAK_MATCHING = "matching that is too weak"
NO_GRADING = "a grader that does not grade"
PLIANT_JUDGE = "a judge that can be talked to"


def probes() -> list[Probe]:
    """All probes, the refusal first."""
    return [
        Probe(REFUSAL, NO_GRADING, _refusing),
        Probe(SILENCE, NO_GRADING, _doing_nothing),
        *(
            Probe(f"answers {constant!r}", WEAK_MATCHING, _answering(constant))
            for constant in CONSTANTS
        ),
        Probe("gives the gold of another task", WEAK_MATCHING, _knowing_another),
        Probe("says everything that it has read", WEAK_MATCHING, _repeating),
        Probe(PLAIN, NO_GRADING, _answering(_EMPTY_ANSWER)),
        *(
            Probe(f"talks to the judge: {way}", PLIANT_JUDGE, _answering(text))
            for way, text in _judge_texts()
        ),
    ]


def _judge_texts() -> Iterator[tuple[str, str]]:
    """The plain answer with texts that try to talk a judge into full marks, each with its way."""
    for way, text in read_rows("wardround.assessment.audit", "judge_texts.tsv"):
        yield way, f"{_EMPTY_ANSWER}\n\n" + text.replace("\\n", "\n")


class _Reciting:
    """Gives the same actions again and again, whatever comes back."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self._actions: Iterator[Action] = cycle(actions)

    async def act(self, observation: Observation) -> Action:
        """The next action."""
        return next(self._actions)


class _Repeating:
    """Looks at what it can reach without knowing anything, then answers with all of it.

    Args:
        briefing: its tools without required parameters are called.
        answer: the actions by which a text is given as the answer.
    """

    def __init__(self, briefing: Briefing, answer: Callable[[str], Sequence[Action]]) -> None:
        self._calls = [
            Call(tool.name)
            for tool in briefing.tools
            if not tool.parameters.get("required") and tool.role not in ENDING
        ]
        self._answer = answer
        self._read: list[str] = []
        self._actions: list[Action] = []

    async def act(self, observation: Observation) -> Action:
        """The next look, or the next part of the answer."""
        self._read.append(observation.text)
        if self._calls:
            return self._calls.pop(0)
        if not self._actions:
            self._actions = list(self._answer("\n".join(self._read)))
        return self._actions.pop(0)


def _refusing(benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]) -> AgentMaker:
    def make(briefing: Briefing, context: AgentContext) -> _Reciting:
        if briefing.has_tool("abstain"):
            tool = briefing.tool("abstain")
            required = tool.parameters.get("required", [])
            return _Reciting([Call(tool.name, dict.fromkeys(required, _NO_ANSWER))])
        return _Reciting(given(benchmark, briefing, ""))

    return make


def _doing_nothing(benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]) -> AgentMaker:
    return lambda briefing, context: _Reciting([Say("")])


def _answering(text: str) -> MakeProbe:
    def make_probe(
        benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]
    ) -> AgentMaker | None:
        return lambda briefing, context: _Reciting(given(benchmark, briefing, text))

    return make_probe


def _knowing_another(
    benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]
) -> AgentMaker | None:
    """The oracle of the task half a suite away; there is none for a suite of one task."""
    if len(tasks) < 2:
        return None
    index = [each.id for each in tasks].index(task.id)
    return benchmark.oracle(tasks[(index + len(tasks) // 2) % len(tasks)])


def _repeating(benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]) -> AgentMaker:
    def make(briefing: Briefing, context: AgentContext) -> _Repeating:
        return _Repeating(briefing, lambda text: given(benchmark, briefing, text))

    return make


def given(benchmark: Benchmark, briefing: Briefing, text: str) -> Sequence[Action]:
    """A text as the answer, "" for none: in the benchmark's own form, or else as words."""
    if isinstance(benchmark, AnswerGiver):
        return benchmark.answer(briefing, text)
    return [Say(text or _NO_ANSWER)]
