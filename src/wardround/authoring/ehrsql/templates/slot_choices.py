"""The permitted operations and time templates of a question's slots (Lee et al. 2022, B.1).

Operations, such as ranks and aggregates, have words and SQL (Table 9).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import product

from wardround.authoring.ehrsql.templates.records import Records
from wardround.core.packaged_data import read_toml
from wardround.ehr.times import TimeTemplate, all_templates
from wardround.ehr.times.model import Moment, Rank, Visit

_NONE = ""
_ORDER = (Rank(False, 0), Rank(False, 1), Rank(True, 1), Rank(True, 0))


@dataclass(frozen=True)
class Operation:
    """One value of an operation's slot.

    Attributes:
        slot: the slot, such as "n_rank" or "agg_function".
        name: its name in the published o_tag, such as "three".
        released: True if EHRSQL 2024 has it, but the paper does not.
    """

    slot: str
    name: str
    words: str
    sql: str
    released: bool = False


@cache
def all_operations() -> Mapping[str, Mapping[str, Operation]]:
    """Reads the operations by slot and name, slots in the order of the published o_tag.

    >>> all_operations()["n_rank"]["three"].sql
    '3'
    """
    return {
        slot: {name: Operation(slot, name, **entry) for name, entry in entries.items()}
        for slot, entries in read_toml(__package__, "operations.toml").items()
    }


def operations_for(slot: str, records: Records) -> tuple[Operation, ...]:
    """Returns the operations of a slot in the edition of EHRSQL that is followed.

    >>> from wardround.authoring.ehrsql.templates.layout_tables import load_records
    >>> period, records = "n_survival_period", load_records("eicu_star")
    >>> [operation.name for operation in operations_for(period, records)][-1]
    'five year'
    >>> records = load_records("mimic_iv_star")
    >>> [operation.name for operation in operations_for(period, records)][-1]
    '6-month'
    """
    released = records.edition == "2024"
    operations = all_operations()[slot].values()
    return tuple(operation for operation in operations if released or not operation.released)


def time_choices(slots: Mapping[str, str]) -> tuple[Mapping[str, TimeTemplate], ...]:
    """Returns all permitted choices of time templates, by slot.

    Two compared values belong to the same visit, or have exact moments and no visit. The second
    value is the later one.

    Args:
        slots: names of sets of time templates by time slot.

    >>> [choice["exact1"].id for choice in time_choices({"exact1": "order"})]
    ['exact-first', 'exact-last']
    """
    return _choices(tuple(slots.items()))


@cache
def _choices(slots: tuple[tuple[str, str], ...]) -> tuple[Mapping[str, TimeTemplate], ...]:
    chosen = product(*(_allowed(slot, name) for slot, name in slots))
    named = (
        {slot: template for (slot, _), template in zip(slots, choice, strict=True) if template}
        for choice in chosen
    )
    return tuple(choice for choice in named if _together(choice))


def _together(choice: Mapping[str, TimeTemplate]) -> bool:
    if "exact2" not in choice:
        return True
    first, second = choice["exact1"].meaning, choice["exact2"].meaning
    if isinstance(first, Moment) or isinstance(second, Moment):
        return first == second and "global1" not in choice and "global2" not in choice
    return _ORDER.index(first) < _ORDER.index(second) and _same_visit(choice)


def _same_visit(choice: Mapping[str, TimeTemplate]) -> bool:
    visits = [choice[slot].meaning for slot in ("global1", "global2") if slot in choice]
    return len(visits) == 2 and visits[0] == visits[1] and isinstance(visits[0], Visit)


def _allowed(slot: str, name: str) -> Iterator[TimeTemplate | None]:
    patterns = read_toml(__package__, "times.toml")[slot][name]
    if _NONE in patterns:
        yield None
    for template in all_templates():
        if any(pattern and fnmatchcase(template.id, pattern) for pattern in patterns):
            yield template
