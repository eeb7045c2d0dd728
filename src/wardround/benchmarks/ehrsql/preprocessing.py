"""What is run of a query: its placeholders filled in, and EHRSQL 2024's preprocessing.

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
    filled = substitute_words(sql, words).strip()
    return _with_formats(filled) if sql == sql.lower() else filled


@lru_cache(maxsize=1 << 14)
def preprocessed_2024(sql: str, now: str) -> str:
    """A query as the published scorer of EHRSQL 2024 runs it; text literals are changed too.

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
    """The ends of the normal ranges by the word that stands for them."""
    return {f"{name}_{end}": value for name, ends in _ranges().items() for end, value in ends}


@cache
def _ranges() -> dict[str, tuple[tuple[str, str], ...]]:
    found = read_toml("wardround.benchmarks.ehrsql", "normal_ranges.toml")
    return {name: tuple((end, str(ends[end])) for end in _ENDS) for name, ends in found.items()}


def _with_bounds(query: str) -> str:
    """The query with the vital signs filled in of which it names both bounds."""
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
