"""Results of gold statements, computed once for each state of a database."""

from collections.abc import Callable
from typing import TypeAlias

from wardround.benchmarks.interact.declaration import Mode
from wardround.benchmarks.interact.tasks import Subtask
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import Start, SubmissionOutcome, run_statements
from wardround.ehr.database.postgres.volatility import changes_by_itself
from wardround.scoring.sql_normalization import softened

_Key: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...], Mode]

# Longer results are not cached: many of them would fill the memory.
_MOST_CACHED_ROWS = 2_000
_MOST_RESULTS = 2_000


class GoldResults:
    """Results of gold statements; any thread may ask."""

    def __init__(self) -> None:
        self._cache = BoundedCache[_Key, SubmissionOutcome](_MOST_RESULTS)

    def of(self, gold: tuple[str, ...], start: Start, mode: Mode) -> SubmissionOutcome:
        """Runs gold statements on the database as it is, and restores it.

        Args:
            gold: the statements, each by itself.
            start: the database, in the state that they begin with.
            mode: whether they are run as published ("paper") or as they are written ("strict").

        Raises:
            QueryError: the database cannot be restored.
            InfraError: the server failed.
        """

        def run() -> SubmissionOutcome:
            ran = run_statements(start.workspace, gold, start.seconds, rewrite(mode))
            start.restore()
            return ran

        def lasts(ran: SubmissionOutcome) -> bool:
            short = ran.error is None and len(ran.rows) <= _MOST_CACHED_ROWS
            return short and not changes_by_time(start, *gold)

        return self._cache.computed((start.workspace.url, start.before, gold, mode), run, lasts)


def gold_of(subtask: Subtask) -> tuple[str, ...]:
    """The statements of a request's gold, each by itself."""
    return tuple(each for text in subtask.gold for each in split_statements(text))


def rewrite(mode: Mode) -> Callable[[str], str]:
    """Makes the statement that is run of one as it was written."""
    return (lambda sql: softened(sql).sql) if mode == "paper" else str


def changes_by_time(start: Start, *statements: str) -> bool:
    """True if statements, or those before them, give another result each time they are run."""
    return any(map(changes_by_itself, (*start.before, *statements)))
