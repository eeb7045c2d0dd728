"""Hides what is unclear in a request where another piece of the gold holds it."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from wardround.people.clarifying.gold_parser import DIALECT, piece
from wardround.people.clarifying.model import Ambiguity, Labelled, Located, Secret


def veiled(node: exp.Expr, ambiguities: Iterable[Ambiguity]) -> exp.Expr:
    """A piece of the gold in which the terms of the request stand for what they mean.

    Who asks what is shown has not asked what a vague word in it means.

    >>> late = Ambiguity("late", "semantic", ("hour > 22",))
    >>> veiled(piece("COUNT(*) FILTER (WHERE hour > 22)")[0], [late]).sql(DIALECT)
    'COUNT(*) FILTER(WHERE "late")'
    """
    terms = {
        _sql(tree): one.term
        for one in ambiguities
        if one.critical
        for fragment in one.fragments
        for tree in piece(fragment)
    }
    copy = node.copy()
    for inner in list(copy.walk()):
        if _may_be_a_name(inner) and (term := terms.get(_sql(inner))):
            inner.replace(exp.column(exp.to_identifier(term, quoted=True)))
    return copy


def told_by(choice: Labelled | Located, secret: Secret) -> tuple[str, ...]:
    """The pieces of the gold that a question was taken for, without what it has not asked for."""
    if isinstance(choice, Located):
        return (_text(choice.fragment, secret.ambiguities),)
    others = tuple(one for one in secret.ambiguities if one != choice.ambiguity)
    return tuple(_text(fragment, others) for fragment in choice.ambiguity.fragments)


def _text(fragment: str, ambiguities: Sequence[Ambiguity]) -> str:
    """A piece as text, veiled; as it is where no grammar reads it."""
    return " ".join(_sql(veiled(tree, ambiguities)) for tree in piece(fragment)) or fragment


def _may_be_a_name(node: exp.Expr) -> bool:
    """Whether a name can stand where a node does; not for a branch of a CASE."""
    return (
        node.parent is not None
        and isinstance(node, exp.Condition | exp.Interval)
        and node.arg_key != "ifs"
    )


def _sql(node: exp.Expr) -> str:
    return node.sql(dialect=DIALECT, comments=False)
