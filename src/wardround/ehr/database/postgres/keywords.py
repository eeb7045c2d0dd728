"""The first keywords of a PostgreSQL statement, after blanks, comments and parentheses."""

import re

_BLANK = re.compile(r"(?:[\s;(]|--[^\n\r]*)+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EDGE = re.compile(r"/\*|\*/")


def first_words(sql: str, most: int = 2) -> tuple[str, ...]:
    """Up to `most` leading words of a statement, upper case.

    >>> first_words("/* a /* b */ c */ ; -- d" + chr(10) + " commit and chain")
    ('COMMIT', 'AND')
    """
    words: list[str] = []
    position = _past_blanks(sql, 0)
    while len(words) < most and (match := _WORD.match(sql, position)):
        words.append(match[0].upper())
        position = _past_blanks(sql, match.end())
    return tuple(words)


def _past_blanks(sql: str, position: int) -> int:
    while True:
        if match := _BLANK.match(sql, position):
            position = match.end()
        elif sql.startswith("/*", position):
            position = past_comment(sql, position + 2)
        else:
            return position


def past_comment(sql: str, position: int) -> int:
    """The position after the end of an open comment; PostgreSQL's comments nest."""
    depth = 1
    while depth:
        edge = _EDGE.search(sql, position)
        if edge is None:
            return len(sql)
        depth += 1 if edge[0] == "/*" else -1
        position = edge.end()
    return position
