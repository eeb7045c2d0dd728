"""Literal prefilter for regular expressions."""

import re
from collections.abc import Iterator, Sequence

_PIECE = re.compile(r"\(\?P<\w+>|\(\?<?[:!=]|\[[^]]*\]|\\.|\{[\d,]+\}|.")
_AROUND = ("(?<", "(?!", "(?=")

# Literals of which every match contains at least one; empty if there are none.
Literals = tuple[str, ...]


def required_literals(pattern: str) -> Literals:
    """Lower-case literals of which every match contains at least one; empty if there are none.

    Args:
        pattern: A regular expression of literals, classes, groups and lookaround.

    >>> required_literals("(?:on )?the (?:first|last) visits?(?! to)")
    (' visit',)
    >>> required_literals("since (?:2 years|months) ago|yesterday")
    ('since ', 'yesterday')
    """
    return _group(iter(_PIECE.findall(pattern)))


def _group(pieces: Iterator[str]) -> Literals:
    """Required literals of the alternatives up to the end of the group."""
    alternatives: list[list[str | Literals]] = [[]]
    for piece in pieces:
        parts = alternatives[-1]
        if piece.startswith("("):
            inside = _group(pieces)
            parts.append(() if piece.startswith(_AROUND) else inside)
        elif piece == ")":
            break
        elif piece == "|":
            alternatives.append([])
        elif piece[0] in "?*{":
            parts[-1] = ()
        else:
            parts.append(piece if len(piece) == 1 and piece not in ".^$+" else ())
    literals = [_best(parts) for parts in alternatives]
    return tuple(text for branch in literals for text in branch) if all(literals) else ()


def _best(parts: Sequence[str | Literals]) -> Literals:
    """The most selective of consecutive required parts: the longest shortest literal."""
    candidates: list[Literals] = [()]
    run = ""
    for part in (*parts, ()):
        if isinstance(part, str):
            run += part.lower()
        else:
            candidates += [(run,)] if run else []
            candidates.append(part)
            run = ""
    return max(candidates, key=lambda texts: min(map(len, texts), default=0))
