"""Redacts ambiguous terms from other fragments of the gold."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from wardround.people.clarifying.gold_parser import DIALECT, parse_fragment
from wardround.people.clarifying.secret import Ambiguity, Labelled, Located, Secret


def redacted(node: exp.Expr, ambiguities: Iterable[Ambiguity]) -> exp.Expr:
    """Replaces the meanings of critical ambiguities in a fragment by the request's terms.

    A question about the output does not ask for the meaning of a vague word in it.

    >>> late = Ambiguity("late", "semantic", ("hour > 22",))
    >>> redacted(parse_fragment("COUNT(*) FILTER (WHERE hour > 22)")[0], [late]).sql(DIALECT)
    'COUNT(*) FILTER(WHERE "late")'
    """
    terms = {
        _sql(tree): ambiguity.term
        for ambiguity in ambiguities
        if ambiguity.critical
        for fragment in ambiguity.fragments
        for tree in parse_fragment(fragment)
    }
    copy = node.copy()
    for inner in list(copy.walk()):
        if _may_be_a_name(inner) and (term := terms.get(_sql(inner))):
            inner.replace(exp.column(exp.to_identifier(term, quoted=True)))
    return copy


def redacted_fragments(choice: Labelled | Located, secret: Secret) -> tuple[str, ...]:
    """Returns the fragments of a choice, with all other ambiguities redacted."""
    if isinstance(choice, Located):
        return (_text(choice.fragment, secret.ambiguities),)
    ambiguities = tuple(
        ambiguity for ambiguity in secret.ambiguities if ambiguity != choice.ambiguity
    )
    return tuple(_text(fragment, ambiguities) for fragment in choice.ambiguity.fragments)


def _text(fragment: str, ambiguities: Sequence[Ambiguity]) -> str:
    """Redacts a fragment's text; returns it unchanged if it does not parse."""
    return (
        " ".join(_sql(redacted(tree, ambiguities)) for tree in parse_fragment(fragment)) or fragment
    )


def _may_be_a_name(node: exp.Expr) -> bool:
    """True if a name can replace a node, which it cannot for a branch of a CASE."""
    return (
        node.parent is not None
        and isinstance(node, exp.Condition | exp.Interval)
        and node.arg_key != "ifs"
    )


def _sql(node: exp.Expr) -> str:
    return node.sql(dialect=DIALECT, comments=False)
