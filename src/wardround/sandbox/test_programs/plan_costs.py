"""Checks of statements for test programs: the planner's cost, and the words they use."""

from collections.abc import Sequence

from wardround.sandbox.test_programs.namespace import Queries

_WITH_PLAN = ("SELECT", "INSERT", "UPDATE", "DELETE")


def uses_all(sqls: Sequence[str], required_keywords: Sequence[str]) -> int:
    """1 if every keyword stands somewhere in the statements, else 0.

    >>> uses_all(["SELECT COUNT(*)", "FROM t"], ["count", "from"]), uses_all([], [])
    (1, 0)
    """
    text = " ".join(sqls).lower()
    return int(bool(sqls) and all(keyword.lower() in text for keyword in required_keywords))


def plan_cost(queries: Queries, sqls: Sequence[str]) -> float:
    """The planner's cost of all statements together; what the others among them do is undone.

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
