"""A task as data: what the agent may know, and apart from it what only grading may know."""

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

    `public` is what the agent may know; `hidden` (gold, persona, ambiguities) is for the
    environment's people and the scorer. Agents never get a Task, only a `Briefing`.
    `labels` group trials in reports (flow, database, category), the first of them first of all.
    """

    id: str
    public: Public
    hidden: Hidden
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Briefing:
    """All that an agent is told before it starts: plain text and tool descriptions, no objects.

    `rules` are the benchmark's instructions to the agent, in full; `facts` are short public
    values that an agent without a language model reads instead (such as the database's name).
    """

    rules: str
    tools: tuple[ToolSpec, ...]
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Defect:
    """A task that could not be loaded or must not be trusted, and why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Tasks read from one source, with what was wrong with the others.

    `known` are faults of tasks that are known and told, and do not keep them from being run.
    """

    tasks: tuple[Task[Any, Any], ...]
    defects: tuple[Defect, ...] = ()
    source: str = ""
    known: tuple[Defect, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which tasks of a suite are run.

    Attributes:
        ids: their ids, with `*` and `?` for any letters; empty for all.
        limit: the first so many of these; None for all.
    """

    ids: tuple[str, ...] = ()
    limit: int | None = None

    def of(self, suite: Suite) -> Suite:
        """The suite with these tasks alone.

        Raises:
            UserError: one of the ids is that of no task.
        """
        every = {task.id for task in suite.tasks} | {defect.where for defect in suite.defects}
        for pattern in self.ids:
            if not any(_is_meant(id, pattern) for id in every):
                raise UserError(f"No task of {suite.source} has the id {pattern!r}; check --task.")
        tasks = tuple(task for task in suite.tasks if self._holds(task.id))
        defects = tuple(defect for defect in suite.defects if self._holds(defect.where))
        return replace(suite, tasks=tasks[: self.limit], defects=defects)

    def _holds(self, id: str) -> bool:
        return not self.ids or any(_is_meant(id, pattern) for pattern in self.ids)


EVERY_TASK = Chosen()


def _is_meant(id: str, pattern: str) -> bool:
    return id == pattern or fnmatchcase(id, pattern)


def runnable(suite: Suite, problem: Callable[[Task[Any, Any]], str]) -> Suite:
    """The suite without the tasks that cannot be run, each told with the reason.

    Args:
        suite: what was read.
        problem: what is wrong with a task here; "" where it can be run.

    Raises:
        UserError: not one of the tasks can be run.
    """
    checked = [(task, problem(task)) for task in suite.tasks]
    bad = tuple(Defect(task.id, reason) for task, reason in checked if reason)
    good = tuple(task for task, reason in checked if not reason)
    if not good:
        first = f": task {bad[0].where}: {bad[0].reason}" if bad else ""
        raise UserError(f"None of the tasks of {suite.source} can be run{first}")
    return replace(suite, tasks=good, defects=suite.defects + bad)


def digest(value: Any) -> str:
    """SHA-256 of a JSON-like value or dataclass, independent of key order.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    return sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
