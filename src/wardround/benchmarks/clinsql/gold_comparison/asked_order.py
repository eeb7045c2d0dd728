"""The order of rows that a question asks for and its gold query gives."""

import re
from collections.abc import Iterator

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.query_scopes import UnreadableQueryError, parsed
from wardround.ehr.text.segments import statements, texts

_ASKED = re.compile(
    r"\b(?:sort|order|arrange|rank)(?:ed|ing)?\b[^.?!;]*\b(?:by|from|in)\b"
    r"|\b(?:ascending|descending|increasing|decreasing|chronological|alphabetical)\b"
    r"|\b(?:highest|largest|greatest|most|lowest|smallest|least|latest|earliest|oldest|youngest)"
    r"(?: \w+)? first\b",
    re.IGNORECASE,
)
# What is sorted in order to be cut into groups is no result; a drug or test is ordered by somebody.
_OTHERWISE = re.compile(
    r"\b(?:cut|split|divid\w+|quartiles?|quintiles?|deciles?|tertiles?|equal size)\b"
    r"|\b(?:was|were|been|is|are) ordered by\b|\bin order to\b",
    re.IGNORECASE,
)


def asks_for_order(question: str) -> bool:
    """True if a sentence of a question asks for its rows in an order.

    >>> asks_for_order("List the services with their stays, the largest number first.")
    True
    >>> asks_for_order("Sort the stays by age and cut them into four groups.")
    False
    """
    return any(
        _ASKED.search(sentence) and not _OTHERWISE.search(sentence)
        for sentence in texts(question, statements(question, "en"))
    )


def sorting_columns(gold: str) -> tuple[int, ...]:
    """The places of the columns by which a query sorts its result.

    They end where a key is no column of the result.

    >>> sorting_columns("SELECT unit, COUNT(*) AS n FROM t GROUP BY unit ORDER BY n DESC, unit")
    (1, 0)
    """
    try:
        query = parsed(gold)
    except UnreadableQueryError:
        return ()
    order = query.args.get("order")
    return tuple(_places(query, order.expressions)) if order else ()


def _places(query: exp.Query, keys: list[exp.Ordered]) -> Iterator[int]:
    columns = query.selects
    for key in keys:
        place = next((at for at, each in enumerate(columns) if _is(key.this, each, at)), None)
        if place is None:
            return
        yield place


def _is(key: exp.Expr, column: exp.Expr, at: int) -> bool:
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.name) == at + 1
    if isinstance(key, exp.Column) and key.name.lower() == column.alias_or_name.lower():
        return True
    return bool(key == column.unalias())
