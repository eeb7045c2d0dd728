"""Strings: casts to and from STRING, substrings, regular expressions."""

import re

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill

_WHOLE_FLOAT = "REGEXP_REPLACE(CAST(__x AS VARCHAR), '\\.0$', '')"
# Words and what parts them; the words' first letters are put in capitals.
_IN_CAPITALS = (
    "ARRAY_TO_STRING(LIST_TRANSFORM(REGEXP_EXTRACT_ALL(__x, __p), LAMBDA part :"
    " CASE WHEN CONTAINS(__d, LEFT(part, 1)) THEN part"
    " ELSE UPPER(LEFT(part, 1)) || LOWER(SUBSTRING(part, 2)) END), '')"
)
_TEXTS = exp.DataType.TEXT_TYPES
_NUMERIC = (exp.DType.DECIMAL, exp.DType.BIGDECIMAL)
_WHOLE = {exp.DataType.Type.BIGINT, exp.DataType.Type.INT}


# The template of a value as STRING: a FLOAT64 without fraction has no `.0`.
AS_TEXT = (
    f"CASE WHEN TYPEOF(__x) IN ('DOUBLE', 'FLOAT') THEN {_WHOLE_FLOAT}"
    " ELSE CAST(__x AS VARCHAR) END"
)


def as_text(value: exp.Expr) -> exp.Expr:
    """A value as STRING."""
    return value if value.is_string else fill(AS_TEXT, x=value)


def cast(node: exp.Cast) -> exp.Expr | None:
    """CAST and SAFE_CAST to STRING and INT64; other types are as DuckDB's."""
    kind = node.to.this
    if kind in _TEXTS and not node.args.get("format"):
        return as_text(node.this)
    if kind in _NUMERIC and not node.to.expressions:
        # DuckDB's DECIMAL keeps three digits of a fraction, BigQuery's NUMERIC nine.
        word = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
        value = f"{word}(__x AS DOUBLE)"
        return fill(f"ROUND({value}, 9)" if kind == exp.DType.DECIMAL else value, x=node.this)
    if kind in _WHOLE and not isinstance(node.this, exp.Null) and not node.this.is_int:
        word = "TRY_CAST" if isinstance(node, exp.TryCast) else "CAST"
        # Halves are rounded away from zero; a string with a fraction is not an INT64.
        broken = (
            "NULL" if word == "TRY_CAST" else "ERROR('Bad int64 value: ' || CAST(__x AS VARCHAR))"
        )
        return fill(
            f"CASE WHEN TYPEOF(__x) IN ('DOUBLE', 'FLOAT')"
            f" THEN {word}(ROUND(TRY_CAST(__x AS DOUBLE)) AS BIGINT)"
            " WHEN TYPEOF(__x) = 'VARCHAR' AND NOT REGEXP_FULL_MATCH(CAST(__x AS VARCHAR),"
            f" '\\s*[-+]?(\\d+|0[xX][0-9a-fA-F]+)\\s*') THEN {broken}"
            f" ELSE {word}(__x AS BIGINT) END",
            x=node.this,
        )
    return None


def substring(node: exp.Substring) -> exp.Expr | None:
    """SUBSTR: position 0 is position 1."""
    start, length = node.args.get("start"), node.args.get("length")
    if start is None or (isinstance(start, exp.Literal) and start.name != "0"):
        return None
    first = "CASE WHEN __s = 0 THEN 1 ELSE __s END"
    if isinstance(start, exp.Neg):
        first = "GREATEST(__s, -LENGTH(__x))"
    if length is None:
        return fill(f"SUBSTRING(__x, {first})", x=node.this, s=start)
    return fill(f"SUBSTRING(__x, {first}, __n)", x=node.this, s=start, n=length)


def extracted(node: exp.RegexpExtract) -> exp.Expr | None:
    """REGEXP_EXTRACT: the group if there is one, else the match; NULL if nothing matches."""
    pattern = node.expression
    if node.args.get("position") or node.args.get("occurrence") or not pattern.is_string:
        return None
    group = "1" if "(" in pattern.name.replace("\\(", "").replace("(?:", "") else "0"
    return fill(
        f"CASE WHEN REGEXP_MATCHES(__x, __p) THEN REGEXP_EXTRACT(__x, __p, {group}) END",
        x=node.this,
        p=pattern,
    )


def contained(node: exp.Contains) -> exp.Expr | None:
    """CONTAINS_SUBSTR, which takes no notice of case."""
    return fill("CONTAINS(LOWER(CAST(__x AS VARCHAR)), LOWER(__y))", x=node.this, y=node.expression)


def capitalised(node: exp.Initcap) -> exp.Expr | None:
    """INITCAP: of the delimiters that are named, or of sqlglot's list of BigQuery's own."""
    delimiters = node.expression
    if not delimiters.is_string:
        return None
    if not delimiters.name:
        return fill("UPPER(LEFT(__x, 1)) || LOWER(SUBSTRING(__x, 2))", x=node.this)
    listed = re.escape(delimiters.name)
    pattern = exp.Literal.string(f"[{listed}]+|[^{listed}]+")
    return fill(_IN_CAPITALS, x=node.this, d=delimiters, p=pattern)
