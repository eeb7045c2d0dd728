"""Cache of the results of gold statements, by state of the database."""

import re
from collections.abc import Callable
from typing import TypeAlias

from wardround.benchmarks.interact.declaration import Mode
from wardround.benchmarks.interact.tasks import Subtask
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import Start, SubmissionOutcome, run_statements
from wardround.scoring.sql_normalization import softened

# Expressions whose value differs from run to run.
_CHANGING = re.compile(
    r"\b(?:current_(?:date|time|timestamp)|local(?:time|timestamp)|now|timeofday|random\w*|"
    r"(?:clock|statement|transaction)_timestamp|setseed|gen_random_uuid|uuidv[47]|nextval)\b|"
    r"\bage\s*\([^,()]*\)|'(?:now|today|tomorrow|yesterday)'",
    re.IGNORECASE,
)

_Key: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...], Mode]

# Longer results are not cached, to bound memory.
_MOST_CACHED_ROWS = 2_000
_MOST_RESULTS = 2_000


class GoldResults:
    """A thread-safe cache of the results of gold statements."""

    def __init__(self) -> None:
        self._cache = BoundedCache[_Key, SubmissionOutcome](_MOST_RESULTS)

    def of(self, gold: tuple[str, ...], start: Start, mode: Mode) -> SubmissionOutcome:
        """Runs gold statements on the database as it is, and restores it.

        Args:
            gold: the statements.
            start: the database, in the state before the statements.
            mode: "paper" runs normalized statements, "strict" runs them as written.

        Raises:
            QueryError: the database cannot be restored.
            InfraError: the server failed.
        """

        def run() -> SubmissionOutcome:
            ran = run_statements(start.workspace, gold, start.seconds, rewrite(mode))
            start.restore()
            return ran

        def storable(ran: SubmissionOutcome) -> bool:
            short = ran.error is None and len(ran.rows) <= _MOST_CACHED_ROWS
            return short and not changes_by_time(start, *gold)

        return self._cache.computed((start.workspace.url, start.before, gold, mode), run, storable)


def gold_of(subtask: Subtask) -> tuple[str, ...]:
    """Splits a request's gold into single statements."""
    return tuple(each for text in subtask.gold for each in split_statements(text))


def rewrite(mode: Mode) -> Callable[[str], str]:
    """Returns the function that rewrites a statement before it is run in a mode."""
    return (lambda sql: softened(sql).sql) if mode == "paper" else str


def changes_by_time(start: Start, *statements: str) -> bool:
    """True if the statements, or those before them, may give different results on each run."""
    return any(map(changes_by_itself, (*start.before, *statements)))


def changes_by_itself(sql: str) -> bool:
    """Return True if SQL contains an expression whose value changes from run to run.

    >>> changes_by_itself("SELECT AGE(birthday) FROM t"), changes_by_itself("SELECT age FROM t")
    (True, False)
    """
    return _CHANGING.search(sql) is not None
