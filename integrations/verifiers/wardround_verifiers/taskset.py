"""The tasks of a benchmark, with the grade of a trial as the reward."""

import json
import subprocess
from collections.abc import Iterator

import verifiers.v1 as vf


class WardroundState(vf.State):
    """The grade of the trial, which only a trial that counts has."""

    reward: float | None = None


class WardroundData(vf.TaskData):
    """A task by its id, and the command that plays it."""

    command: list[str]


class WardroundTask(vf.Task[WardroundData, WardroundState]):
    """A task; it holds no gold."""

    @property
    def key(self) -> str:
        """The task's own id."""
        return self.data.id or ""

    @vf.reward
    async def grade(self, trace: vf.Trace) -> float:
        """The trial's reward by the benchmark's deciding grading, 0 to 1."""
        assert isinstance(trace.state, WardroundState)
        if trace.state.reward is None:
            raise vf.TaskError("the trial does not count")
        return trace.state.reward


class WardroundConfig(vf.TasksetConfig):
    """The options of the taskset.

    Attributes:
        benchmark: the benchmark's name, as in `wardround list`.
        command: the command of wardround.
        options: further options of `wardround session`.
    """

    benchmark: str = ""
    command: str = "wardround"
    options: list[str] = []


class WardroundTaskset(vf.Taskset[WardroundTask, WardroundConfig]):
    """The tasks of a benchmark."""

    def load(self) -> Iterator[WardroundTask]:
        """Asks a session for the benchmark's tasks."""
        if not self.config.benchmark:
            raise ValueError("name a benchmark with --env.taskset.benchmark")
        words = [self.config.command, "session", self.config.benchmark, *self.config.options]
        for id in _tasks(words):
            # The prompt is that of the trial, which the harness opens; this one is not sent.
            data = WardroundData(id=id, name=id, prompt=f"Task {id}.", command=words)
            yield WardroundTask(data, self.config.task)


def _tasks(command: list[str]) -> list[str]:
    # Not a `Session`: verifiers loads tasks inside of its event loop, and waits.
    request = json.dumps({"tasks": True})
    asked = subprocess.run(command, input=request, stdout=subprocess.PIPE, text=True, check=True)
    tasks: list[str] = json.loads(asked.stdout)["tasks"]
    return tasks
