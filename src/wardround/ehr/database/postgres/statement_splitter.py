"""Splits a text of several PostgreSQL statements."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from wardround.ehr.database.postgres.keywords import past_comment

# A word takes its dollars with it, so that `a$b$` opens no quotation.
_PIECE = re.compile(
    r"""--[^\n\r]*|/\*|[eE]'|'|"|\$(?:[^\W\d]\w*)?\$|[^\W\d][\w$]*|[;()]|[^\s\w;()'"$/-]+|\S"""
)
_ESCAPED = re.compile(r"(?:[^'\\]++|\\.|'')*+'", re.DOTALL)
_ROUTINES = {"FUNCTION", "PROCEDURE"}


@dataclass
class _Statement:
    """The state of the statement that is being read.

    Attributes:
        start: Where it begins.
        words: Its first words.
        parentheses: How many are open; a semicolon within them ends nothing (`CREATE RULE`).
        blocks: How many blocks of a routine's body in SQL are open.
    """

    start: int
    words: list[str] = field(default_factory=list)
    holds_something: bool = False
    parentheses: int = 0
    blocks: int = 0

    def read(self, piece: str) -> None:
        """Read the next piece."""
        self.holds_something = True
        if piece in "()":
            self.parentheses = max(0, self.parentheses + (1 if piece == "(" else -1))
        elif piece[0].isalpha():
            self._read_word(piece.upper())

    @property
    def can_end(self) -> bool:
        """True if a semicolon would end it."""
        return not self.parentheses and not self.blocks

    def _read_word(self, word: str) -> None:
        if len(self.words) < 4:
            self.words.append(word)
        if word == "BEGIN" and self._makes_routine:
            self.blocks += 1
        elif word in ("CASE", "END") and self.blocks:
            self.blocks += 1 if word == "CASE" else -1

    @property
    def _makes_routine(self) -> bool:
        first = [word for word in self.words if word not in ("OR", "REPLACE")]
        return first[:1] == ["CREATE"] and bool(_ROUTINES & set(first[1:2]))


def split_statements(text: str) -> list[str]:
    """The statements of a text, without what is empty; comments stay where they are.

    A semicolon within quotes of any kind, comments, parentheses or a routine's `BEGIN ATOMIC`
    body ends nothing, as in `psql`. What is opened and not closed goes on to the text's end.

    >>> split_statements("DO $$ BEGIN NULL; END $$; SELECT ';' -- ;")
    ['DO $$ BEGIN NULL; END $$', "SELECT ';' -- ;"]
    """
    found, statement = [], _Statement(0)
    for start, piece in _pieces(text):
        if piece != ";":
            statement.read(piece)
        elif statement.can_end:
            found.append((statement, start))
            statement = _Statement(start + 1)
    found.append((statement, len(text)))
    return [text[each.start : end].strip() for each, end in found if each.holds_something]


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The pieces outside of comments, each with its position; of what is quoted, its opening."""
    position = 0
    while found := _PIECE.search(text, position):
        piece = found[0]
        if piece == "/*":
            position = past_comment(text, found.end())
        elif piece.startswith("--"):
            position = found.end()
        else:
            position = _past_quoted(text, piece, found.end())
            yield found.start(), piece


def _past_quoted(text: str, opening: str, position: int) -> int:
    """Past what an opening opens; a quote that is doubled within closes and opens again."""
    if opening in ("E'", "e'"):
        closed = _ESCAPED.match(text, position)
        return closed.end() if closed else len(text)
    if opening not in ("'", '"') and not (opening[0] == "$" and opening[1:]):
        return position
    end = text.find(opening, position)
    return end + len(opening) if end >= 0 else len(text)
