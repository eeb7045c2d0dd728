"""The SQL of a form with its slots and places filled."""

from collections.abc import Sequence
from functools import lru_cache

from sqlglot import exp

from wardround.agents.parser.aligning import Form, Slot
from wardround.agents.parser.fitting import Fitted
from wardround.agents.parser.skeletons import tree_of, with_values
from wardround.ehr.database import quote_text
from wardround.ehr.times import Dialect, TimeFilter, filled


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
    return filled(_tree(form.sql, form.dialect), times, form.dialect).sql(form.dialect)


@lru_cache(maxsize=4096)
def _tree(sql: str, dialect: Dialect) -> exp.Expression:
    return tree_of(sql, dialect)
