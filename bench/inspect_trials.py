"""Measures CPU a trial: native, inside Inspect, and of bare Inspect; eight SQL calls, both logging.

All run the same statement on the same database. Bare Inspect runs it in its own process and has no
user; wardround's is confined, and its trials have a user, gradings and causes of failure. The three
take turns, so that a busy machine slows all of them. What opening costs is left out: a round of
each is one trial, and then many more of them.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import psutil
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState, generate, use_tools
from inspect_ai.tool import Tool, tool

from bench.figures import Figure, figure
from bench.rates import rate
from bench.scripted_trials import TASK, trials
from wardround.apps.inspect.tasks import inspect_task
from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.core.actions import Action, Call, Observation, Say
from wardround.ehr.hospital import default_hospital
from wardround.models.translate import provider_name

TRIALS, ROUNDS = 40, 5  # 200 trials of each
CALLS = 8
SQL = "SELECT COUNT(*) FROM hospitaladmissions"
ANSWER = "There were 7 patients. <answer>7</answer>"


class Asker:
    """Runs the statement eight times, then answers."""

    def __init__(self) -> None:
        self._calls = 0

    async def act(self, observation: Observation) -> Action:
        self._calls += 1
        return Call("sql_execute", {"query": SQL}) if self._calls <= CALLS else Say(ANSWER)


def measure() -> list[Figure]:
    """Measures milliseconds of CPU a warm trial, children included, as medians over rounds."""
    with tempfile.TemporaryDirectory() as folder:
        kinds: dict[str, Callable[[int], object]] = {
            "native": _native,
            "wardround inside Inspect": lambda count: _inside(Path(folder), count),
            "bare Inspect": lambda count: _bare(Path(folder), count),
        }
        spent: dict[str, list[float]] = {kind: [] for kind in kinds}
        for round in range(ROUNDS + 1):
            for kind, play in kinds.items():
                before = _cpu()
                play(1)
                opening = _cpu() - before
                play(1 + TRIALS)
                if round:  # the first warms up
                    more = _cpu() - before - 2 * opening
                    spent[kind].append(1000 * more / TRIALS)
    milliseconds = {kind: median(values) for kind, values in spent.items()}
    own = milliseconds["native"]
    return [
        figure(f"CPU a trial, {kind}", value, "ms", f"native is {value / own:.1f} times cheaper")
        for kind, value in milliseconds.items()
    ]


def _cpu() -> float:
    """Seconds of this process, of its children, and of those that ended."""
    own = psutil.Process()
    times = [own.cpu_times(), *(child.cpu_times() for child in own.children(recursive=True))]
    return sum(each.user + each.system for each in times) + sum(times[0][2:4])


def _native(count: int) -> None:
    async def play() -> None:
        await rate(trials(Asker), ChatBenchmark.score, [(TASK, trial) for trial in range(count)])

    asyncio.run(play())


def _inside(folder: Path, count: int) -> None:
    task = inspect_task("chatqa", limit=1)
    _evaluate(task, _scripted("sql_execute", "query"), folder, count)


def _bare(folder: Path, count: int) -> None:
    task = Task(
        MemoryDataset([Sample("How many patients?", id="bench", target="7")]),
        solver=[use_tools(_query()), generate()],
        scorer=_contains(),
    )
    _evaluate(task, _scripted("query", "sql"), folder, count)


@tool(name="query")
def _query() -> Tool:
    connection = sqlite3.connect(f"file:{default_hospital()}?mode=ro", uri=True)

    async def query(sql: str) -> str:
        """Runs a query.

        Args:
            sql: the query.
        """
        return str(connection.execute(sql).fetchall())

    return query


@scorer(metrics=[mean()])
def _contains() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=float(target.text in state.output.completion))

    return score


def _scripted(name: str, argument: str) -> Model:
    """A model that runs the statement eight times, then answers; it counts no tokens."""

    def output(messages: list[ChatMessage], *_: object) -> ModelOutput:
        number = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        made = (
            ModelOutput.for_tool_call("mockllm/model", provider_name(name), {argument: SQL})
            if number < CALLS
            else ModelOutput.from_content("mockllm/model", ANSWER)
        )
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def _evaluate(task: Task, model: Model, folder: Path, count: int) -> None:
    [log] = eval(
        task,
        model=model,
        epochs=count,
        log_dir=str(folder / "logs"),
        display="none",
        log_level="error",
    )
    if log.status != "success":
        raise RuntimeError(f"Inspect ended with {log.error and log.error.message}")
