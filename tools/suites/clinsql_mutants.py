"""Mutants of gold queries: each has one fault that graders have to notice.

Faults are in the cohort (its people, codes and joins) or in the measures (windows, statistics,
units and columns).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp, parse_one

from wardround.authoring.clinsql.gold_query.query import bigquery_text

_ICD = "icd_code"
_TITLES = "`physionet-data.mimiciv_3_1_hosp.d_icd_diagnoses`"
_KEYWORD = exp.Literal.string("%failure%")


def sex(node: exp.Expr) -> bool:
    """The other sex."""
    if not (isinstance(node, exp.Literal) and node.name in ("F", "M")):
        return False
    if not _beside(node, "gender", "sex"):
        return False
    node.replace(exp.Literal.string("M" if node.name == "F" else "F"))
    return True


def age_bound(node: exp.Expr) -> bool:
    """Ages from five years below the first."""
    bound = _lower_bound(node) if _is_age(node) else None
    return bound is not None and _shifted(bound, -5)


def boundary(node: exp.Expr) -> bool:
    """A bound that is included is left out."""
    if isinstance(node, exp.Between) and _is_age(node):
        above = exp.GT(this=node.this.copy(), expression=node.args["low"].copy())
        below = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
        node.replace(exp.and_(above, below))
        return True
    if isinstance(node, exp.GTE | exp.LTE) and _is_age(node):
        strict = exp.GT if isinstance(node, exp.GTE) else exp.LT
        node.replace(strict(this=node.this.copy(), expression=node.expression.copy()))
        return True
    return False


def age_convention(node: exp.Expr) -> bool:
    """The age computed at admission becomes the anchor age, and the other way round."""
    if not _is_age(node):
        return False
    value = node.this
    column = next((c for c in value.find_all(exp.Column) if c.name == "anchor_age"), None)
    if column is None:
        return False
    if value is not column:
        value.replace(column.copy())
        return True
    select = node.find_ancestor(exp.Select)
    stays = [t for t in select.find_all(exp.Table) if t.name == "admissions"] if select else []
    if not stays:
        return False
    table, person = stays[0].alias_or_name, column.table
    computed = f"{person}.anchor_age + EXTRACT(YEAR FROM {table}.admittime) - {person}.anchor_year"
    value.replace(parse_one(computed, read="bigquery"))
    return True


def code_dropped(node: exp.Expr) -> bool:
    """The last of several codes is missing."""
    if isinstance(node, exp.In) and len(node.expressions) > 1 and reads(node.this, _ICD):
        node.set("expressions", node.expressions[:-1])
        return True
    if isinstance(node, exp.Or) and reads(node.left, _ICD) and reads(node.right, _ICD):
        node.replace(node.left.copy())
        return True
    return False


def code_keyword(node: exp.Expr) -> bool:
    """A word in titles stands for codes."""
    if not (isinstance(node, exp.Like | exp.StartsWith | exp.In) and reads(node.this, _ICD)):
        return False
    if isinstance(node.find_ancestor(exp.Join, exp.Select), exp.Join):
        return False  # BigQuery refuses subqueries there
    named = exp.Like(this=exp.Lower(this=exp.column("long_title")), expression=_KEYWORD)
    titles = exp.select(_ICD).from_(_TITLES, dialect="bigquery").where(named)
    query = exp.Subquery(this=titles)
    node.replace(exp.In(this=node.this.copy(), query=query))
    return True


def icd_version(node: exp.Expr) -> bool:
    """The codes of a version are looked up in the other."""
    if not (isinstance(node, exp.EQ) and reads(node.this, "icd_version")):
        return False
    value = node.expression
    node.set("expression", exp.Literal.number(9 if value.name == "10" else 10))
    return True


def join_relaxed(node: exp.Expr) -> bool:
    """A join of two keys keeps the first only."""
    on = node.args.get("on") if isinstance(node, exp.Join) else None
    if not isinstance(on, exp.And) or not _is_key(on.right):
        return False
    on.replace(on.left.copy())
    return True


def key(node: exp.Expr) -> bool:
    """Joins by patient instead of by stay or admission."""
    if isinstance(node, exp.EQ) and _is_key(node) and isinstance(node.parent, exp.Join):
        columns = [node.this, node.expression]
        if all(c.name in ("hadm_id", "stay_id") for c in columns):
            for column in columns:
                column.set("this", exp.to_identifier("subject_id"))
            return True
    return False


def _is_age(node: exp.Expr) -> bool:
    compares = isinstance(node, exp.Between | exp.GTE | exp.LTE)
    return compares and any("age" in column.name for column in node.this.find_all(exp.Column))


def _lower_bound(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Between):
        low: exp.Expr = node.args["low"]
        return low
    return node.expression if isinstance(node, exp.GTE) else None


def _shifted(bound: exp.Expr, by: int) -> bool:
    if not isinstance(bound, exp.Literal) or not bound.is_int:
        return False
    bound.replace(exp.Literal.number(int(bound.name) + by))
    return True


def _beside(node: exp.Expr, *names: str) -> bool:
    above = node.find_ancestor(exp.EQ, exp.In)
    return above is not None and reads(above.this, *names)


def _is_key(node: exp.Expr) -> bool:
    if not isinstance(node, exp.EQ):
        return False
    sides = (node.this, node.expression)
    return all(isinstance(side, exp.Column) and side.name.endswith("_id") for side in sides)


def reads(node: exp.Expr, *names: str) -> bool:
    """True if an expression reads a column with one of the names."""
    return any(column.name in names for column in node.find_all(exp.Column))


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
    _kind("sex", sex, "sex", "cohort"),
    _kind("age bound", age_bound, "age", "cohort"),
    _kind("age convention", age_convention, "age", "cohort"),
    _kind("boundary", boundary, "age", "cohort"),
    _kind("code dropped", code_dropped, "codes", "cohort"),
    _kind("code as keyword", code_keyword, "codes", "cohort"),
    _kind("ICD version", icd_version, "codes", "cohort"),
    _kind("join relaxed", join_relaxed, "join", "cohort"),
    _kind("key", key, "join", "cohort"),
    _kind("window", window, "window"),
    _kind("DISTINCT", distinct, "distinct", "measure"),
    _kind("denominator", denominator, "measure", "distinct percentage"),
    _kind("quartile for percentile", quartile, "measure"),
    _kind("unit", unit, "measure"),
    _kind("NULL filter", null_filter, "excludes_null", "cohort value_bounds"),
    _kind("missing column", column_missing, "column", "measure rounding distinct"),
    _kind("renamed column", column_renamed, "column", "rounding"),
)
