"""The global names of a test program, in its own process."""

import datetime
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from wardround.sandbox.test_programs.connection import Connection, Result
from wardround.sandbox.test_programs.errors import Error, error_of

# Rows, True if a statement failed, True if it missed its deadline.
Queried: TypeAlias = tuple[list[tuple[Any, ...]] | None, bool, bool]
Ask: TypeAlias = Callable[..., Any]

# Modules that a program may import; all are loaded before files become inaccessible.
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
    # Imported lazily by other modules.
    "_strptime",
    "encodings.idna",
    "encodings.latin_1",
)


class Queries:
    """Runs SQL for a program by asking wardround.

    Args:
        ask: sends a request to wardround and returns its answer.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def connection(self, rolls_back: bool) -> Connection:
        """A connection to the database."""
        return Connection(lambda sql: self.run([sql]), rolls_back)

    def execute(self, sqls: str | Sequence[str], *_: object, **__: object) -> Queried:
        """Runs statements; see the package's documentation."""
        try:
            columns, rows, _changed = self.run([sqls] if isinstance(sqls, str) else list(sqls))
        except Error as error:
            return None, True, error.late
        return (rows if columns else None), False, False

    def rewritten(self, rewrite: str, sqls: Any) -> Any:
        """A text of SQL, or each of a list, rewritten by wardround."""
        if isinstance(sqls, str):
            return self._ask("rewrite", rewrite, [sqls])[0]
        return self._ask("rewrite", rewrite, list(sqls))

    def run(self, sqls: list[str]) -> Result:
        """The result of statements.

        Raises:
            Error: one of them failed.
        """
        kind, *answer = self._ask("execute", sqls)
        if kind == "rows":
            columns, rows, changed = answer
            return columns, rows, changed
        late, state, message = answer
        error = error_of(state, message)
        error.late = late
        raise error


# Makes the caller's additional names for each program.
MakeNames: TypeAlias = Callable[[Queries], dict[str, Any]]


def namespace(queries: Queries, more: MakeNames) -> dict[str, Any]:
    """The global names of a program; see the package's documentation.

    Args:
        queries: runs SQL.
        more: makes the caller's additional names.
    """
    return {
        "__name__": "test_program",
        "Counter": Counter,
        "Decimal": Decimal,
        "date": datetime.date,
        "datetime": datetime.datetime,
        "defaultdict": defaultdict,
        "execute_queries": queries.execute,
        "json": json,
        "math": math,
        "re": re,
        "timedelta": datetime.timedelta,
        **more(queries),
    }
