"""GoogleSQL's types of expressions, as sqlglot infers them."""

from functools import cache

from sqlglot import exp
from sqlglot.dialects.bigquery import BigQuery
from sqlglot.optimizer.annotate_types import TypeAnnotator
from sqlglot.schema import MappingSchema

NUMBERS = frozenset({"INT64", "NUMERIC", "BIGNUMERIC", "FLOAT64"})
DAYS = frozenset({"DATE", "DATETIME"})
MOMENTS = DAYS | {"TIMESTAMP"}
# Types that a text literal takes beside a value of that type.
_FROM_TEXT = MOMENTS | {"TIME"}
# Window functions that need an order of the rows.
ORDERED_WINDOWS = (
    exp.Rank,
    exp.DenseRank,
    exp.PercentRank,
    exp.CumeDist,
    exp.Ntile,
    exp.Lag,
    exp.Lead,
    exp.FirstValue,
    exp.LastValue,
    exp.NthValue,
)


def kind(node: exp.Expr | None) -> str | None:
    """The type's name in BigQuery; None if it is NULL or cannot be told."""
    if node is None or isinstance(node.unnest(), exp.Null) or node.type is None:
        return None
    if node.type.this in (exp.DType.UNKNOWN, exp.DType.NULL):
        return None
    is_plain = isinstance(node.type.this, exp.DType) and not node.type.args.get("kind")
    return _plain_name(node.type.this) if is_plain else _name(node.type)


@cache
def _plain_name(this: exp.DType) -> str:
    return _name(exp.DataType(this=this))


def _name(type_: exp.DataType) -> str:
    """The name of a type without its parameters."""
    return type_.sql("bigquery").split("<")[0].split("(")[0]


def name_of(node: exp.Expr) -> str:
    """The name of a function as it was written, for messages."""
    name = node.sql_name() if isinstance(node, exp.Func) else node.key
    return str(node.meta.get("name") or name).upper()


def is_text(node: exp.Expr | None) -> bool:
    """True for a literal of text."""
    return node is not None and node.unnest().is_string


def accepts(node: exp.Expr | None, allowed: frozenset[str]) -> bool:
    """True if an argument's type is among the allowed ones, or not known."""
    name = kind(node)
    return name is None or name in allowed or (is_text(node) and bool(allowed & _FROM_TEXT))


def are_comparable(left: exp.Expr, right: exp.Expr) -> bool:
    """True if GoogleSQL converts one side to the other's type, or one side is not known.

    >>> from sqlglot import parse_one
    >>> sides = [parse_one(text, read="bigquery") for text in ("1", "'a'")]
    >>> for side in sides:
    ...     annotator().annotate_expression(side)
    >>> are_comparable(*sides)
    False
    """
    a, b = kind(left), kind(right)
    if a is None or b is None or a == b or {a, b} <= NUMBERS or {a, b} <= DAYS:
        return True
    return (is_text(left) and b in _FROM_TEXT) or (is_text(right) and a in _FROM_TEXT)


def annotator() -> TypeAnnotator:
    """An annotator that leaves the types of columns, which are known already."""
    metadata = dict(BigQuery.EXPRESSION_METADATA)
    metadata.update({each: {"annotator": _as_argument} for each in _LIKE_ARGUMENT})
    metadata[exp.Sub] = {"annotator": _difference}
    metadata[exp.Add] = {"annotator": _sum}
    metadata[exp.TsOrDsToDatetime] = {"returns": exp.DType.DATETIME}
    return TypeAnnotator(
        MappingSchema(dialect="bigquery"), expression_metadata=metadata, overwrite_types=False
    )


# These give a DATETIME for a DATETIME, despite their names.
_LIKE_ARGUMENT = (
    exp.DateAdd,
    exp.DateSub,
    exp.DateTrunc,
    exp.DatetimeAdd,
    exp.DatetimeSub,
    exp.TimestampAdd,
    exp.TimestampSub,
    exp.TimestampTrunc,
    exp.DatetimeTrunc,
)
_NAMED: dict[type[exp.Expr], exp.DType] = {
    exp.DateAdd: exp.DType.DATE,
    exp.DateSub: exp.DType.DATE,
    exp.DateTrunc: exp.DType.DATE,
    exp.DatetimeAdd: exp.DType.DATETIME,
    exp.DatetimeSub: exp.DType.DATETIME,
    exp.DatetimeTrunc: exp.DType.DATETIME,
}


def _as_argument(annotating: TypeAnnotator, node: exp.Expr) -> exp.Expr:
    given = kind(node.this)
    unit = str(node.args.get("unit") or "").upper()
    if given == "DATE" and unit in ("HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"):
        given = "DATETIME"
    default = _NAMED.get(type(node), exp.DType.TIMESTAMPTZ)
    annotating._set_type(
        node, exp.DataType.build(given, "bigquery") if given in MOMENTS else default
    )
    return node


def _difference(annotating: TypeAnnotator, node: exp.Expr) -> exp.Expr:
    sides = (kind(node.this), kind(node.expression))
    if sides[0] in MOMENTS and sides[1] in MOMENTS:
        annotating._set_type(node, exp.DType.INTERVAL)
        return node
    return _sum(annotating, node)


def _sum(annotating: TypeAnnotator, node: exp.Expr) -> exp.Expr:
    sides = (kind(node.this), kind(node.expression))
    if None in sides and not set(sides) & NUMBERS:
        annotating._set_type(node, None)
    elif "INTERVAL" in sides or set(sides) & MOMENTS:
        moment = next((side for side in sides if side in MOMENTS), "INTERVAL")
        moment = "DATETIME" if moment == "DATE" and "INTERVAL" in sides else moment
        annotating._set_type(node, exp.DataType.build(moment, "bigquery"))
    elif isinstance(node, exp.Binary):
        annotating._annotate_binary(node)
    return node
