"""The global names of a test program, in its own process."""

import datetime
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from wardround.benchmarks.interact.soft_results import same_softly, softened_rows
from wardround.benchmarks.interact.test_programs.connection import (
    Connection,
    Error,
    Result,
    error_of,
)

# Rows, whether a statement failed, whether for its deadline.
Queried: TypeAlias = tuple[list[tuple[Any, ...]] | None, bool, bool]
Ask: TypeAlias = Callable[..., Any]

# Modules that a program may import: all are loaded before files are given up.
MODULES = (
    "base64",
    "bisect",
    "calendar",
    "collections",
    "collections.abc",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "numbers",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "time",
    "traceback",
    "typing",
    "unicodedata",
    "uuid",
    "zoneinfo",
    # Loaded late by other modules.
    "_strptime",
    "encodings.idna",
    "encodings.latin_1",
)


def namespace(ask: Ask) -> dict[str, Any]:
    """The global names of a program; see the package.

    Args:
        ask: Sends a request to wardround and gives its answer.
    """
    queries = Queries(ask)
    return {
        "__name__": "test_program",
        "Counter": Counter,
        "Decimal": Decimal,
        "date": datetime.date,
        "datetime": datetime.datetime,
        "defaultdict": defaultdict,
        "ex_base": queries.same,
        "execute_queries": queries.execute,
        "json": json,
        "math": math,
        "preprocess_results": softened_rows,
        "re": re,
        "remove_comments": queries.without("comments"),
        "remove_distinct": queries.without("distinct"),
        "remove_round": queries.without("round"),
        "test_case_default": queries.test,
        "timedelta": datetime.timedelta,
    }


class Queries:
    """The functions that a program may call; wardround does what they ask for.

    Args:
        ask: Sends a request to wardround and gives its answer.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def connection(self, rolls_back: bool) -> Connection:
        """A connection to the database."""
        return Connection(lambda sql: self._run([sql]), rolls_back)

    def execute(self, sqls: str | Sequence[str], *_: object, **__: object) -> Queried:
        """Run statements; see the package."""
        try:
            columns, rows, _changed = self._run([sqls] if isinstance(sqls, str) else list(sqls))
        except Error as error:
            return None, True, error.late
        return (rows if columns else None), False, False

    def without(self, what: str) -> Callable[[Any], Any]:
        """Return a function that removes something from a text of SQL, or from each of a list."""

        def remove(sqls: Any) -> Any:
            if isinstance(sqls, str):
                return self._ask("soften", what, [sqls])[0]
            return self._ask("soften", what, list(sqls))

        return remove

    def same(
        self,
        pred_sqls: Any,
        sol_sqls: Any,
        db_name: object = None,
        conn: object = None,
        conditions: Any = None,
    ) -> int:
        """1 where both give the same in the published comparison, else 0.

        The gold is asked first: what the agent's statements write does not change its answer.
        """
        gold, rows = (self.execute(sqls)[0] or [] for sqls in (sol_sqls, pred_sqls))
        return int(same_softly(gold, rows, order=bool((conditions or {}).get("order"))))

    def test(
        self,
        pred_sqls: Any,
        sol_sqls: Any,
        db_name: object = None,
        conn: object = None,
        conditions: Any = None,
    ) -> int:
        """The published test of a question (G.1)."""
        for what in ("comments", "distinct", "round"):
            pred_sqls, sol_sqls = map(self.without(what), (pred_sqls, sol_sqls))
        if not self.same(pred_sqls, sol_sqls, conditions=conditions):
            raise AssertionError("the results are not the same")
        return 1

    def _run(self, sqls: list[str]) -> Result:
        kind, *found = self._ask("execute", sqls)
        if kind == "rows":
            columns, rows, changed = found
            return columns, rows, changed
        late, state, message = found
        error = error_of(state, message)
        error.late = late
        raise error
