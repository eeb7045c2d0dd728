"""Operation values: what a question may do with records, in words and SQL (EHRSQL, Table 9)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Operation:
    """One value of an operation's slot.

    Attributes:
        slot: "n_rank", "agg_function" …
        name: What the published o_tag calls it: "three".
        released: The paper does not have it; EHRSQL 2024 does.
    """

    slot: str
    name: str
    words: str
    sql: str
    released: bool = False


@cache
def all_operations() -> Mapping[str, Mapping[str, Operation]]:
    """Operations by slot, in the order of the published o_tag, and by name.

    >>> all_operations()["n_rank"]["three"].sql
    '3'
    """
    text = (files(__package__) / "operations.toml").read_text(encoding="utf-8")
    return {
        slot: {name: Operation(slot, name, **entry) for name, entry in entries.items()}
        for slot, entries in tomllib.loads(text).items()
    }
