"""Results of gold statements, computed once for each state of a database."""

from collections.abc import Callable
from types import MappingProxyType
from typing import TypeAlias

from wardround.benchmarks.kit.caches import BoundedCache
from wardround.ehr.database.postgres.statements import Ran, Start, run_statements
from wardround.ehr.database.postgres.volatility import changes_by_itself
from wardround.scoring.soft_results import softened_rows
from wardround.scoring.sql_normalization import softened
from wardround.scoring.tied_orders import tied_orders

# The statements that are run, of a statement as it was written.
Rewrite: TypeAlias = Callable[[str], str]
_Key: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...], str]

# Longer results are not cached: many of them would fill the memory.
_MOST_CACHED_ROWS = 2_000
_MOST_RESULTS = 2_000


def soft(sql: str) -> str:
    """A statement as the published comparison runs it."""
    return softened(sql).sql


REWRITES = MappingProxyType[str, Rewrite]({"paper": soft, "strict": str})


class Golds:
    """Results of gold statements; any thread may ask."""

    def __init__(self) -> None:
        self._known = BoundedCache[_Key, Ran](_MOST_RESULTS)

    def of(self, gold: tuple[str, ...], start: Start, mode: str) -> Ran:
        """Run gold statements on the database as it is, and restore it.

        Args:
            gold: Each by itself.
            start: The database, in the state that they begin with.
            mode: Whether they are run as published ("paper") or as they are written ("strict").

        Raises:
            QueryError: The database cannot be restored.
            InfraError: The server failed.
        """
        key = (start.workspace.url, start.before, gold, mode)
        known = self._known.get(key)
        if known is not None:
            return known
        ran = run_statements(start.workspace, gold, start.seconds, REWRITES[mode])
        start.restore()
        if _is_cacheable(ran, start, gold):
            self._known.keep(key, ran)
        return ran


def _is_cacheable(ran: Ran, start: Start, gold: tuple[str, ...]) -> bool:
    changing = any(map(changes_by_itself, (*start.before, *gold)))
    return ran.error is None and len(ran.rows) <= _MOST_CACHED_ROWS and not changing


def has_ties(gold: tuple[str, ...], start: Start) -> bool:
    """True if the order of a gold's rows is left open by its ORDER BY, or by having none.

    Args:
        gold: the statements, each by itself.
        start: the database, in the state that they begin with; it is restored.
    """
    ran = run_statements(start.workspace, gold, start.seconds)
    width = len(ran.last.columns) if ran.last else 0
    orders = tied_orders(gold[-1], width)
    found = []
    for query in orders:
        start.restore()
        found.append(run_statements(start.workspace, (*gold[:-1], query), start.seconds).rows)
    start.restore()
    return bool(found) and softened_rows(found[0]) != softened_rows(found[1])
