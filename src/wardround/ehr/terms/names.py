"""Normalization of drug names: lower case, hyphens as spaces, salts removed."""

from functools import cache

from wardround.core.packaged_data import read_lines

# First words that are the substance itself: potassium chloride is not a salt of "potassium".
_MINERALS = frozenset(
    {"aluminum", "ammonium", "barium", "calcium", "ferric", "ferrous", "iron", "lithium"}
    | {"magnesium", "neutra", "potassium", "silver", "sodium", "zinc"}
)


def key(name: str) -> str:
    """The normalized name for lookup.

    >>> key("Toprol-XL ")
    'toprol xl'
    """
    return " ".join(name.lower().replace("-", " ").split())


@cache
def salts() -> frozenset[str]:
    """Words for salts, esters and hydrates."""
    return frozenset(read_lines(__package__, "salts.txt"))


def base(name: str) -> str:
    """Strip salt words from the end of an ingredient's name.

    >>> base("atorvastatin calcium trihydrate"), base("potassium chloride")
    ('atorvastatin', 'potassium chloride')
    """
    words = name.lower().split()
    if words and words[0] in _MINERALS:
        return " ".join(words)
    while len(words) > 1 and words[-1] in salts():
        words.pop()
    return " ".join(words)
