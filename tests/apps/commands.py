"""The result of a `wardround` command, for tests."""

from collections.abc import Callable
from typing import NamedTuple


class Ran(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]
