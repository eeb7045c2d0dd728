"""Environmental ambiguities: irregular values in the gold's columns (H.2)."""

import re

from sqlglot import exp

from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.spoken_values import name_in_words
from wardround.authoring.interact.ambiguities.statement_nodes import Statement, is_negated

_UNKNOWN = ("?", "", "-", "n/a", "na", "none", "unknown", "not available", "___")


def column_noise(statement: Statement, records: DatabaseValues) -> tuple[Proposal, ...]:
    """Proposes ambiguities for conditions of the gold on irregular values.

    Irregular values are NULL, marks for "unknown", and numbers mixed with other texts. Only
    values that occur in the database count.
    """
    proposals = []
    for node in statement.tree.find_all(exp.Is, exp.RegexpLike, exp.NEQ, exp.EQ):
        column = node.find(exp.Column)
        meaning = _meaning(node, column.name, records) if column else ""
        text = statement.text(node.parent if isinstance(node.parent, exp.Not) else node)
        if column and meaning and text:
            words = name_in_words(column.name)
            meaning, readings = meaning.format(what=words), _other_readings(node, statement)
            proposals.append(
                Proposal("environmental", text, meaning, readings, term=words, critical=False)
            )
    return tuple(proposals)


def _other_readings(node: exp.Expr, statement: Statement) -> tuple[str, ...]:
    """Readings without the condition; for numbers, whole numbers only, as texts would fail."""
    if isinstance(node, exp.RegexpLike):
        left = statement.text(node.this)
        return (f"{left} ~ '^[0-9]+$'", f"{left} ~ '^[0-9]$'")
    return ("FALSE", "TRUE") if isinstance(node, exp.EQ) else ("TRUE",)


def _meaning(node: exp.Expr, column: str, records: DatabaseValues) -> str:
    """The irregularity of a column in the user's words; "" if it has none."""
    value = node.args.get("expression")
    if isinstance(node, exp.Is) and isinstance(value, exp.Null) and records.has_null(column):
        what_to_do = "leave those out" if is_negated(node) else "take those"
        return f"The {{what}} is not always recorded; {what_to_do}."
    if isinstance(node, exp.RegexpLike) and _is_mixed(column, records):
        return "The {what} is not always a plain number; take those that are."
    sign = value.name if isinstance(value, exp.Literal) and value.is_string else None
    if sign is not None and sign.lower() in _UNKNOWN and sign in records.values(column):
        what_to_do = "take" if isinstance(node, exp.EQ) else "leave out"
        return f"Where the {{what}} is not known, {sign!r} stands; {what_to_do} those."
    return ""


def _is_mixed(column: str, records: DatabaseValues) -> bool:
    """True if a column has both numbers and other texts."""
    return (
        len({bool(re.fullmatch(r"-?\d+(?:\.\d+)?", each)) for each in records.values(column)}) == 2
    )
