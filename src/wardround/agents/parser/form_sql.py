"""The SQL of a form with its slots and places filled."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from wardround.agents.parser.alignment import Form, Slot
from wardround.agents.parser.slot_filling import Fitted
from wardround.agents.parser.sql_skeletons import tree_of, with_values
from wardround.ehr.database import quote_text
from wardround.ehr.times import Dialect, TimeFilter, condition, condition_between, filled
from wardround.ehr.times.model import Visit

_CALL = r"(?P<kind>CONDITION|PAIR)\((?P<number>\d+), (?P<columns>[^()]*)\)"
_PLACE, _SAID = re.compile(f"TIME_{_CALL}"), re.compile(f"SAID_{_CALL}")


def sql_of(fitted: Fitted) -> str:
    """The query, which leaves the current time open.

    Raises:
        TypeError: If a time cannot stand in its place.
    """
    form = fitted.variant.form
    text = _with_times(form, fitted.times) if form.roles else form.sql
    literals = [[_literal(value, one.slot) for value in one.values] for one in fitted.filled]
    return with_values(text, literals)


def _literal(value: str, slot: Slot) -> str:
    if slot.domain is None or (slot.domain.column.endswith("id") and value.isdigit()):
        return value
    return quote_text(value)


def _with_times(form: Form, times: Sequence[TimeFilter | None]) -> str:
    """Conditions are put into the text; only what changes more of the query needs its tree."""
    said = frozenset(at for at, time in enumerate(times) if time and _is_condition(time))
    others = tuple(None if at in said else time for at, time in enumerate(times))

    def spelt(place: re.Match[str]) -> str:
        filter = cast("TimeFilter", times[int(place["number"])])
        columns = place["columns"].split(", ")
        if place["kind"] == "PAIR":
            return condition_between(filter, columns[0], columns[1], form.dialect)
        return condition(filter, columns[0], form.dialect)

    return _SAID.sub(spelt, _arranged(form.sql, form.dialect, said, others))


def _is_condition(filter: TimeFilter) -> bool:
    return filter.template.role != "exact" and not isinstance(filter.template.meaning, Visit)


@lru_cache(maxsize=4096)
def _arranged(
    sql: str, dialect: Dialect, said: frozenset[int], times: tuple[TimeFilter | None, ...]
) -> str:
    """The query with all times but those that are said as conditions, which keep their places."""

    def kept(place: re.Match[str]) -> str:
        return f"SAID_{place[0][5:]}" if int(place["number"]) in said else place[0]

    return filled(tree_of(_PLACE.sub(kept, sql), dialect), times, dialect).sql(dialect)
