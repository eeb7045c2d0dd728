"""Verbalizes SQL trees in plain words, without SQL names or keywords."""

from sqlglot import exp

# Importing the module registers its node types.
import wardround.people.clarifying.plain_words.conditions  # noqa: F401
from wardround.people.clarifying.plain_words.calculations import precision
from wardround.people.clarifying.plain_words.conditions import RANK_WORDS
from wardround.people.clarifying.plain_words.words import listed, verbalize

__all__ = ["listed", "verbalize", "verbalize_aspect"]


def verbalize_aspect(aspect: str, node: exp.Expr) -> str:
    """Verbalizes a single aspect of a fragment.

    >>> from sqlglot import parse_one
    >>> verbalize_aspect("decimal", parse_one("ROUND(AVG(valuenum), 2)", read="postgres"))
    'rounded to 2 decimals'
    """
    if aspect == "decimal":
        return precision(node)
    if aspect == "rank":
        return RANK_WORDS[type(node.this)]
    return node.name if aspect == "name" else verbalize(node)
