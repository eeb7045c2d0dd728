"""Puts values in place of the words that a query leaves open, such as `current_time`."""

import re
from collections.abc import Mapping
from datetime import datetime

# What is passed over first: strings, quoted names, comments, and words as parts of names.
_WORD = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | --[^\n]* | /\*.*?\*/
      | (?<![\w.$]) (?P<word> [a-z]\w* ) (?: (?<=current_time) \s* \(\s*\) )? (?![\w.$(])""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def with_words(sql: str, words: Mapping[str, str]) -> str:
    """The query with SQL in place of bare words that it leaves open.

    Args:
        sql: the query.
        words: what is put in, by the word in lower case.

    >>> with_words("SELECT current_time, 'current_time'", {"current_time": "'2100-12-31'"})
    "SELECT '2100-12-31', 'current_time'"
    """
    return _WORD.sub(lambda found: words.get((found["word"] or "").lower(), found[0]), sql)


def with_current_time(sql: str, now: datetime) -> str:
    """The query with the bare word `current_time` replaced by that time, as a string.

    The published graders do so before they run a query, so that answers do not depend on the day
    they are asked (EHRSQL, C.1).

    >>> with_current_time("SELECT 'current_time', current_time", datetime(2100, 12, 31, 23, 59))
    "SELECT 'current_time', '2100-12-31 23:59:00'"
    """
    return with_words(sql, {"current_time": f"'{now:%Y-%m-%d %H:%M:%S}'"})
