"""The SQL of a form with its slots and places filled."""

from functools import lru_cache

from sqlglot import exp

from wardround.agents.parser.fitting import Fitted
from wardround.agents.parser.skeletons import tree_of, with_values
from wardround.ehr.times import filled


def sql_of(fitted: Fitted) -> str:
    """The query in SQLite's SQL, which leaves the current time open.

    Raises:
        TypeError: If a time cannot stand in its place.
    """
    form = fitted.variant.form
    text = filled(_tree(form.sql), fitted.times).sql("sqlite") if form.roles else form.sql
    return with_values(text, dict(enumerate(fitted.values)))


@lru_cache(maxsize=4096)
def _tree(sql: str) -> exp.Expression:
    return tree_of(sql)
