"""Compiles the sentence of a results leaf: which check it asks for, of which columns."""

from collections.abc import Callable
from typing import Literal

from wardround.benchmarks.clinsql.checks.model import AllOf
from wardround.benchmarks.clinsql.checks.results_checks import (
    Column,
    ColumnExists,
    FileExists,
    NotNull,
    ResultsCheck,
    Types,
)
from wardround.benchmarks.clinsql.checks.results_leaf import ResultsLeaf
from wardround.benchmarks.clinsql.checks.results_numbers import in_range, percentage, whole
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
    whole,
    percentage,
    in_range,
    _types,
    _column,
    _file,
)
