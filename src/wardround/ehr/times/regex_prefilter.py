"""What a text has to have for a regular expression to match in it, sooner looked for."""

import re
from collections.abc import Iterator, Sequence

_PIECE = re.compile(r"\(\?P<\w+>|\(\?<?[:!=]|\[[^]]*\]|\\.|\{[\d,]+\}|.")
_AROUND = ("(?<", "(?!", "(?=")

# Texts of which a match has one; nothing where there are no such texts.
Needed = tuple[str, ...]


def needed(pattern: str) -> Needed:
    """Texts in lower case, one of which is in every match; nothing where none has to be.

    Args:
        pattern: A regular expression of literals, classes, groups and lookaround.

    >>> needed("(?:on )?the (?:first|last) visits?(?! to)")
    (' visit',)
    >>> needed("since (?:2 years|months) ago|yesterday")
    ('since ', 'yesterday')
    """
    return _group(iter(_PIECE.findall(pattern)))


def _group(pieces: Iterator[str]) -> Needed:
    """What the alternatives up to the end of the group have to have."""
    alternatives: list[list[str | Needed]] = [[]]
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
    found = [_best(parts) for parts in alternatives]
    return tuple(text for one in found for text in one) if all(found) else ()


def _best(parts: Sequence[str | Needed]) -> Needed:
    """Of what has to be there, a part after the other, that whose shortest text is longest."""
    found: list[Needed] = [()]
    run = ""
    for part in (*parts, ()):
        if isinstance(part, str):
            run += part.lower()
        else:
            found += [(run,)] if run else []
            found.append(part)
            run = ""
    return max(found, key=lambda one: min(map(len, one), default=0))
