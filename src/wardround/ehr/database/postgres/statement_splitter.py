"""Splits a text of several PostgreSQL statements."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from wardround.ehr.database.postgres.keywords import past_comment

# Words include dollar signs, so that `a$b$` does not open a dollar quotation.
_PIECE = re.compile(
    r"""--[^\n\r]*|/\*|[eE]'|'|"|\$(?:[^\W\d]\w*)?\$|[^\W\d][\w$]*|[;()]|[^\s\w;()'"$/-]+|\S"""
)
_ESCAPED = re.compile(r"(?:[^'\\]++|\\.|'')*+'", re.DOTALL)
_ROUTINES = {"FUNCTION", "PROCEDURE"}


@dataclass
class _Statement:
    """Parser state of the current statement.

    Attributes:
        start: Its offset in the text.
        words: Its first words.
        holds_something: True if it is more than blanks and comments.
        parentheses: Open parentheses; a semicolon within them does not end a statement, as in
            `CREATE RULE`.
        blocks: Open blocks of a routine's SQL body.
    """

    start: int
    words: list[str] = field(default_factory=list)
    holds_something: bool = False
    parentheses: int = 0
    blocks: int = 0

    def read(self, piece: str) -> None:
        """Consume the next piece."""
        self.holds_something = True
        if piece in "()":
            self.parentheses = max(0, self.parentheses + (1 if piece == "(" else -1))
        elif piece[0].isalpha():
            self._read_word(piece.upper())

    @property
    def can_end(self) -> bool:
        """True if a semicolon would end the statement."""
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
    """Split a text into statements, keeping comments and dropping empty statements.

    As in `psql`, a semicolon within quotes, comments, parentheses or a routine's `BEGIN ATOMIC`
    body does not end a statement. An unclosed quote or comment extends to the end of the text.

    >>> split_statements("DO $$ BEGIN NULL; END $$; SELECT ';' -- ;")
    ['DO $$ BEGIN NULL; END $$', "SELECT ';' -- ;"]
    """
    completed, statement = [], _Statement(0)
    for start, piece in _pieces(text):
        if piece != ";":
            statement.read(piece)
        elif statement.can_end:
            completed.append((statement, start))
            statement = _Statement(start + 1)
    completed.append((statement, len(text)))
    return [text[each.start : end].strip() for each, end in completed if each.holds_something]


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The pieces outside comments with their positions; only the opening of quoted ones."""
    position = 0
    while match := _PIECE.search(text, position):
        piece = match[0]
        if piece == "/*":
            position = past_comment(text, match.end())
        elif piece.startswith("--"):
            position = match.end()
        else:
            position = _past_quoted(text, piece, match.end())
            yield match.start(), piece


def _past_quoted(text: str, opening: str, position: int) -> int:
    """The position after a quoted piece; a doubled quote inside reads as two quoted pieces."""
    if opening in ("E'", "e'"):
        closed = _ESCAPED.match(text, position)
        return closed.end() if closed else len(text)
    if opening not in ("'", '"') and not (opening[0] == "$" and opening[1:]):
        return position
    end = text.find(opening, position)
    return end + len(opening) if end >= 0 else len(text)
