"""The SQL of a form in one dialect and with one schema's names; its values are still open.

Forms are written as SQLite has it, with three functions that each dialect spells differently:
`JULIAN_DAY`, `WHOLE_PERCENT` and `AS_NUMBER`.
"""

import re

from sqlglot import exp, parse_one

from wardround.ehr.schema.model import Renaming
from wardround.ehr.schema.renamed_query import renamed
from wardround.ehr.times import Dialect

# Stands for the current time while the SQL is a tree: sqlglot knows `current_time`.
_NOW = "current_moment"
# sqlglot writes NOT … IS NULL.
_IS_NOT_NULL = re.compile(r"NOT ([\w.]+) IS NULL")
# Conditions that are always true: pieces of a form that this question does not need.
_ALWAYS = re.compile(r"\bTRUE AND ")
_ALWAYS_AT_END = re.compile(r" (?:AND|WHERE) TRUE\b")
_FUNCTIONS = {"JULIAN_DAY", "WHOLE_PERCENT", "AS_NUMBER"}
_AS_NUMBER: dict[Dialect, str] = {
    "duckdb": "COALESCE(TRY_CAST(REGEXP_EXTRACT({}, '^\\s*[0-9]+[.]?[0-9]*') AS DOUBLE), 0)",
    "postgres": "COALESCE(CAST(SUBSTRING({} FROM '^\\s*[0-9]+[.]?[0-9]*') AS DOUBLE PRECISION), 0)",
}
_JULIAN_DAY: dict[Dialect, str] = {
    "sqlite": "STRFTIME('%J', {})",
    "duckdb": "JULIAN(CAST({} AS TIMESTAMP))",
    "postgres": "EXTRACT(JULIAN FROM CAST({} AS TIMESTAMP))",
}


def in_dialect(sql: str, dialect: Dialect, names: Renaming | None) -> str:
    """Returns the SQL of `form_sql` in a dialect, with a renaming's names where there is one."""
    tree = parse_one(_ALWAYS_AT_END.sub("", _ALWAYS.sub("", sql)), dialect="sqlite")
    if names:
        tree = renamed(tree, names)
    # Inner calls first: they are arguments of outer ones.
    for call in reversed(list(tree.find_all(exp.Anonymous))):
        if call.name.upper() in _FUNCTIONS:
            call.replace(parse_one(_spelled(call, dialect), dialect=dialect))
    written = tree.sql(dialect=dialect, copy=False)
    return _IS_NOT_NULL.sub(r"\1 IS NOT NULL", written.replace(_NOW, "current_time"))


def _spelled(call: exp.Anonymous, dialect: Dialect) -> str:
    """A call of a form's function as the dialect writes it."""
    arguments = [argument.sql(dialect=dialect) for argument in call.expressions]
    match call.name.upper():
        case "JULIAN_DAY":
            return _JULIAN_DAY[dialect].format(*arguments)
        case "WHOLE_PERCENT":
            divided = "//" if dialect == "duckdb" else "/"
            return f"{arguments[0]} * 100 {divided} {arguments[1]}"
        case _:
            return _AS_NUMBER.get(dialect, "{}").format(*arguments)
