"""SQL in plain words: an expression's tree is walked, no name or keyword of it is said."""

from sqlglot import exp

# What conditions are told by comes with its import.
import wardround.people.clarifying.plain_words.conditions  # noqa: F401
from wardround.people.clarifying.plain_words.calculations import precision
from wardround.people.clarifying.plain_words.clauses import PLACES
from wardround.people.clarifying.plain_words.words import listed, tell

__all__ = ["listed", "tell", "tell_aspect"]


def tell_aspect(sort: str, node: exp.Expr) -> str:
    """What a piece tells of one thing that it is, and no more than that.

    >>> from sqlglot import parse_one
    >>> tell_aspect("decimal", parse_one("ROUND(AVG(valuenum), 2)", read="postgres"))
    'rounded to 2 decimals'
    """
    if sort == "decimal":
        return precision(node)
    if sort == "rank":
        return PLACES[type(node.this)]
    return node.name if sort == "name" else tell(node)
