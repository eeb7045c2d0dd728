"""Tells if a name that is a part of another one stands for it."""

from collections.abc import Callable
from typing import TypeAlias

from wardround.agents.parser.names.value_index import Name
from wardround.ehr.text.cues import negation_words

IsPart: TypeAlias = Callable[[Name, Name], bool]

# Words behind which a term names a place, a cause or a circumstance of the thing itself.
_QUALIFIERS = frozenset(
    [
        *("of", "in", "on", "at", "by", "to", "from", "for", "with", "without", "due", "using"),
        *("following", "after", "during", "secondary", "caused", "associated", "complicating"),
        *negation_words("en"),
        *("except", "excluding", "and", "or"),
    ]
)


def at_an_end(name: Name, whole: Name) -> bool:
    """True if a value starts with a name, or a part of it between marks ends with it.

    Of several words, any place will do.

    >>> at_an_end(("glucose",), ("glucose", "finger", "stick"))
    True
    >>> at_an_end(("four",), ("closed", "fracture", "of", "four", "ribs"))
    False
    """
    size = len(name)
    if size > 1:
        return True
    ends = [at for at in range(size, len(whole) + 1) if whole[at - size : at] == name]
    return any(at == size or at == len(whole) or not whole[at].isalnum() for at in ends)


def in_the_head(name: Name, whole: Name) -> bool:
    """True if a word of a name is of the thing that a term names, not of its circumstances.

    >>> in_the_head(("fracture",), ("pathological", "fracture", "due", "to", "osteoporosis"))
    True
    >>> in_the_head(("osteoporosis",), ("pathological", "fracture", "due", "to", "osteoporosis"))
    False
    """
    ends = [at for at, word in enumerate(whole) if word in _QUALIFIERS]
    head = whole[: ends[0]] if ends else whole
    return any(word in head for word in name if word.isalnum())
