"""The words that a PostgreSQL statement begins with, past blanks, comments and parentheses."""

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
    place = _past_blanks(sql, 0)
    while len(words) < most and (found := _WORD.match(sql, place)):
        words.append(found[0].upper())
        place = _past_blanks(sql, found.end())
    return tuple(words)


def _past_blanks(sql: str, place: int) -> int:
    while True:
        if found := _BLANK.match(sql, place):
            place = found.end()
        elif sql.startswith("/*", place):
            place = past_comment(sql, place + 2)
        else:
            return place


def past_comment(sql: str, place: int) -> int:
    """Past a comment that has begun; comments of PostgreSQL nest."""
    depth = 1
    while depth:
        edge = _EDGE.search(sql, place)
        if edge is None:
            return len(sql)
        depth += 1 if edge[0] == "/*" else -1
        place = edge.end()
    return place
