"""Argument types of GoogleSQL's operators and functions."""

from collections.abc import Callable

from sqlglot import exp

from wardround.ehr.database.googlesql.strictness.dates import check_date, check_part
from wardround.ehr.database.googlesql.strictness.kinds import (
    MOMENTS,
    NUMBERS,
    ORDERED_WINDOWS,
    accepts,
    are_comparable,
    is_text,
    kind,
    name_of,
)
from wardround.ehr.database.googlesql.strictness.refusal import refusal, text_of

_BOOL = frozenset({"BOOL"})
_TEXT = frozenset({"STRING", "BYTES"})
_WHOLE = frozenset({"INT64", "NUMERIC", "BIGNUMERIC"})
_INTEGER = frozenset({"INT64"})
_SUMS = NUMBERS | {"INTERVAL"}

# The types that each argument of a function may have.
_ARGUMENTS: dict[type[exp.Expr], tuple[frozenset[str], ...]] = {
    **dict.fromkeys((exp.Avg, exp.Sum), (_SUMS,)),
    **dict.fromkeys(
        (exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop), (NUMBERS,)
    ),
    **dict.fromkeys((exp.Round, exp.Ceil, exp.Floor, exp.Trunc, exp.Abs), (NUMBERS,)),
    **dict.fromkeys((exp.Ln, exp.Exp, exp.Sqrt, exp.Cbrt, exp.Sign, exp.Neg), (NUMBERS,)),
    **dict.fromkeys((exp.IsNan, exp.IsInf, exp.SafeNegate), (NUMBERS,)),
    **dict.fromkeys((exp.Sin, exp.Cos, exp.Tan, exp.Asin, exp.Acos, exp.Atan), (NUMBERS,)),
    **dict.fromkeys((exp.SafeDivide, exp.Pow, exp.Corr, exp.Log), (NUMBERS, NUMBERS)),
    **dict.fromkeys((exp.SafeAdd, exp.SafeSubtract, exp.SafeMultiply), (NUMBERS, NUMBERS)),
    **dict.fromkeys((exp.CovarSamp, exp.CovarPop, exp.Atan2), (NUMBERS, NUMBERS)),
    **dict.fromkeys((exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg), (_INTEGER,)),
    **dict.fromkeys((exp.Mod, exp.IntDiv), (_WHOLE, _WHOLE)),
    **dict.fromkeys((exp.Mul, exp.Div), (_SUMS, NUMBERS)),
    **dict.fromkeys((exp.Lower, exp.Upper, exp.Length, exp.Trim, exp.Initcap), (_TEXT,)),
    **dict.fromkeys((exp.StartsWith, exp.EndsWith, exp.Like, exp.Split), (_TEXT, _TEXT)),
    **dict.fromkeys((exp.RegexpLike, exp.RegexpExtract, exp.Replace), (_TEXT, _TEXT)),
    **dict.fromkeys((exp.CountIf, exp.LogicalOr, exp.LogicalAnd, exp.Not), (_BOOL,)),
    **dict.fromkeys((exp.And, exp.Or), (_BOOL, _BOOL)),
    **dict.fromkeys((exp.PercentileCont, exp.PercentileDisc), (NUMBERS, NUMBERS)),
    **dict.fromkeys((exp.RegexpReplace, exp.RegexpExtractAll, exp.StrPosition), (_TEXT, _TEXT)),
    **dict.fromkeys((exp.Reverse, exp.Repeat, exp.ByteLength, exp.Ascii, exp.Soundex), (_TEXT,)),
    **dict.fromkeys((exp.Left, exp.Right, exp.Pad), (_TEXT, _INTEGER)),
    exp.Substring: (_TEXT,),
    exp.GroupConcat: (_TEXT,),
    exp.DPipe: (_TEXT | {"ARRAY"}, _TEXT | {"ARRAY"}),
}
# The same of functions that sqlglot knows by name only.
_NAMED_ARGUMENTS = {"IEEE_DIVIDE": (NUMBERS, NUMBERS)}
# The types to which each type can be cast; every type can be cast to itself.
_CASTS = {
    "INT64": NUMBERS | {"BOOL", "STRING"},
    **dict.fromkeys(("FLOAT64", "NUMERIC", "BIGNUMERIC"), NUMBERS | {"STRING"}),
    "BOOL": {"INT64", "STRING"},
    "BYTES": {"STRING"},
    "DATE": {"STRING", "DATETIME", "TIMESTAMP"},
    **dict.fromkeys(("DATETIME", "TIMESTAMP"), MOMENTS | {"STRING", "TIME"}),
    **dict.fromkeys(("TIME", "INTERVAL"), frozenset({"STRING"})),
    **dict.fromkeys(("ARRAY", "STRUCT"), frozenset[str]()),
}
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
# Types that have an order in none of their values.
_UNORDERED = frozenset({"STRUCT", "ARRAY", "JSON", "GEOGRAPHY"})


def check(node: exp.Expr) -> None:
    """Check the operands or arguments of one expression.

    Raises:
        QueryError: Their types do not fit.
    """
    for place, allowed in zip(("this", "expression"), _ARGUMENTS.get(type(node), ()), strict=False):
        argument = node.args.get(place)
        if not isinstance(argument, exp.Any | exp.All) and not accepts(argument, allowed):
            _refuse(node, argument)
    rule = _RULES.get(type(node))
    if rule is not None:
        rule(node)
    check_date(node)


def condition(node: exp.Expr) -> None:
    """Check that a condition is a BOOL."""
    if not accepts(node, _BOOL):
        raise refusal("comparable types", f"a condition is {kind(node)}, not BOOL.")


def orderable(node: exp.Expr) -> None:
    """Check that values can be sorted."""
    if kind(node) in _UNORDERED:
        raise refusal("orderable types", f"{kind(node)} cannot be sorted.")


