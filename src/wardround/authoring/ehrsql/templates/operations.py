"""Operations that questions do with records, in words and SQL (Lee et al. 2022, Table 9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wardround.authoring.ehrsql.templates.records import RELEASED, base_schema
from wardround.core.packaged_data import read_toml


@dataclass(frozen=True)
class Operation:
    """One value of an operation's slot.

    Attributes:
        slot: "n_rank", "agg_function" …
        name: Its name in the published o_tag, such as "three".
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
    return {
        slot: {name: Operation(slot, name, **entry) for name, entry in entries.items()}
        for slot, entries in read_toml(__package__, "operations.toml").items()
    }


def operations_for(slot: str, schema: str) -> tuple[Operation, ...]:
    """The values that an operation's slot takes on a schema.

    >>> [operation.name for operation in operations_for("n_survival_period", "eicu_star")][-1]
    'five year'
    >>> [operation.name for operation in operations_for("n_survival_period", "mimic_iv_star")][-1]
    '6-month'
    """
    released = base_schema(schema) in ("ehrsql_mimic_iv", RELEASED)
    operations = all_operations()[slot].values()
    return tuple(operation for operation in operations if released or not operation.released)
