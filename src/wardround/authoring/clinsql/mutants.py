"""Mutants of gold queries: each has one fault of a kind that graders have to notice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp, parse_one

from wardround.authoring.clinsql import cohort_faults
from wardround.authoring.clinsql.cohort_faults import reads
from wardround.authoring.clinsql.queries import bigquery_text


def window(node: exp.Expr) -> bool:
    """Events of twice the time count."""
    if isinstance(node, exp.DatetimeAdd):
        return _reads_time(node) and _scaled(node.expression, 2)
    if isinstance(node, exp.Interval):
        return _reads_time(node) and _scaled(node.this, 2)
    if isinstance(node, exp.LTE | exp.LT) and isinstance(node.this, exp.DatetimeDiff):
        return _reads_time(node) and _scaled(node.expression, 2)
    if isinstance(node, exp.Between) and isinstance(node.this, exp.DatetimeDiff):
        return _reads_time(node) and _scaled(node.args["high"], 2)
    return False


def distinct(node: exp.Expr) -> bool:
    """Rows are counted, not distinct values."""
    if isinstance(node, exp.Distinct) and isinstance(node.parent, exp.Count):
        node.replace(node.expressions[0].copy())
        return True
    return False


def denominator(node: exp.Expr) -> bool:
    """Rows are counted in place of members, or patients in place of rows."""
    if not isinstance(node, exp.SafeDivide | exp.Div):
        return False
    below = node.expression.unnest()
    if not isinstance(below, exp.Count):
        return False
    members = below.this.expressions if isinstance(below.this, exp.Distinct) else ()
    if members:
        below.replace(exp.Count(this=exp.Star()))
        return True
    select = node.find_ancestor(exp.Select)
    source = select.find(exp.Table) if select else None
    if source is None:
        return False
    person = exp.column("subject_id", table=source.alias_or_name)
    below.replace(exp.Count(this=exp.Distinct(expressions=[person])))
    return True


def quartile(node: exp.Expr) -> bool:
    """A percentile is read off quartiles."""
    array = node.this if isinstance(node, exp.Bracket) else None
    if not isinstance(array, exp.ApproxQuantiles):
        return False
    parts = array.args.get("expression")
    if not isinstance(parts, exp.Literal) or parts.name == "4":
        return False
    offset = node.find(exp.Offset)
    number = offset.this if offset else node.expressions[0]
    at = 4 * int(number.name) / int(parts.name)
    parts.replace(exp.Literal.number(4))
    number.replace(exp.Literal.number(3 if at != 3 else 2))
    return True


def unit(node: exp.Expr) -> bool:
    """A length of stay in hours passes for days, or the other way round."""
    if isinstance(node, exp.Div) and node.expression.unnest().name in ("24", "24.0"):
        node.replace(node.this.copy())
        return True
    if isinstance(node, exp.DatetimeDiff) and reads(node, "dischtime", "outtime"):
        unit = node.args.get("unit")
        other = {"HOUR": "DAY", "DAY": "HOUR"}.get(unit.name.upper() if unit else "")
        if other:
            node.set("unit", exp.var(other))
            return True
    return False


def null_filter(node: exp.Expr) -> bool:
    """Rows without a value stay."""
    test = node.this if isinstance(node, exp.Not) else None
    if isinstance(test, exp.Is) and isinstance(test.expression, exp.Null):
        node.replace(exp.true())
        return True
    return False


def column_missing(node: exp.Expr) -> bool:
    """The last column is left out."""
    if isinstance(node, exp.Select) and node.parent is None and len(node.expressions) > 1:
        node.set("expressions", node.expressions[:-1])
        return True
    return False


def column_renamed(node: exp.Expr) -> bool:
    """The last column has a name without a meaning."""
    if isinstance(node, exp.Select) and node.parent is None:
        last = node.expressions[-1]
        last.replace(exp.alias_(last.unalias().copy(), "c0"))
        return True
    return False


def _scaled(bound: exp.Expr, by: int) -> bool:
    if not isinstance(bound, exp.Literal) or not bound.name.isdigit():
        return False
    amount = str(int(bound.name) * by)
    bound.replace(exp.Literal(this=amount, is_string=bound.is_string))
    return True


def _reads_time(node: exp.Expr) -> bool:
    above = node.find_ancestor(exp.Between, exp.LTE, exp.LT) or node
    return reads(above, "charttime", "starttime")


# Changes a node of a copy of the gold in place; False, and nothing changed, if it does not apply.
Change: TypeAlias = Callable[[exp.Expr], bool]


@dataclass(frozen=True, slots=True)
class MutantKind:
    """A kind of fault.

    Attributes:
        name: Its name.
        breaks: Kinds of checks, one of which it fails where an item has them.
        may_fail: Kinds of other checks that it may fail as well.
        change: Makes the fault.
    """

    name: str
    breaks: frozenset[str]
    may_fail: frozenset[str]
    change: Change


@dataclass(frozen=True, slots=True)
class Mutant:
    """A gold query with one fault."""

    kind: MutantKind
    sql: str


def mutants(gold: str) -> Iterator[Mutant]:
    """The first mutant of each kind that applies to a gold query in BigQuery's dialect."""
    original = parse_one(gold, read="bigquery")
    for kind in KINDS:
        tree = original.copy()
        if any(map(kind.change, list(tree.walk()))):
            yield Mutant(kind, bigquery_text(tree))


def _kind(name: str, change: Change, breaks: str, may_fail: str = "") -> MutantKind:
    """A kind of fault; a changed result may differ in any of its values."""
    always = "all_of in_range ordered not_null file_exists"
    return MutantKind(
        name, frozenset(breaks.split()), frozenset(f"{may_fail} {always}".split()), change
    )


KINDS = (
    _kind("sex", cohort_faults.sex, "sex", "cohort"),
    _kind("age bound", cohort_faults.age_bound, "age", "cohort"),
    _kind("age convention", cohort_faults.age_convention, "age", "cohort"),
    _kind("boundary", cohort_faults.boundary, "age", "cohort"),
    _kind("code dropped", cohort_faults.code_dropped, "codes", "cohort"),
    _kind("code as keyword", cohort_faults.code_keyword, "codes", "cohort"),
    _kind("ICD version", cohort_faults.icd_version, "codes", "cohort"),
    _kind("join relaxed", cohort_faults.join_relaxed, "join", "cohort"),
    _kind("key", cohort_faults.key, "join", "cohort"),
    _kind("window", window, "window"),
    _kind("DISTINCT", distinct, "distinct", "measure"),
    _kind("denominator", denominator, "measure", "distinct percentage"),
    _kind("quartile for percentile", quartile, "measure"),
    _kind("unit", unit, "measure"),
    _kind("NULL filter", null_filter, "excludes_null", "cohort value_bounds"),
    _kind("missing column", column_missing, "column", "measure rounding distinct"),
    _kind("renamed column", column_renamed, "column", "rounding"),
)
