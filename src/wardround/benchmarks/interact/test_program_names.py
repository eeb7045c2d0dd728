"""Names of the published graders that test programs call; only here are programs a task's tests."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wardround.sandbox.test_programs.namespace import Queries
from wardround.sandbox.test_programs.process import serve_programs
from wardround.scoring.soft_results import same_softly, softened_rows

# Functions that run the statements that they are given.
RUNNERS = frozenset({"ex_base", "execute", "execute_queries", "executemany", "test_case_default"})


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

    return {
        "ex_base": ex_base,
        "preprocess_results": softened_rows,
        "remove_comments": removing("comments"),
        "remove_distinct": removing("distinct"),
        "remove_round": removing("round"),
        "test_case_default": test_case_default,
    }
