"""Generates the SQL of a filled form."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from wardround.agents.parser.columns import is_id
from wardround.agents.parser.slot_filling import FilledForm
from wardround.agents.parser.sql.forms import Slot, SqlForm
from wardround.ehr.database import Dialect, quote_text
from wardround.ehr.times import TimeFilter, condition, pair_condition
from wardround.ehr.times.model import Visit

_CALL = r"(?P<kind>CONDITION|PAIR)\((?P<number>\d+), (?P<columns>[^()]*)\)"
# sqlglot writes `current_time` in capitals, which the graders of published questions do not know.
_NOW = re.compile(r"\bCURRENT_TIME\b(?:\s*\(\s*\))?")
MARKER = re.compile(r"(?P<equals>= )?'<<(?P<slot>\d+)>>'")
_TIME_CALL, _DEFERRED_CALL = re.compile(f"TIME_{_CALL}"), re.compile(f"DEFERRED_{_CALL}")


def render_sql(filled: FilledForm) -> str:
    """The query, which leaves the current time open.

    Raises:
        TypeError: If a time cannot stand in its place.
    """
    form = filled.variant.form
    text = _with_times(form, filled.times) if form.roles else form.sql
    literals = [[_literal(value, slot.slot) for value in slot.values] for slot in filled.slots]
    return fill_slots(_NOW.sub("current_time", text), literals)


def _literal(value: str, slot: Slot) -> str:
    if slot.domain is None or (is_id(slot.domain.column) and value.isdigit()):
        return value
    return quote_text(value)


def _with_times(form: SqlForm, times: Sequence[TimeFilter | None]) -> str:
    """Insert conditions as text; only other times need the tree, which takes longer."""
    conditions = frozenset(at for at, time in enumerate(times) if time and _is_condition(time))
    others = tuple(None if at in conditions else time for at, time in enumerate(times))

    def render(match: re.Match[str]) -> str:
        filter = cast("TimeFilter", times[int(match["number"])])
        columns = match["columns"].split(", ")
        if match["kind"] == "PAIR":
            return pair_condition(filter, columns[0], columns[1], form.dialect)
        return condition(filter, columns[0], form.dialect)

    return _DEFERRED_CALL.sub(render, _with_other_times(form.sql, form.dialect, conditions, others))


def _is_condition(filter: TimeFilter) -> bool:
    return filter.template.role != "exact" and not isinstance(filter.template.meaning, Visit)


@lru_cache(maxsize=4096)
def _with_other_times(
    sql: str,
    dialect: Dialect,
    conditions: frozenset[int],
    times: tuple[TimeFilter | None, ...],
) -> str:
    """The query with all times filled in but the conditions, which stay as deferred calls."""

    def defer(match: re.Match[str]) -> str:
        is_condition = int(match["number"]) in conditions
        return match[0].replace("TIME_", "DEFERRED_", 1) if is_condition else match[0]

    deferred = _TIME_CALL.sub(defer, sql)
    if "TIME_" not in deferred:
        return deferred
    from wardround.agents.parser.sql.skeletons import parse_sql
    from wardround.ehr.times import fill_filters

    return fill_filters(parse_sql(deferred, dialect), times, dialect).sql(dialect)


def fill_slots(sql: str, values: Sequence[Sequence[str]]) -> str:
    """Put SQL literals in place of slot markers, one or several for each slot.

    >>> fill_slots("SELECT a FROM t WHERE b = '<<0>>' AND c = '<<1>>'", [["7"], ["'x'", "'y'"]])
    "SELECT a FROM t WHERE b = 7 AND c IN ('x', 'y')"
    """

    def fill(marker: re.Match[str]) -> str:
        slot_values = values[int(marker["slot"])]
        equals, listed = marker["equals"] or "", ", ".join(slot_values)
        return f"IN ({listed})" if equals and len(slot_values) > 1 else f"{equals}{listed}"

    return MARKER.sub(fill, sql)
