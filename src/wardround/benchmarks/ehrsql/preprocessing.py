"""Preprocessing of queries: placeholders filled in, and EHRSQL 2024's replacements.

Placeholders are the current time and the bounds of normal vital signs (paper, C.1).
"""

import re
from functools import cache, lru_cache

from wardround.core.packaged_data import read_toml
from wardround.ehr.times import substitute_words

_TEXT = re.compile(r"'(?:[^']|'')*'")
_BLANKS = re.compile(" +")
_ENDS = ("lower", "upper")


@lru_cache(maxsize=1 << 14)
def runnable(sql: str, now: str) -> str:
    """Replaces the placeholders of a query, such as `current_time` and `temperature_lower`.

    EHRSQL 1.5 has its SQL in lower case; in such a query the time formats `%y` and `%j` become
    `%Y` and `%J`, as in its published grader.

    Args:
        sql: the query.
        now: the current time, as YYYY-MM-DD HH:MM:SS.

    >>> runnable("SELECT current_time, 'current_time'", "2105-12-31 23:59:00")
    "SELECT '2105-12-31 23:59:00', 'current_time'"
    >>> runnable("select strftime('%y', t) between heart_rate_lower and 7", "")
    "select strftime('%Y', t) between 60.0 and 7"
    """
    words = {"current_time": f"'{now}'", **normal_ranges()}
    filled = substitute_words(sql, words).strip()
    return _with_formats(filled) if sql == sql.lower() else filled


@lru_cache(maxsize=1 << 14)
def preprocessed_2024(sql: str, now: str) -> str:
    """Preprocesses a query as the published scorer of EHRSQL 2024, text literals included.

    Args:
        sql: the query, or any text.
        now: the current time, as YYYY-MM-DD HH:MM:SS.

    >>> preprocessed_2024("Sure: SELECT  1 > = 0, current_time, CURRENT_TIME", "2100-12-31")
    "SELECT 1 >= 0, '2100-12-31', CURRENT_TIME"
    >>> preprocessed_2024("SELECT 1 BETWEEN sao2_lower AND sao2_upper, '%yeast'", "")
    "SELECT 1 BETWEEN 95.0 AND 100.0, '%Yeast'"
    """
    query = sql[max(sql.find("SELECT"), 0) :]
    query = _BLANKS.sub(" ", query.replace("\n", " "))
    for mark in "><!":
        query = query.replace(f"{mark} =", f"{mark}=")
    query = query.replace("current_time", f"'{now}'")
    return _with_bounds(query).replace("%y", "%Y").replace("%j", "%J").strip()


@cache
def normal_ranges() -> dict[str, str]:
    """Returns the bounds of the normal ranges by placeholder, such as `sao2_lower`."""
    return {f"{name}_{end}": value for name, ends in _ranges().items() for end, value in ends}


@cache
def _ranges() -> dict[str, tuple[tuple[str, str], ...]]:
    ranges = read_toml("wardround.benchmarks.ehrsql", "normal_ranges.toml")
    return {name: tuple((end, str(ends[end])) for end in _ENDS) for name, ends in ranges.items()}


def _with_bounds(query: str) -> str:
    """Fills in the vital signs of which a query has both bounds, as the published scorer does."""
    if not all(f"_{end}" in query for end in _ENDS):
        return query
    for name, ends in _ranges().items():
        words = [re.compile(rf"\b{name}_{end}\b") for end, _ in ends]
        if all(word.search(query) for word in words):
            for word, (_, value) in zip(words, ends, strict=True):
                query = word.sub(value, query)
    return query


def _with_formats(sql: str) -> str:
    return _TEXT.sub(lambda text: text[0].replace("%y", "%Y").replace("%j", "%J"), sql)
