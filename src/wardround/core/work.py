"""What work that the command line does by name is given, and what it gives back to be shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from wardround.core.benchmark import Summary

Progress: TypeAlias = Callable[[int, int | None, str], None]


class Models(Protocol):
    """The language models of the work's roles, each opened when it is asked for."""

    def open(self, role: str) -> Any:
        """A role's model.

        Raises:
            UserError: It has none, or its provider cannot be used.
        """
        ...

    def find(self, role: str) -> Any:
        """A role's model, or None where none was named."""
        ...

    async def close(self) -> None:
        """Closes connections and files, in the event loop that used them."""
        ...


def _silent(done: int, total: int | None, text: str) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class WorkContext:
    """What work is done with, beside its options.

    Attributes:
        models: The models of its roles.
        progress: Called with what is done, of how many (None where unknown), and a text.
    """

    models: Models
    progress: Progress = _silent


@dataclass(frozen=True, slots=True)
class WorkResult:
    """What came of work; the command line prints it.

    Attributes:
        summary: Tables and figures.
        notes: Lines for standard output.
        problems: Lines for standard error.
        status: The exit status.
        values: More values for `--json`.
        long: Names of tables that only `--json` prints.
    """

    summary: Summary = field(default_factory=lambda: Summary({}))
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    status: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)
    long: tuple[str, ...] = ()
