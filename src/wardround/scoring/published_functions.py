"""Functions of the published graders that test programs call (Huo et al. 2025, G)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from wardround.scoring.soft_results import equal_as_published, softened_rows

# Functions that run the statements passed to them.
RUNNERS = frozenset(
    {
        "ex_base",
        "execute",
        "execute_queries",
        "executemany",
        "perform_query_on_postgresql_databases",
        "test_case_default",
    }
)

_Rows: TypeAlias = list[tuple[Any, ...]]
_MOST_ROWS = 10_000
_WITH_PLAN = ("SELECT", "INSERT", "UPDATE", "DELETE")


class Queries(Protocol):
    """The database as seen by these functions."""

    def execute(self, sqls: str | Sequence[str]) -> tuple[_Rows | None, bool, bool]:
        """Runs statements; returns the rows, True if one failed, and True if it was late."""
        ...

    def run(self, sqls: list[str]) -> tuple[Sequence[str], _Rows, int | None]:
        """Runs statements; returns columns, rows and changed rows of the last one."""
        ...

    def rewritten(self, rewrite: str, sqls: Any) -> Any:
        """A text of SQL, or each of a list, without comments, DISTINCT or ROUND."""
        ...


def published_functions(queries: Queries) -> dict[str, Any]:
    """The functions by their names in test programs."""

    def removing(what: str) -> Callable[[Any], Any]:
        return lambda sqls: queries.rewritten(what, sqls)

    def ex_base(
        pred_sqls: str | Sequence[str],
        sol_sqls: str | Sequence[str],
        db_name: object = None,
        conn: object = None,
        conditions: Mapping[str, Any] | None = None,
    ) -> int:
        """1 if both have the same result in the published comparison, else 0.

        The gold runs first, so that the agent's writes do not change its result.
        """
        gold, rows = (queries.execute(sqls)[0] or [] for sqls in (sol_sqls, pred_sqls))
        return int(equal_as_published(gold, rows, order=bool((conditions or {}).get("order"))))

    def test_case_default(
        pred_sqls: Any,
        sol_sqls: Any,
        db_name: object = None,
        conn: object = None,
        conditions: Mapping[str, Any] | None = None,
    ) -> int:
        """The published test of a question."""
        for what in ("comments", "distinct", "round"):
            pred_sqls, sol_sqls = map(removing(what), (pred_sqls, sol_sqls))
        if not ex_base(pred_sqls, sol_sqls, conditions=conditions):
            raise AssertionError("the results are not the same")
        return 1

    def perform_query(
        query: str, db_name: object = None, conn: object = None, *_: object
    ) -> tuple[_Rows | None, object]:
        """The rows of a query, None if it has none, and the connection; an error is raised."""
        columns, rows, _changed = queries.run([query])
        return (rows[:_MOST_ROWS] if columns else None), conn

    def compare_plans(
        old_sqls: Sequence[str], sol_sqls: Sequence[str], *_: object, **__: object
    ) -> int:
        """1 if the planner's cost of the second statements is lower, else 0."""
        if not old_sqls or not sol_sqls:
            return 0
        old, new = (plan_cost(queries, sqls) for sqls in (old_sqls, sol_sqls))
        return int(new < old)

    return {
        "check_sql_function_usage": uses_all,
        "ex_base": ex_base,
        "perform_query_on_postgresql_databases": perform_query,
        "performance_compare_by_qep": compare_plans,
        "preprocess_results": softened_rows,
        "remove_comments": removing("comments"),
        "remove_distinct": removing("distinct"),
        "remove_round": removing("round"),
        "test_case_default": test_case_default,
    }


def uses_all(sqls: Sequence[str], required_keywords: Sequence[str]) -> int:
    """1 if every keyword occurs in the statements, ignoring case, else 0.

    >>> uses_all(["SELECT COUNT(*)", "FROM t"], ["count", "from"]), uses_all([], [])
    (1, 0)
    """
    text = " ".join(sqls).lower()
    return int(bool(sqls) and all(keyword.lower() in text for keyword in required_keywords))


def plan_cost(queries: Queries, sqls: Sequence[str]) -> float:
    """The planner's total cost of the statements; those without a plan run and are rolled back.

    A statement that fails costs nothing, as published.
    """
    plain = all(sql.strip().upper().startswith(_WITH_PLAN) for sql in sqls)
    if not plain:
        queries.execute("BEGIN")
    cost = sum(_cost(queries, sql) for sql in sqls)
    if not plain:
        queries.execute("ROLLBACK")
    return cost


def _cost(queries: Queries, sql: str) -> float:
    if not sql.strip().upper().startswith(_WITH_PLAN):
        queries.execute(sql)
        return 0.0
    rows, _failed, _late = queries.execute(f"EXPLAIN (FORMAT JSON) {sql}")
    return float(rows[0][0][0]["Plan"]["Total Cost"]) if rows else 0.0
