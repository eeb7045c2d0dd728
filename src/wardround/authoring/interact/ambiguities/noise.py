"""Ambiguities of the environment: what is uneven in the columns that the gold uses (H.2)."""

import re

from sqlglot import exp

from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.statement_nodes import Statement, is_negated, text_of
from wardround.authoring.interact.ambiguities.wording_templates import in_words
from wardround.ehr.database.names import quote_name

_UNKNOWN = ("?", "", "-", "n/a", "na", "none", "unknown", "not available", "___")


def noise(statement: Statement, records: DatabaseValues) -> tuple[Proposal, ...]:
    """Conditions of the gold that deal with what is uneven in the database.

    That is NULL, a sign for "unknown", and numbers beside other texts. A condition that deals
    with what the database does not hold is no ambiguity.
    """
    found = []
    for node in statement.tree.find_all(exp.Is, exp.RegexpLike, exp.NEQ, exp.EQ):
        column = node.find(exp.Column)
        if column is None:
            continue
        what = _dealt_with(node, column.name, records)
        whole = node.parent if isinstance(node.parent, exp.Not) else node
        text = text_of(whole, statement)
        if what and text:
            found.append(
                Proposal(
                    "environmental",
                    text,
                    what.format(what=in_words(column.name)),
                    _otherwise(node, statement),
                    term=in_words(column.name),
                    critical=False,
                )
            )
    return tuple(found)


def _otherwise(node: exp.Expr, statement: Statement) -> tuple[str, ...]:
    """Not minding it; of texts that are no numbers, which would then fail, whole numbers only."""
    if isinstance(node, exp.RegexpLike):
        left = text_of(node.this, statement)
        return (f"{left} ~ '^[0-9]+$'", f"{left} ~ '^[0-9]$'")
    return ("FALSE", "TRUE") if isinstance(node, exp.EQ) else ("TRUE",)


def _dealt_with(node: exp.Expr, column: str, records: DatabaseValues) -> str:
    """The irregularity of a column in a user's words; "" if it has none."""
    value = node.args.get("expression")
    if isinstance(node, exp.Is) and isinstance(value, exp.Null) and _has_empty(column, records):
        taken = "leave those out" if is_negated(node) else "take those"
        return f"The {{what}} is not always recorded; {taken}."
    if isinstance(node, exp.RegexpLike) and _is_mixed(column, records):
        return "The {what} is not always a plain number; take those that are."
    sign = value.name if isinstance(value, exp.Literal) and value.is_string else None
    if sign is not None and sign.lower() in _UNKNOWN and sign in records.values(column):
        taken = "take" if isinstance(node, exp.EQ) else "leave out"
        return f"Where the {{what}} is not known, {sign!r} stands; {taken} those."
    return ""


def _has_empty(column: str, records: DatabaseValues) -> bool:
    table = records.table_of(column)
    if not table:
        return False
    sql = f"SELECT 1 FROM {quote_name(table)} WHERE {quote_name(column)} IS NULL LIMIT 1"  # noqa: S608
    return bool(records.rows(sql))


def _is_mixed(column: str, records: DatabaseValues) -> bool:
    numbers = {bool(re.fullmatch(r"-?\d+(?:\.\d+)?", one)) for one in records.values(column)}
    return len(numbers) == 2
