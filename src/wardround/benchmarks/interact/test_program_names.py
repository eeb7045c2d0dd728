"""Names of the published graders that test programs call; only here are programs a task's tests."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wardround.sandbox.test_programs.namespace import Queries
from wardround.sandbox.test_programs.plan_costs import plan_cost, uses_all
from wardround.sandbox.test_programs.process import serve_programs
from wardround.scoring.soft_results import same_softly, softened_rows

# Functions that run the statements that they are given.
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
# The rows that the agent's statements returned before the test.
RESULT = "pred_query_result"

_MOST_ROWS = 10_000


def main(number: int) -> None:
    """Serves the processes of test programs.

    Args:
        number: the descriptor of the socket on which processes are requested.
    """
    serve_programs(number, published_names)


def published_names(queries: Queries) -> dict[str, Any]:
    """The names by which a program finds the published graders' functions (Huo et al. 2025, G)."""

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

        The gold runs first: what the agent's statements write does not change its result.
        """
        gold, rows = (queries.execute(sqls)[0] or [] for sqls in (sol_sqls, pred_sqls))
        return int(same_softly(gold, rows, order=bool((conditions or {}).get("order"))))

    def test_case_default(
        pred_sqls: Any,
        sol_sqls: Any,
        db_name: object = None,
        conn: object = None,
        conditions: Mapping[str, Any] | None = None,
    ) -> int:
        """The published test of a question (Huo et al. 2025, G)."""
        for what in ("comments", "distinct", "round"):
            pred_sqls, sol_sqls = map(removing(what), (pred_sqls, sol_sqls))
        if not ex_base(pred_sqls, sol_sqls, conditions=conditions):
            raise AssertionError("the results are not the same")
        return 1

    def perform_query(
        query: str, db_name: object = None, conn: object = None, *_: object
    ) -> tuple[list[tuple[Any, ...]] | None, object]:
        """The rows of a query, None if it has none, and the connection; raises what fails."""
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
