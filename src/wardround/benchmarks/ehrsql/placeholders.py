"""Placeholders of EHRSQL's queries: the current time and normal vital signs (paper, C.1)."""

import re
from functools import cache, lru_cache

from wardround.core.packaged_data import read_toml
from wardround.ehr.times import substitute_words

_TEXT = re.compile(r"'(?:[^']|'')*'")


@lru_cache(maxsize=1 << 14)
def runnable(sql: str, now: str) -> str:
    """A query of EHRSQL as it is sent to the database.

    The bare words `current_time`, `temperature_lower` and the like are replaced by their values.
    EHRSQL 1.5 writes its SQL wholly in lower case; in such a query the time formats `%y` and `%j`
    are taken for `%Y` and `%J`, as its published grader does.

    Args:
        sql: the query.
        now: the current time, as YYYY-MM-DD HH:MM:SS.

    >>> runnable("SELECT current_time, 'current_time'", "2105-12-31 23:59:00")
    "SELECT '2105-12-31 23:59:00', 'current_time'"
    >>> runnable("select strftime('%y', t) between heart_rate_lower and 7", "")
    "select strftime('%Y', t) between 60.0 and 7"
    """
    words = {"current_time": f"'{now}'", **normal_ranges()}
    filled = substitute_words(sql, words)
    return _with_formats(filled) if sql == sql.lower() else filled


@cache
def normal_ranges() -> dict[str, str]:
    """The ends of the normal ranges by the word that stands for them."""
    ranges = read_toml("wardround.benchmarks.ehrsql", "normal_ranges.toml")
    return {f"{name}_{end}": str(found[end]) for name, found in ranges.items() for end in _ENDS}


_ENDS = ("lower", "upper")


def _with_formats(sql: str) -> str:
    return _TEXT.sub(lambda text: text[0].replace("%y", "%Y").replace("%j", "%J"), sql)
