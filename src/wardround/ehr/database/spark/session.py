"""The Spark session of a folder: only its tables can be read, and plans are checked."""

import json
from collections.abc import Iterator
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits, QueryError
from wardround.ehr.database.spark.parquet_folder import ParquetFolder

# Root nodes of queries. By Spark's grammar everything below is a query too, except inserts, which
# can occur under WITH and UNION.
_QUERIES = {
    "Aggregate",
    "Distinct",
    "Except",
    "Filter",
    "GlobalLimit",
    "Intersect",
    "LocalLimit",
    "LocalRelation",
    "Offset",
    "Project",
    "Sort",
    "SubqueryAlias",
    "Union",
    "UnresolvedHaving",
    "UnresolvedInlineTable",
    "UnresolvedRelation",
    "UnresolvedWith",
    "WithWindowDefinition",
}

# Expressions that run programs on the cluster, call Java methods, write, or reveal file paths.
_FORBIDDEN = {
    "CallMethodViaReflection": "a call of Java",
    "InputFileBlockLength": "the name of a file",
    "InputFileBlockStart": "the name of a file",
    "InputFileName": "the name of a file",
    "InsertIntoStatement": "INSERT",
    "ScriptTransformation": "TRANSFORM",
    "TryReflect": "a call of Java",
}

_RULES = "org.apache.spark.sql.catalyst.optimizer."

# Files are read only through the views below. Constant folding is off, so that a two-gigabyte text
# is computed on the executors and not in the driver.
_SETTINGS = {
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.optimizer.excludedRules": (
        f"{_RULES}ConstantFolding,{_RULES}ConvertToLocalRelation"
    ),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}


def start_session(folder: ParquetFolder, limits: Limits) -> Any:
    """Start a session with a view of every table.

    Raises:
        UserError: If Spark is not installed, does not start, or there are no tables.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UserError(
            f"Database {folder.url} needs Spark; install wardround[spark] and Java."
        ) from error
    tables = folder.tables()
    builder = SparkSession.builder.master(folder.master).appName("wardround")
    builder = builder.config("spark.driver.maxResultSize", str(4 * limits.result_bytes))
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:
        # Without Java or the cluster the client raises many unrelated classes.
        raise UserError(f"Spark did not start for {folder.url} ({_first_line(error)}).") from error
    for table, path in tables.items():
        session.read.parquet(str(path)).createOrReplaceTempView(table)
    return session


def forget_session(session: Any) -> None:
    """Clear the client's state after the Java process has died, so that a new session can start.

    The client keeps session and process in these attributes and has no public way to clear them.
    """
    from pyspark import SparkContext

    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkContext._active_spark_context = None
    type(session)._instantiatedSession = None
    type(session)._activeSession = None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def plan_of(session: Any, sql: str) -> Any:
    """The analysed plan of one query, without running it.

    Raises:
        QueryError: If it is not a query, or does more than read.
    """
    state = session._jsparkSession.sessionState()
    parsed = state.sqlParser().parsePlan(sql)
    if parsed.getClass().getSimpleName() not in _QUERIES:
        raise _denied("a command")
    _check(parsed)
    analysed = state.analyzer().execute(parsed)
    _check(analysed)
    return parsed


def _check(plan: Any) -> None:
    for name in _nodes(json.loads(plan.toJSON())):
        if name in _FORBIDDEN:
            raise _denied(_FORBIDDEN[name])


def _denied(what: str) -> QueryError:
    return QueryError(f"Only reading is allowed here, not {what}; send one SELECT.", "denied")


def _nodes(plan: Any) -> Iterator[str]:
    """The class names of all nodes and expressions, including subqueries."""
    if isinstance(plan, dict):
        if isinstance(kind := plan.get("class"), str):
            yield kind.rpartition(".")[2]
        for part in plan.values():
            yield from _nodes(part)
    elif isinstance(plan, list):
        for part in plan:
            yield from _nodes(part)
