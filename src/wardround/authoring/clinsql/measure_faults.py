"""Faults in the measures of a gold query: its windows, statistics, units and columns."""

from sqlglot import exp

from wardround.authoring.clinsql.cohort_faults import reads


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
