"""Translates a query in BigQuery's dialect to DuckDB's, with BigQuery's meaning."""

from collections.abc import Callable
from functools import partial

from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from wardround.ehr.database.googlesql import (
    aggregates,
    functions,
    texts,
    times,
)
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.result_columns import name_columns
from wardround.ehr.database.googlesql.script import FAULTS, first_line, one_query
from wardround.ehr.database.googlesql.templates import written_once
from wardround.ehr.database.interface import QueryError

Rewrite = Callable[..., exp.Expr | None]

# Rewrites that depend on the surrounding expression run before rewrites of single expressions. They
# also run innermost first, so that a copy needs no further rewriting.
_IN_PLACE: tuple[tuple[type[exp.Expr], Callable[..., None]], ...] = (
    (exp.ApproxQuantiles, aggregates.exact_quantiles),
    (exp.ArrayAgg, aggregates.array),
)
# Innermost first; None leaves an expression to sqlglot.
_REWRITES: dict[type[exp.Expr], Rewrite] = {
    exp.PercentileCont: aggregates.percentile,
    exp.PercentileDisc: aggregates.percentile,
    exp.GroupConcat: aggregates.joined_text,
    exp.ApproxTopK: aggregates.top_counts,
    exp.ApproxDistinct: aggregates.distinct_count,
    exp.Literal: functions.literal,
    exp.Mul: functions.product,
    exp.Anonymous: functions.ieee_division,
    exp.FarmFingerprint: functions.fingerprint,
    exp.Div: functions.division,
    exp.Sub: times.subtraction,
    exp.MakeInterval: times.made,
    exp.SafeDivide: functions.safe_division,
    exp.Round: functions.rounding,
    exp.Ceil: functions.whole_rounding,
    exp.Floor: functions.whole_rounding,
    exp.Ln: functions.logarithm,
    exp.Log: functions.logarithm,
    exp.Sqrt: functions.logarithm,
    exp.Corr: functions.correlation,
    exp.Format: times.formatted,
    exp.Cast: texts.cast,
    exp.TryCast: texts.cast,
    exp.Substring: texts.substring,
    exp.RegexpExtract: texts.extracted,
    exp.Contains: texts.contained,
    exp.Initcap: texts.capitalised,
    exp.Extract: times.extraction,
    exp.DateTrunc: times.truncation,
    exp.DatetimeTrunc: times.truncation,
    exp.TimestampTrunc: times.truncation,
    exp.DateAdd: times.addition,
    exp.DateSub: times.addition,
    exp.DatetimeAdd: times.addition,
    exp.DatetimeSub: times.addition,
    exp.TimestampAdd: times.addition,
    exp.TimestampSub: times.addition,
    exp.Bracket: functions.element,
    exp.Like: functions.any_of_like,
    exp.SafeFunc: functions.safe,
    exp.Array: aggregates.named_structs,
    exp.Unnest: aggregates.unnested,
    **dict.fromkeys(functions.TEMPLATES, functions.templated),
}
_DIFFERENCES = (exp.DateDiff, exp.DatetimeDiff, exp.TimestampDiff)


def to_duckdb(sql: str, names: Names) -> str:
    r"""One query in DuckDB's dialect.

    Args:
        sql: The query in BigQuery's dialect, perhaps after DECLARE and SET.
        names: The tables that it may read.

    Raises:
        QueryError: It cannot be parsed, is several statements, reads what is not there, or has
            no translation.

    >>> names = Names({"patients": ("subject_id", "gender")})
    >>> to_duckdb("SELECT COUNTIF(gender = 'F') AS n FROM mimiciv_hosp.patients", names)
    'SELECT COUNT_IF("gender" = \'F\') AS "n" FROM "main"."patients" AS "patients"'
    """
    query = one_query(sql)
    try:
        return translated(query, names).sql(
            "duckdb", copy=False, identify=True, comments=False, unsupported_level=ErrorLevel.RAISE
        )
    except (SqlglotError, *FAULTS) as error:
        raise QueryError(f"This cannot be run here: {first_line(error)}", "syntax") from error
    except RecursionError as error:
        raise QueryError("The query is nested too deeply.", "limit") from error


def translated(query: exp.Query, names: Names) -> exp.Query:
    """The query as an expression that sqlglot writes in DuckDB's dialect."""
    name_columns(query)
    # Rewritten before the file's tables are put in: their queries are already DuckDB's.
    rewritten = _rewritten(query)
    names.resolve(rewritten)
    return rewritten


def _rewritten(query: exp.Query) -> exp.Query:
    _refuse_nested_aggregates(query)
    for call in query.find_all(exp.Anonymous):
        functions.refuse_unknown(call)
    for kind, rewrite in _IN_PLACE:
        for node in reversed(list(query.find_all(kind))):
            rewrite(node)
    for part in list(query.find_all(exp.Extract)):
        if (new := times.part_of_difference(part)) is not None:
            part.replace(new)
    rules = _REWRITES | dict.fromkeys(
        _DIFFERENCES, partial(times.difference, instants=times.has_instants(query))
    )
    for node in reversed(list(query.walk(bfs=True))):
        rule = rules.get(type(node))
        new = rule(node) if rule is not None else written_once(node)
        if new is not None and new is not node:
            node.replace(new)
    return query


def _refuse_nested_aggregates(query: exp.Query) -> None:
    """Refuse aggregates of aggregates of aggregates, which no window explains.

    Raises:
        QueryError: The query has any of them.
    """
    for node in query.find_all(exp.AggFunc):
        above = node.find_ancestor(exp.AggFunc, exp.Query)
        if isinstance(above, exp.AggFunc) and isinstance(
            above.find_ancestor(exp.AggFunc, exp.Query), exp.AggFunc
        ):
            raise QueryError("Aggregations of aggregations are not allowed.", "syntax")
