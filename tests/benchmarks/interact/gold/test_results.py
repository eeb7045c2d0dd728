"""The cache of gold results."""

from decimal import Decimal

import pytest

from wardround.benchmarks.interact.gold.results import GoldResults
from wardround.ehr.database.postgres.statements import Start
from wardround.ehr.database.postgres.workspace import PostgresWorkspaceDriver


def test_gold_runs_once_for_a_state_and_leaves_no_trace(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements_run = []
    values = PostgresWorkspaceDriver.values

    def counted(self: PostgresWorkspaceDriver, sql: str, **how: object) -> object:
        statements_run.append(sql)
        return values(self, sql, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(PostgresWorkspaceDriver, "values", counted)
    golds = GoldResults()
    gold = ("CREATE TABLE t (a int)", "SELECT DISTINCT ROUND(1.5)")
    for _ in range(2):
        assert golds.of(gold, start, "paper").rows == [(Decimal("1.5"),)]
        assert golds.of(gold, start, "strict").rows == [(Decimal("2"),)]
    assert statements_run == ["CREATE TABLE t (a int)", "SELECT (1.5)", *gold]
    changing = ("SELECT NOW()",)
    for _ in range(2):
        assert golds.of(changing, start, "strict").rows
    assert len(statements_run) == 6
    assert "t" not in start.workspace.tables()
