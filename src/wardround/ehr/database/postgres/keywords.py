"""The first words of a PostgreSQL statement, past blanks, comments and parentheses."""

import re

_BLANK = re.compile(r"(?:[\s;(]|--[^\n\r]*)+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_EDGE = re.compile(r"/\*|\*/")


def first_words(sql: str, most: int = 2) -> tuple[str, ...]:
    """Up to so many leading words, upper case.

    >>> first_words("/* a /* b */ c */ ; -- d" + chr(10) + " commit and chain")
    ('COMMIT', 'AND')
    """
    words: list[str] = []
    position = _past_blanks(sql, 0)
    while len(words) < most and (found := _WORD.match(sql, position)):
        words.append(found[0].upper())
        position = _past_blanks(sql, found.end())
    return tuple(words)


def _past_blanks(sql: str, position: int) -> int:
    while True:
        if found := _BLANK.match(sql, position):
            position = found.end()
        elif sql.startswith("/*", position):
            position = past_comment(sql, position + 2)
        else:
            return position


def past_comment(sql: str, position: int) -> int:
    """Past a comment that has begun; comments of PostgreSQL nest."""
    depth = 1
    while depth:
        edge = _EDGE.search(sql, position)
        if edge is None:
            return len(sql)
        depth += 1 if edge[0] == "/*" else -1
        position = edge.end()
    return position