def _refuse(node: exp.Expr, argument: exp.Expr | None) -> None:
    raise refusal("argument types", f"{text_of(node)[:80]} is given {kind(argument)}.")


def _compare(left: exp.Expr, right: exp.Expr) -> None:
    if isinstance(right, exp.Any | exp.All):
        return
    if not are_comparable(left, right) or kind(left) == "ARRAY":
        text = f"{text_of(left)[:60]} is {kind(left)}, {text_of(right)[:60]} is"
        raise refusal("comparable types", f"{text} {kind(right)}.")


def _comparison(node: exp.Expr) -> None:
    _compare(node.this, node.expression)


def _between(node: exp.Expr) -> None:
    _compare(node.this, node.args["low"])
    _compare(node.this, node.args["high"])


def _in(node: exp.Expr) -> None:
    query = node.args.get("query")
    for each in [*node.expressions, *([query] if query is not None else [])]:
        _compare(node.this, each)


def _supertype(node: exp.Expr, values: list[exp.Expr | None]) -> None:
    known = [each for each in values if each is not None and kind(each) is not None]
    for left in known:
        for right in known:
            if not are_comparable(left, right):
                _refuse(node, right)


def _case(node: exp.Expr) -> None:
    branches = node.args.get("ifs") or []
    for branch in branches:
        if node.this is None:
            condition_of(node, branch.this)
        else:
            _compare(node.this, branch.this)
    _supertype(node, [*[branch.args.get("true") for branch in branches], node.args.get("default")])


def condition_of(node: exp.Expr, test: exp.Expr) -> None:
    """Check the condition of IF or CASE."""
    if not accepts(test, _BOOL):
        _refuse(node, test)


def _if(node: exp.Expr) -> None:
    if isinstance(node.parent, exp.Case):
        return
    condition_of(node, node.this)
    _supertype(node, [node.args.get("true"), node.args.get("false")])


def _values(node: exp.Expr) -> None:
    extra = [node.args["expression"]] if isinstance(node.args.get("expression"), exp.Expr) else []
    _supertype(node, [node.this, *extra, *node.expressions])


def _sum(node: exp.Expr) -> None:
    sides = (kind(node.this), kind(node.expression))
    if None in sides:
        if not {"STRING", "BOOL", "BYTES"}.isdisjoint(sides):
            _refuse(node, node.this if sides[0] is not None else node.expression)
        return
    numbers = set(sides) <= NUMBERS
    days = sides == ("DATE", "INT64") or (isinstance(node, exp.Add) and sides == ("INT64", "DATE"))
    spans = "INTERVAL" in sides and set(sides) <= MOMENTS | {"INTERVAL"}
    apart = isinstance(node, exp.Sub) and are_comparable(node.this, node.expression)
    if not (numbers or days or spans or (apart and set(sides) <= MOMENTS)):
        _refuse(node, node.expression if sides[0] in NUMBERS | MOMENTS else node.this)


def _ordered(node: exp.Expr) -> None:
    if kind(node.this) in _UNORDERED - {"ARRAY"} or kind(node.this) == "ARRAY":
        raise refusal("orderable types", f"{name_of(node)} is given {kind(node.this)}.")


def _element(node: exp.Expr) -> None:
    if kind(node.this) not in (None, "ARRAY", "JSON", "STRUCT"):
        _refuse(node, node.this)
    if node.args.get("offset") is None and kind(node.this) == "ARRAY":
        raise refusal("argument types", "an array's element is array[OFFSET(n)].")


def _quantiles(node: exp.Expr) -> None:
    if kind(node.args.get("expression")) not in (None, "INT64"):
        _refuse(node, node.args["expression"])


def _cast(node: exp.Expr) -> None:
    given, wanted = kind(node.this), node.args["to"].sql("bigquery").split("(")[0].split("<")[0]
    if is_text(node.this) or given is None or given == wanted or given not in _CASTS:
        return
    if wanted not in _CASTS[given]:
        raise refusal("argument types", f"{given} cannot be cast to {wanted}.")


def _named(node: exp.Expr) -> None:
    allowed = _NAMED_ARGUMENTS.get(node.name.upper(), ())
    for argument, types in zip(node.expressions, allowed, strict=False):
        if not accepts(argument, types):
            _refuse(node, argument)


def _window(node: exp.Expr) -> None:
    function = node.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
        function = function.this
    if node.args.get("alias") is not None or not isinstance(function, exp.Func):
        return
    ordered = node.args.get("order") is not None
    if isinstance(function, ORDERED_WINDOWS) and not ordered:
        raise refusal("window form", f"{name_of(function)} needs ORDER BY in its OVER clause.")
    fixed = isinstance(function, exp.PercentileCont | exp.PercentileDisc)
    if ordered and (fixed or isinstance(function.this, exp.Distinct)):
        raise refusal("window form", f"{name_of(function)} takes no ORDER BY in its OVER clause.")
    if isinstance(function, exp.Ntile) and function.this is None:
        _refuse(node, None)


_RULES: dict[type[exp.Expr], Callable[[exp.Expr], None]] = {
    **dict.fromkeys(_COMPARISONS, _comparison),
    **dict.fromkeys((exp.Coalesce, exp.Greatest, exp.Least, exp.Nullif), _values),
    **dict.fromkeys((exp.Add, exp.Sub), _sum),
    **dict.fromkeys((exp.Max, exp.Min), _ordered),
    **dict.fromkeys((exp.Cast, exp.TryCast), _cast),
    exp.Anonymous: _named,
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    exp.If: _if,
    exp.Bracket: _element,
    exp.ApproxQuantiles: _quantiles,
    exp.Window: _window,
    exp.Extract: check_part,
}
