"""A form's SQL in the words of one dialect and the names of one schema, its values still open."""

import re

from sqlglot import exp, parse_one

from wardround.authoring.ehrsql.templates.renaming import renamed
from wardround.ehr.schema.model import Renaming
from wardround.ehr.times import Dialect

# Stands for the current time until the tree is text again: sqlglot knows `current_time`.
_NOW = "current_moment"
# sqlglot writes it as it parses it: NOT … IS NULL.
_IS_NOT_NULL = re.compile(r"NOT ([\w.]+) IS NULL")
# What forms write that is no SQL of SQLite's, but for whole percents, whose parts are nested.
_ALWAYS = re.compile(r"\bTRUE AND ")
_ALWAYS_AT_END = re.compile(r" (?:AND|WHERE) TRUE\b")
_NUMBER = re.compile(r"AS_NUMBER\(([\w.]+)\)")
_NESTED = "WHOLE_PERCENT"
_AS_NUMBER: dict[Dialect, str] = {
    "duckdb": "COALESCE(TRY_CAST(REGEXP_EXTRACT({}, '^\\s*[0-9]+[.]?[0-9]*') AS DOUBLE), 0)",
    "postgres": "COALESCE(CAST(SUBSTRING({} FROM '^\\s*[0-9]+[.]?[0-9]*') AS DOUBLE PRECISION), 0)",
}


def in_dialect(sql: str, dialect: Dialect, names: Renaming | None) -> str:
    """The SQL of `form_sql` in a dialect, with the renaming's names where there is one."""
    if dialect == "sqlite" and names is None and _NESTED not in sql:
        return _in_sqlite(sql)
    return in_dialect_by_tree(sql, dialect, names)


def in_dialect_by_tree(sql: str, dialect: Dialect, names: Renaming | None) -> str:
    """The same for every dialect; some fifty times as slow as spelling SQLite's own."""
    tree = _without_always(parse_one(sql, dialect="sqlite"))
    if names:
        tree = renamed(tree, names)
    written = tree.transform(_spelled, dialect, copy=False).sql(dialect=dialect, copy=False)
    return _IS_NOT_NULL.sub(r"\1 IS NOT NULL", written.replace(_NOW, "current_time"))


def _in_sqlite(sql: str) -> str:
    """Forms are in SQLite's manner already: a few words of theirs are left to be spelled."""
    sql = _ALWAYS_AT_END.sub("", _ALWAYS.sub("", sql))
    sql = _NUMBER.sub(r"\1", sql).replace("JULIAN_DAY(", "STRFTIME('%J', ")
    return sql.replace("TRY_CAST(", "CAST(").replace(_NOW, "current_time")


def _without_always(tree: exp.Expr) -> exp.Expr:
    """The tree without conditions that say nothing."""
    for both in reversed(list(tree.find_all(exp.And))):
        sides = [side for side in (both.this, both.expression) if not _says_nothing(side)]
        if len(sides) < 2:
            both.replace(sides[0] if sides else exp.true())
    for where in list(tree.find_all(exp.Where)):
        if _says_nothing(where.this):
            where.pop()
    return tree


def _says_nothing(node: exp.Expr) -> bool:
    return isinstance(node, exp.Boolean) and bool(node.this)


def _spelled(node: exp.Expr, dialect: Dialect) -> exp.Expr:
    """A function of the forms as the dialect spells it."""
    if not isinstance(node, exp.Anonymous):
        return node
    inner = (argument.transform(_spelled, dialect, copy=False) for argument in node.expressions)
    arguments = [argument.sql(dialect=dialect) for argument in inner]
    match node.name.upper():
        case "JULIAN_DAY":
            return _parsed(_julian_day(arguments[0], dialect), dialect)
        case "WHOLE_PERCENT":
            divided = "//" if dialect == "duckdb" else "/"
            return _parsed(f"{arguments[0]} * 100 {divided} {arguments[1]}", dialect)
        case "AS_NUMBER":
            spelling = _AS_NUMBER.get(dialect, "{}")
            return _parsed(spelling.format(arguments[0]), dialect)
    return node


def _julian_day(time: str, dialect: Dialect) -> str:
    match dialect:
        case "sqlite":
            return f"STRFTIME('%J', {time})"
        case "duckdb":
            return f"JULIAN(CAST({time} AS TIMESTAMP))"
        case "postgres":
            return f"EXTRACT(JULIAN FROM CAST({time} AS TIMESTAMP))"


def _parsed(sql: str, dialect: Dialect) -> exp.Expr:
    return parse_one(sql, dialect=dialect)
