"""Implementation ambiguities, found in the gold's syntax tree (Table 7)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from sqlglot import exp

from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.spoken_values import name_in_words
from wardround.authoring.interact.ambiguities.statement_nodes import Statement, is_negated
from wardround.core.packaged_data import read_toml

Proposals: TypeAlias = Iterator[Proposal]


def implementation(request: str, statement: Statement) -> tuple[Proposal, ...]:
    """Proposes ambiguities of all seven types, at most one for each fragment of the gold.

    Args:
        request: the clear request, which may resolve the ambiguities.
        statement: a statement of the gold.
    """
    proposals: dict[str, Proposal] = {}
    for proposal in (new for rule in _RULES for new in rule(statement)):
        if proposal.fragment not in proposals:
            words = request_words(proposal.kind, request)
            proposals[proposal.fragment] = replace(proposal, said=words)
    return tuple(proposals.values())


def request_words(kind: str, request: str) -> str:
    """Returns the words of a request that resolve a type of ambiguity; "" if there are none.

    >>> request_words("decimal", "Give the mean age, rounded to two decimals, for each unit.")
    ', rounded to two decimals'
    """
    matches = (re.search(form, request, re.IGNORECASE) for form in _templates(kind)["request"])
    return next((match[0] for match in matches if match), "")


def _templates(kind: str) -> dict[str, Any]:
    templates: dict[str, Any] = read_toml(__package__, "implementation.toml")[kind]
    return templates


def _proposal(
    kind: str, fragment: str, template: str, *otherwise: str, **words: object
) -> Proposal:
    """Makes a proposal with a meaning from a template."""
    templates = _templates(kind)
    readings = tuple(dict.fromkeys(each for each in otherwise if each != fragment))
    meaning = templates[template].format(**words)
    return Proposal(kind, fragment, meaning, readings, term=templates["term"], critical=False)


def _decimal(statement: Statement) -> Proposals:
    for node, text in statement.nodes(exp.Round):
        digits = node.args.get("decimals")
        if digits is None:
            yield _proposal("decimal", text, "none", f"{text[:-1]}, -1)")
        elif isinstance(digits, exp.Literal):
            count = int(digits.name)
            head = text[: text.rindex(digits.name)]
            fewer = [each for each in (0, count - 1) if 0 <= each < count] or [-1]
            readings = [f"{head}{each})" for each in fewer]
            template = ("none", "one", "many")[min(count, 2)]
            yield _proposal("decimal", text, template, *readings, count=count)


def _join(statement: Statement) -> Proposals:
    for node, text in statement.nodes(exp.Join):
        if node.args.get("side") and not _is_anti_join(node):
            yield _proposal("join", text, "outer", text[text.upper().index("JOIN") :])


def _is_anti_join(join: exp.Join) -> bool:
    """True if the query selects only rows without a match."""
    select = join.find_ancestor(exp.Select)
    where = select.args.get("where") if select else None
    return any(
        isinstance(check.expression, exp.Null)
        and not is_negated(check)
        and isinstance(check.this, exp.Column)
        and check.this.table == join.this.alias_or_name
        for check in (where.find_all(exp.Is) if where else ())
    )


def _distinct(statement: Statement) -> Proposals:
    for node in statement.tree.find_all(exp.Distinct):
        template, text = "", ""
        if isinstance(node.parent, exp.Select) and not node.args.get("on"):
            template, text = "rows", _select_list(node.parent, statement)
        elif isinstance(node.parent, exp.AggFunc):
            template, text = "counted", statement.text(node.parent)
        if text:
            repeated = re.sub(r"DISTINCT\s*", "", text, count=1, flags=re.IGNORECASE)
            yield _proposal("distinct", text, template, repeated)


def _select_list(select: exp.Select, statement: Statement) -> str:
    """`SELECT DISTINCT` and its expressions; "" if their text is not found."""
    first, last = statement.span(select.expressions[0]), statement.span(select.expressions[-1])
    before = statement.sql[: first[0]].upper().rfind("SELECT")
    return statement.sql[before : last[1]] if any(first) and any(last) else ""


def _sort(statement: Statement) -> Proposals:
    tree = statement.tree
    order = tree.args.get("order") if isinstance(tree, exp.Query) else None
    if order is None or tree.args.get("limit"):
        return
    first = order.expressions[0]
    text, key = statement.text(order), statement.text(first.this)
    if text and key:
        descending = bool(first.args.get("desc"))
        after = text.partition(key)[2].partition(",")[2]
        turned = f"ORDER BY {key}{'' if descending else ' DESC'}{',' * bool(after)}{after}"
        by = ", then by ".join(name_in_words(each.this.name) for each in order.expressions)
        yield _proposal("sort", text, "descending" if descending else "ascending", turned, by=by)


def _null(statement: Statement) -> Proposals:
    for node, text in statement.nodes(exp.Coalesce):
        bare = statement.text(node.this)
        if bare and not node.find(exp.Div):
            instead = " or ".join(_spoken(each, statement) for each in node.expressions)
            yield _proposal("null", text, "instead", bare, instead=instead)
    for check in statement.tree.find_all(exp.Is):
        if is_negated(check) and isinstance(check.expression, exp.Null):
            text = statement.text(check.parent if isinstance(check.parent, exp.Not) else check)
            name = name_in_words(check.this.name) or "it"
            if text:
                yield _proposal("null", text, "left out", "TRUE", what=name)


def _spoken(node: exp.Expr, statement: Statement) -> str:
    return node.name if isinstance(node, exp.Literal) else name_in_words(statement.text(node))


_RANKS = {exp.RowNumber: "ROW_NUMBER()", exp.Rank: "RANK()", exp.DenseRank: "DENSE_RANK()"}


def _rank(statement: Statement) -> Proposals:
    for kind, function in _RANKS.items():
        for _, text in statement.nodes(kind):
            others = [each for each in _RANKS.values() if each != function]
            yield _proposal("rank", text, function, *others)


def _divide_by_zero(statement: Statement) -> Proposals:
    for node in statement.tree.find_all(exp.Nullif):
        if _is_zero(node.expression):
            yield from _guarded(node, statement)
    for case, text in statement.nodes(exp.Case):
        if case.find(exp.Div) and any(_compares_with_zero(each.this) for each in case.args["ifs"]):
            yield _branched(case, text, statement)


def _guarded(node: exp.Nullif, statement: Statement) -> Proposals:
    """`NULLIF(x, 0)`, and the COALESCE around it with the value for a zero divisor."""
    around = node.find_ancestor(exp.Coalesce, exp.Select)
    if isinstance(around, exp.Coalesce) and len(around.expressions) == 1:
        text, bare = statement.text(around), statement.text(around.this)
        value = _spoken(around.expressions[0], statement)
        proposal = _proposal("divide by zero", text, "value", bare, value=value)
    else:
        text, bare = statement.text(node), statement.text(node.this)
        proposal = _proposal("divide by zero", text, "empty", f"GREATEST({bare}, 1)")
    if text:
        yield proposal


def _branched(case: exp.Case, text: str, statement: Statement) -> Proposal:
    values = [branch.args["true"] for branch in case.args["ifs"]] + [case.args.get("default")]
    value = next((each for each in values if each is not None and not each.find(exp.Div)), None)
    if value is None or isinstance(value, exp.Null):
        return _proposal("divide by zero", text, "empty", f"COALESCE({text}, 0)")
    turned = f"NULLIF({text}, {statement.text(value)})"
    return _proposal("divide by zero", text, "value", turned, value=_spoken(value, statement))


def _compares_with_zero(node: exp.Expr) -> bool:
    return isinstance(node, exp.EQ | exp.NEQ | exp.GT) and _is_zero(node.expression)


def _is_zero(node: exp.Expr | None) -> bool:
    return isinstance(node, exp.Literal) and node.name in ("0", "0.0")


# Divisions come first, as their COALESCE does not count as `null`.
_RULES: tuple[Callable[[Statement], Proposals], ...] = (
    _divide_by_zero,
    _decimal,
    _join,
    _distinct,
    _sort,
    _null,
    _rank,
)
