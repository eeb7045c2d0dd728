"""Compiles the sentence of a results leaf: which check it asks for, of which columns."""

from collections.abc import Callable
from typing import Literal

from wardround.benchmarks.clinsql.checks.leaf_bounds import Range, find_range
from wardround.benchmarks.clinsql.checks.model import (
    AllOf,
    Column,
    ColumnExists,
    FileExists,
    InRange,
    NotNull,
    Percentage,
    ResultsCheck,
    Types,
    WholeCount,
)
from wardround.benchmarks.clinsql.checks.results_leaf import ResultsLeaf
from wardround.benchmarks.clinsql.checks.results_orders import ordered

_NULL = frozenset(["null", "nulls", "missing", "empty", "blank", "blanks", "nan"])
_NEGATION = frozenset(["no", "not", "none", "never", "free", "without", "neither"])
_FILLED = frozenset(["filled", "populated", "complete"])
_CELLS = frozenset(
    [
        "cell",
        "cells",
        "column",
        "columns",
        "value",
        "values",
        "entry",
        "entries",
        "field",
        "fields",
    ]
)
_FILES = frozenset(["csv", "file"])
_TABLES = frozenset(["output", "result", "results", "table"])
_EXISTS = frozenset(
    [
        "exists",
        "exist",
        "present",
        "available",
        "produced",
        "written",
        "created",
        "generated",
        "there",
        "has",
        "have",
        "holds",
        "includes",
        "include",
        "contains",
        "contain",
        "provides",
        "provide",
        "gives",
        "give",
        "reports",
        "reported",
        "shows",
        "naming",
        "named",
        "holding",
        "rows",
        "row",
    ]
)
_COLUMN = frozenset(["column", "columns", "header", "field"])
_WHOLE = frozenset(["whole", "integer", "integers"])
_SHARE = frozenset(
    [
        "percentage",
        "percentages",
        "percent",
        "pct",
        "proportion",
        "fraction",
        "share",
    ]
)
_FRACTION = frozenset(["proportion", "fraction"])
_ACCEPTABLE = frozenset(["acceptable", "expected", "tolerance"])
_PLAUSIBLE = frozenset(["plausible", "plausibly", "plausibility", "realistic"])
_TYPES: dict[str, Literal["number", "text", "date"]] = {
    "numeric": "number",
    "numerical": "number",
    "text": "text",
    "textual": "text",
    "string": "text",
    "strings": "text",
    "dates": "date",
}


def results_check(leaf: ResultsLeaf) -> ResultsCheck | AllOf | None:
    """The check that a results leaf asks for; None if the grammar has none."""
    return next((check for rule in _RULES if (check := rule(leaf)) is not None), None)


def _not_null(leaf: ResultsLeaf) -> NotNull | None:
    words = leaf.words
    denied = bool(words & _NULL and (words & _NEGATION or "non" in words))
    if not (denied or (words & _FILLED and words & _CELLS)) or words & _FILES:
        return None
    if words & _TABLES and not words & (_CELLS | (_NULL - {"empty"})):
        return None  # an output that is not empty
    at = leaf.own_column()
    named = any(token.kind == "name" for token in leaf.tokens)
    if named or (at is not None and not words & {"any", "every", "all", "columns"}):
        return None if at is None else NotNull(column=leaf.header.column(at))
    return NotNull()


def _whole(leaf: ResultsLeaf) -> WholeCount | Types | AllOf | None:
    column = leaf.column()
    if not leaf.words & _WHOLE or column is None:
        return None
    if "type" in leaf.words:
        return Types(type="integer", column=column)
    bounds = find_range(leaf.tokens)
    positive = "positive" in leaf.words or (bounds and bounds.low == 0 and bounds.low_open)
    least = 1 if positive else 0
    if bounds and not (bounds.high is None and bounds.low == 0):
        return AllOf(checks=(WholeCount(column=column, least=least), _range(leaf, column, bounds)))
    return WholeCount(column=column, least=least)


def _percentage(leaf: ResultsLeaf) -> Percentage | None:
    bounds, column = find_range(leaf.tokens), leaf.column()
    if column is None or leaf.words & (_ACCEPTABLE | _PLAUSIBLE):
        return None
    named = any(word in column.names[0].lower() for word in ("pct", "perc", "rate"))
    percent = named or bool(leaf.words & _SHARE or leaf.says("%"))
    if bounds is None:
        claimed = leaf.words & _SHARE and "valid" in leaf.words
        return Percentage(column=column) if claimed else None
    if bounds.low_open or bounds.high_open or bounds.low != 0:
        return None
    if percent and bounds.high == 100:
        return Percentage(column=column)
    if leaf.words & _FRACTION and bounds.high == 1:
        return Percentage(column=column, fraction=True)
    return None


def _in_range(leaf: ResultsLeaf) -> InRange | None:
    bounds, column = find_range(leaf.tokens), leaf.column()
    if bounds is None or column is None or "row" in leaf.words:
        return None
    numbers = {at for at, token in enumerate(leaf.tokens) if token.is_number}
    denials = {at for at, token in enumerate(leaf.tokens) if token.text in ("not", "outside")}
    if denials - bounds.used:
        return None
    if None in (bounds.low, bounds.high) and numbers - bounds.used:
        return None  # a number that no bound explains
    return _range(leaf, column, bounds)


def _range(leaf: ResultsLeaf, column: Column, bounds: Range) -> InRange:
    return InRange(
        column=column,
        low=bounds.low,
        high=bounds.high,
        low_open=bounds.low_open,
        high_open=bounds.high_open,
        band="acceptable" if leaf.words & _ACCEPTABLE else "plausible",
    )


def _types(leaf: ResultsLeaf) -> Types | None:
    found = {_TYPES[word] for word in leaf.words if word in _TYPES}
    column = leaf.column()
    if len(found) != 1 or (column is None and not leaf.words & _CELLS):
        return None
    return Types(type=found.pop(), column=column)


def _column(leaf: ResultsLeaf) -> ColumnExists | None:
    offered = tuple(token.text for token in leaf.tokens if token.kind == "name")
    if not leaf.words & _EXISTS or not (leaf.words & _COLUMN or offered):
        return None
    at = leaf.own_column()
    if at is None and len(leaf.header.columns) == 1:
        at = 0
    if at is None:
        return ColumnExists(column=Column(names=offered)) if offered else None
    known = leaf.header.column(at)
    names = tuple(dict.fromkeys((*known.names, *offered)))
    return ColumnExists(column=known.model_copy(update={"names": names}))


def _file(leaf: ResultsLeaf) -> FileExists | None:
    words = leaf.words
    if any(token.is_number for token in leaf.tokens):
        return None  # so many rows are another requirement
    exists = bool(words & _EXISTS) or bool(words & _NULL)
    about_rows = bool(words & _TABLES) and bool(words & {"rows", "row"})
    return FileExists() if exists and (words & _FILES or about_rows) else None


_RULES: tuple[Callable[[ResultsLeaf], ResultsCheck | AllOf | None], ...] = (
    _not_null,
    ordered,
    _whole,
    _percentage,
    _in_range,
    _types,
    _column,
    _file,
)
