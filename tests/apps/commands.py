"""What a command of `wardround` did, as tests look at it."""

from collections.abc import Callable
from typing import NamedTuple


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]
