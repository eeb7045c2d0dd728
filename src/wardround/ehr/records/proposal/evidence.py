"""Evidence for the entries of a proposed map, and how certain it makes them."""

from typing import Literal, TypeAlias, get_args

Certainty: TypeAlias = Literal["certain", "likely", "open"]
# Pieces of evidence: a kind, of which two count once, and the words for the map.
Evidence: TypeAlias = tuple[tuple[str, str], ...]
CERTAINTIES: tuple[Certainty, ...] = get_args(Certainty)


def certainty(evidence: Evidence) -> Certainty:
    """Certain with two independent pieces of evidence or a declared key, likely with one.

    >>> certainty((("name", "its name"), ("values", "all fit")))
    'certain'
    """
    kinds = {kind for kind, _ in evidence}
    return "certain" if len(kinds) >= 2 or "declared" in kinds else "likely" if kinds else "open"


def weakest(*evidence: Evidence) -> Evidence:
    """The evidence of a chain of steps: that of its weakest step.

    >>> weakest((("name", "its name"), ("values", "all fit")), (("name", "its name"),))
    (('name', 'its name'),)
    """
    return max(evidence, key=lambda each: CERTAINTIES.index(certainty(each)))
