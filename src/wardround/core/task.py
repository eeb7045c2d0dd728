"""A task as data, with the agent's part separate from the part for grading."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from hashlib import sha256
from typing import Any, Generic, TypeVar

import orjson

from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec

Public = TypeVar("Public")
Hidden = TypeVar("Hidden")


@dataclass(frozen=True, slots=True)
class Task(Generic[Public, Hidden]):
    """One task of a benchmark.

    `public` is visible to the agent; `hidden` (gold, persona, ambiguities) only to the
    environment's people and the scorer. Agents never get a Task, only a `Briefing`.
    `labels` group trials in reports (flow, database, category), the first label before others.
    """

    id: str
    public: Public
    hidden: Hidden
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Briefing:
    """The agent's input before it starts: plain text and tool descriptions.

    `rules` are the benchmark's full instructions; `facts` are short public values for agents
    without a language model, such as the database's name.
    """

    rules: str
    tools: tuple[ToolSpec, ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    def has_tool(self, role: str) -> bool:
        """True if a tool has a role."""
        return any(tool.role == role for tool in self.tools)

    def tool(self, role: str) -> ToolSpec:
        """The tool with a role.

        Raises:
            UserError: no tool has it.
        """
        for tool in self.tools:
            if tool.role == role:
                return tool
        raise UserError(
            f"The agent needs a tool with the role {role!r}, which these tasks do not have: "
            "use another agent."
        )


@dataclass(frozen=True, slots=True)
class Defect:
    """A task that could not be loaded or has a known fault.

    Attributes:
        where: the task's id, or its place in the file.
        reason: the cause, followed by a colon and details of this task.
    """

    where: str
    reason: str

    @property
    def cause(self) -> str:
        """The part of the reason before the details, shared by tasks with the same defect.

        >>> Defect("1", "its gold query fails: no such table: drugs").cause
        'its gold query fails'
        """
        return self.reason.partition(": ")[0]


@dataclass(frozen=True, slots=True)
class Suite:
    """Tasks read from one source, with the defects of those left out.

    `known` are reported faults of tasks that can still be run. `terms` is a sentence on who may see
    the tasks, which runs and reports repeat; empty for tasks that everybody may see.
    """

    tasks: tuple[Task[Any, Any], ...]
    defects: tuple[Defect, ...] = ()
    source: str = ""
    known: tuple[Defect, ...] = ()
    terms: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A choice of tasks from a suite.

    Attributes:
        ids: ids, with `*` and `?` as wildcards; empty for all.
        limit: the maximum number of tasks; None for all.
    """

    ids: tuple[str, ...] = ()
    limit: int | None = None

    def of(self, suite: Suite) -> Suite:
        """The suite with only these tasks.

        Raises:
            UserError: an id matches no task.
        """
        ids = {task.id for task in suite.tasks} | {defect.where for defect in suite.defects}
        for pattern in self.ids:
            if not any(_matches(id, pattern) for id in ids):
                raise UserError(f"No task of {suite.source} has the id {pattern!r}; check --task.")
        tasks = tuple(task for task in suite.tasks if self._includes(task.id))
        defects = tuple(defect for defect in suite.defects if self._includes(defect.where))
        return replace(suite, tasks=tasks[: self.limit], defects=defects)

    def _includes(self, id: str) -> bool:
        return not self.ids or any(_matches(id, pattern) for pattern in self.ids)


EVERY_TASK = Chosen()


def _matches(id: str, pattern: str) -> bool:
    """True for the id itself, a pattern of it, or the name of one of its trials (`ID:NUMBER`)."""
    task, _, number = pattern.rpartition(":")
    return id == pattern or fnmatchcase(id, pattern) or (number.isdigit() and id == task)


def runnable(suite: Suite, problem: Callable[[Task[Any, Any]], str]) -> Suite:
    """The suite with tasks that cannot be run moved to its defects.

    Args:
        suite: the tasks as they were read.
        problem: returns why a task cannot be run, or "".

    Raises:
        UserError: none of the tasks can be run.
    """
    checked = [(task, problem(task)) for task in suite.tasks]
    defects = tuple(Defect(task.id, reason) for task, reason in checked if reason)
    tasks = tuple(task for task, reason in checked if not reason)
    if not tasks:
        first = f": task {defects[0].where}: {defects[0].reason}" if defects else ""
        raise UserError(f"None of the tasks of {suite.source} can be run{first}")
    return replace(suite, tasks=tasks, defects=suite.defects + defects)


def digest(value: Any) -> str:
    """SHA-256 of a JSON-like value or dataclass, independent of key order.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
