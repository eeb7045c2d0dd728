"""The rule behind an error of GoogleSQL's analyser."""

from wardround.ehr.database.googlesql.strictness.refusal import Rule

# The first fragment that an error contains tells the rule.
_FRAGMENTS: tuple[tuple[str, Rule], ...] = (
    ("Syntax error", "syntax"),
    ("No matching signature for operator =", "comparable types"),
    ("No matching signature for operator !=", "comparable types"),
    ("No matching signature for operator <", "comparable types"),
    ("No matching signature for operator >", "comparable types"),
    ("No matching signature for operator IN", "comparable types"),
    ("No matching signature for operator BETWEEN", "comparable types"),
    ("No matching signature for operator AND", "comparable types"),
    ("No matching signature for operator OR", "comparable types"),
    ("No matching signature for operator NOT", "comparable types"),
    ("No matching signature", "argument types"),
    ("should return type BOOL", "comparable types"),
    ("uncomparable types", "comparable types"),
    ("UNION ALL has", "set columns"),
    ("Queries in", "set columns"),
    ("has incompatible types", "comparable types"),
    ("Function not found", "unknown function"),
    ("Type not found", "unknown type"),
    ("ambiguous", "ambiguous column"),
    ("Duplicate table alias", "duplicate alias"),
    ("neither grouped nor aggregated", "grouped columns"),
    ("Table not found", "table name"),
    ("Unrecognized name", "unknown column"),
    ("not found", "unknown column"),
    ("does not exist", "unknown column"),
    ("Aggregations of aggregations", "nested aggregates"),
    ("aggregation function", "aggregate not allowed"),
    ("Aggregate function", "aggregate not allowed"),
    ("without an OVER clause", "analytic only"),
    ("analytic function", "window not allowed"),
    ("Analytic function", "window not allowed"),
    ("Window ", "window form"),
    ("one output column", "subquery columns"),
    ("more than one column", "subquery columns"),
    ("ORDER BY does not support", "orderable types"),
    ("is not defined for arguments", "orderable types"),
)


def rule_of(message: str) -> Rule:
    """The rule that a message names.

    >>> rule_of("Unrecognized name: age")
    'unknown column'
    """
    return next((rule for fragment, rule in _FRAGMENTS if fragment in message), "argument types")
