"""Reads a query over kinds of record back as the logical form of a question, where it is plain."""

from collections.abc import Iterator, Sequence

from sqlglot import exp

from wardround.ehr.query import Bound, Condition, Goal, Query, Term
from wardround.ehr.query.model import Scope
from wardround.ehr.records import Role, Views

_OPERATORS: dict[type[exp.Expr], str] = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<="}
_FUNCTIONS: dict[type[exp.Expr], str] = {
    exp.Avg: "AVG",
    exp.Sum: "SUM",
    exp.Min: "MIN",
    exp.Max: "MAX",
}
_PLAIN = frozenset({"from_", "joins", "where", "expressions", "distinct"})


class _OtherFormError(Exception):
    """The query is more than the form is read from."""


def read_form(tree: exp.Query, views: Views) -> Query | None:
    """The form of a query on records of one kind and their patients; None for any other query.

    Args:
        tree: The query over kinds of record.
        views: The kinds of record.
    """
    try:
        return _read(tree, views)
    except _OtherFormError:
        return None


def _read(tree: exp.Query, views: Views) -> Query:
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        raise _OtherFormError
    if any(part for name, part in tree.args.items() if name not in _PLAIN):
        raise _OtherFormError
    aliases = dict(_tables(tree))
    kinds = [kind for kind in aliases.values() if kind != "patient"]
    if len(kinds) > 1:
        raise _OtherFormError
    kind = kinds[0] if kinds else "patient"
    goal = _goal(tree, kind)
    where = tree.args.get("where")
    tests = list(where.this.flatten()) if where and isinstance(where.this, exp.And) else []
    tests = tests or ([where.this] if where else [])
    conditions = tuple(_conditions(tests, kind, goal, aliases, views))
    return Query(goal, conditions)


def _tables(tree: exp.Select) -> Iterator[tuple[str, str]]:
    """The kinds of record by alias; they may only be joined by patient."""
    source = tree.args.get("from_")
    if source is None or not isinstance(source.this, exp.Table):
        raise _OtherFormError
    yield source.this.alias_or_name, source.this.name
    for join in tree.args.get("joins") or []:
        using = [each.name for each in join.args.get("using") or []]
        on = join.args.get("on")
        is_of_patient = using == ["patient"] or (
            isinstance(on, exp.EQ)
            and [side.name for side in (on.this, on.expression)] == ["patient", "patient"]
        )
        if join.side or join.kind not in ("", "INNER") or not is_of_patient:
            raise _OtherFormError
        if not isinstance(join.this, exp.Table):
            raise _OtherFormError
        yield join.this.alias_or_name, join.this.name


def _goal(tree: exp.Select, kind: str) -> Goal:
    asked = tree.expressions[0].unalias()
    if tree.args.get("distinct"):
        if isinstance(asked, exp.Column) and asked.name == "patient":
            return Goal("list")
    elif isinstance(asked, exp.Count) and isinstance(asked.this, exp.Distinct):
        if [each.name for each in asked.this.expressions] == ["patient"]:
            return Goal("count")
    elif isinstance(asked, exp.Count) and isinstance(asked.this, exp.Star):
        return Goal("count", kind)
    elif type(asked) in _FUNCTIONS and asked.this.name == "value":
        return Goal("aggregate", kind, _FUNCTIONS[type(asked)], "value")
    raise _OtherFormError


def _conditions(
    tests: Sequence[exp.Expr], kind: str, goal: Goal, aliases: dict[str, str], views: Views
) -> Iterator[Condition]:
    """The condition on the records, and that on the sex of their patients."""
    values: list[tuple[Role, tuple[str, ...]]] = []
    bounds: list[Bound] = []
    for test in tests:
        of = test.this
        if not isinstance(of, exp.Column):
            raise _OtherFormError
        of_kind = aliases.get(of.table, kind if of.name != "sex" else "patient")
        if (of_kind, of.name) == ("patient", "sex"):
            yield _sex(_texts(test), "record" if goal.of == "patient" else "patient", views)
        elif of_kind == kind and of.name == "name" and not values:
            values.append((Role(kind, "name"), _texts(test)))
        elif of_kind == kind and of.name == "value" and type(test) in _OPERATORS:
            bounds.append(Bound(_OPERATORS[type(test)], _number(test.expression)))
        else:
            raise _OtherFormError
    if kind != "patient":
        scope: Scope = "patient" if goal.of == "patient" else "record"
        yield Condition(kind, tuple(values), bounds=tuple(bounds), scope=scope)


def _sex(texts: tuple[str, ...], scope: Scope, views: Views) -> Condition:
    for sex in ("female", "male"):
        if texts == views.texts("patient", "sex", sex):
            return Condition("sex", ((Role("patient", "sex"), Term(sex)),), scope=scope)
    raise _OtherFormError


def _texts(test: exp.Expr) -> tuple[str, ...]:
    if isinstance(test, exp.In) and not test.args.get("query"):
        listed = test.expressions
    elif isinstance(test, exp.EQ):
        listed = [test.expression]
    else:
        raise _OtherFormError
    if not listed or not all(isinstance(e, exp.Literal) and e.is_string for e in listed):
        raise _OtherFormError
    return tuple(each.name for each in listed)


def _number(part: exp.Expr) -> float:
    if not isinstance(part, exp.Literal) or part.is_string:
        raise _OtherFormError
    return float(part.name)
