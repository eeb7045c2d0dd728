"""Substitution of bare words in SQL, such as `current_time`."""

import re
from collections.abc import Mapping
from datetime import datetime

# Skips strings, quoted names, comments, and words within qualified names.
_WORD = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | --[^\n]* | /\*.*?\*/
      | (?<![\w.$]) (?P<word> [a-z]\w* ) (?: (?<=current_time) \s* \(\s*\) )? (?![\w.$(])""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def substitute_words(sql: str, words: Mapping[str, str]) -> str:
    """The query with bare words replaced by SQL.

    Args:
        sql: The query.
        words: Replacements by lower-case word.

    >>> substitute_words("SELECT x, 'x'", {"x": "'2100-12-31'"})
    "SELECT '2100-12-31', 'x'"
    """
    return _WORD.sub(lambda match: words.get((match["word"] or "").lower(), match[0]), sql)


def substitute_current_time(sql: str, now: datetime) -> str:
    """The query with the bare word `current_time` replaced by a time literal.

    The published graders do the same, so that answers do not depend on the date of evaluation
    (Lee et al. 2022, C.1).

    >>> substitute_current_time("SELECT current_time", datetime(2100, 12, 31, 23, 59))
    "SELECT '2100-12-31 23:59:00'"
    """
    return substitute_words(sql, {"current_time": f"'{now:%Y-%m-%d %H:%M:%S}'"})
