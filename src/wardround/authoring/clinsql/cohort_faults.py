"""Faults in the cohort of a gold query: its people, codes and joins."""

from sqlglot import exp, parse_one

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
    """Joins by patient what is joined by stay or admission."""
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
