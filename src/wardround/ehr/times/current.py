"""The current time put into a query, which leaves it open as the word `current_time`."""

import re
from datetime import datetime

# What is passed over first: strings, quoted names, comments, and the word as part of a name.
_WORD = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | --[^\n]* | /\*.*?\*/
      | (?<![\w.$]) (?P<word> current_time ) (?: \s* \(\s*\) )? (?![\w.$])""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def with_current_time(sql: str, now: datetime) -> str:
    """The query with the bare word `current_time` replaced by that time, as a string.

    The published graders do so before they run a query, so that answers do not depend on the day
    they are asked (EHRSQL, C.1).

    >>> with_current_time("SELECT 'current_time', current_time", datetime(2100, 12, 31, 23, 59))
    "SELECT 'current_time', '2100-12-31 23:59:00'"
    """
    text = f"'{now:%Y-%m-%d %H:%M:%S}'"
    return _WORD.sub(lambda found: text if found["word"] else found[0], sql)
