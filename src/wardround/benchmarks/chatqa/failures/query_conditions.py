"""Conditions, results and constants of a SQLite query, from expressions with traced columns."""

import sqlite3

from sqlglot import exp

from wardround.benchmarks.chatqa.failures.query_facts import (
    CLOCK,
    Bound,
    Ranking,
    Result,
    Role,
    Texts,
)
from wardround.benchmarks.kit.traced_columns import inner

FLIPPED: dict[Role, Role] = {"required": "excluded", "excluded": "required"}
_DIALECT = "sqlite"
_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_TURNED = {"=": "=", "<>": "<>", ">": "<", "<": ">", ">=": "<=", "<=": ">="}
_CLOCKS = (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp)
_FOLDING = (exp.Lower, exp.Upper)
_OF_COLUMN = (*_FOLDING, exp.Trim, exp.Min, exp.Max)  # a group has one of its texts
_LINEAR = (exp.Avg, exp.Sum, exp.Min, exp.Max)
_DECIMALS = 4  # (Lee et al. 2025, A.5)
# Functions of which a constant may be made that is safe to compute.
_CONSTANT_FUNCTIONS = {"DATE", "DATETIME", "JULIANDAY", "TIME", "ROUND"}


def texts_of(test: exp.Expr, role: Role) -> Texts | None:
    """The texts of a test of a column against texts alone."""
    if isinstance(test, exp.NEQ):
        return texts_of(exp.EQ(this=test.this, expression=test.expression), _flipped(role))
    if not isinstance(test, (exp.EQ, exp.In, exp.Like, exp.ILike)):
        return None
    options = test.expressions if isinstance(test, exp.In) else [test.expression]
    subject = test.this.unnest()
    if isinstance(subject, exp.Literal) and len(options) == 1:
        subject, options = options[0].unnest(), [subject]
    column = subject.this.unnest() if isinstance(subject, _OF_COLUMN) else subject
    values = [each.this if isinstance(each, _FOLDING) else each for each in options]
    if not isinstance(column, exp.Column) or not values:
        return None
    if not all(isinstance(each, exp.Literal) and each.is_string for each in values):
        return None
    texts = frozenset(each.name for each in values)
    is_pattern = isinstance(test, (exp.Like, exp.ILike))
    return Texts(
        _column(column),
        role,
        frozenset() if is_pattern else texts,
        texts if is_pattern else frozenset(),
        isinstance(subject, _FOLDING),
    )


def bound_of(test: exp.Expr, role: Role) -> Bound | None:
    """The bound of a comparison; its constants computed, and factors moved to the limit."""
    operator = _OPERATORS.get(type(test))
    if operator is None:
        return None
    left, right = test.this.unnest(), test.expression.unnest()
    if _is_simple(left) and not _is_simple(right):
        left, right, operator = right, left, _TURNED[operator]
    columns = frozenset(map(_column, test.find_all(exp.Column)))
    if reads_clock(test):
        return Bound(columns, role, "", operator, CLOCK)
    if right.find(exp.Column):
        return Bound(
            columns, role, f"{untabled_text(left)} {operator} {untabled_text(right)}", "", ""
        )
    factor, core = _factored(left)
    value = constant(right)
    if isinstance(value, float) and factor not in (0, 1):
        value /= factor
        operator = operator if factor > 0 else _TURNED[operator]
    return Bound(columns, role, untabled_text(core), operator, value)


def result_of(value: exp.Expr) -> Result:
    """A returned value, its factors gathered."""
    value = _unrounded(value)
    factor, core = _factored(value)
    tables = frozenset(column.table for column in core.find_all(exp.Column))
    if not isinstance(core, exp.AggFunc):
        return Result("", untabled_text(value), tables=tables)
    of = core.this
    if isinstance(of, exp.Distinct):
        return Result(core.sql_name(), untabled_text(of.expressions[0]), factor, True, tables)
    inner_factor, of = _factored(of) if isinstance(core, _LINEAR) else (1.0, of)
    return Result(core.sql_name(), untabled_text(of), factor * inner_factor, False, tables)


def _unrounded(value: exp.Expr) -> exp.Expr:
    """The value without a rounding to the decimals that the rules of the databases ask for."""
    value = value.unnest()
    if not isinstance(value, exp.Round) or value.args.get("decimals") is None:
        return value
    decimals = constant(value.args["decimals"])
    is_fine = isinstance(decimals, float) and decimals >= _DECIMALS
    return value.this if is_fine else value


def _factored(value: exp.Expr) -> tuple[float, exp.Expr]:
    """A number, and the expression of which a value is that multiple.

    >>> [str(each) for each in _factored(exp.maybe_parse("(a - b) * 24 / 2"))]
    ['12.0', 'a - b']
    """
    value = value.unnest()
    if isinstance(value, (exp.Mul, exp.Div)):
        number = constant(value.expression)
        if isinstance(number, float) and number:
            factor, core = _factored(value.this)
            return (factor * number if isinstance(value, exp.Mul) else factor / number), core
        number = constant(value.this)
        if isinstance(number, float) and number and isinstance(value, exp.Mul):
            factor, core = _factored(value.expression)
            return factor * number, core
    return 1.0, value


def constant(value: exp.Expr) -> float | str:
    """The value of an expression without columns; its text if it is not simple to compute."""
    text = value.sql(_DIALECT)
    if not _is_simple(value):
        return text
    connection = sqlite3.connect(":memory:")
    try:
        result = connection.execute(f"SELECT {text}").fetchone()[0]
    except sqlite3.Error:
        return text
    finally:
        connection.close()
    return float(result) if isinstance(result, (int, float)) else str(result)


def _is_simple(value: exp.Expr) -> bool:
    """True for numbers, texts, arithmetic and functions of times that read no clock."""
    arithmetic = (exp.Literal, exp.Neg, exp.Paren, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Date)
    return not reads_clock(value) and all(
        isinstance(node, arithmetic)
        or (isinstance(node, exp.Anonymous) and node.name.upper() in _CONSTANT_FUNCTIONS)
        for node in value.walk()
    )


def reads_clock(tree: exp.Expr) -> bool:
    """True if a query reads the clock of the machine, which the rules of the database forbid."""
    return any(tree.find_all(*_CLOCKS)) or any(
        each.is_string and each.name.lower() == "now" for each in tree.find_all(exp.Literal)
    )


def untabled_text(value: exp.Expr | None) -> str:
    """An expression without the tables of its columns; a stored time as it stands."""
    if value is None:
        return ""
    box = exp.Paren(this=value.copy())
    for node in list(box.find_all(exp.Anonymous)):
        if node.name.upper() == "DATETIME" and len(node.expressions) == 1:
            node.replace(node.expressions[0])
    for paren in list(box.find_all(exp.Paren)):
        if paren is not box and not isinstance(paren.this, exp.Binary):
            paren.replace(paren.this)
    for column in list(box.find_all(exp.Column)):
        column.replace(exp.column(column.name))
    return inner(box).unnest().sql(_DIALECT, normalize_functions="upper")


def _column(column: exp.Column) -> str:
    return f"{column.table}.{column.name}" if column.table else column.name


def _flipped(role: Role) -> Role:
    return FLIPPED.get(role, "alternative")


def ranking_of(test: exp.Expr) -> Ranking | None:
    """The ranking of a test such as `RANK() OVER (ORDER BY COUNT(*) DESC) <= 3`."""
    operator = _OPERATORS.get(type(test))
    left, right = (test.this.unnest(), test.expression.unnest()) if operator else (test, test)
    if operator and isinstance(right, exp.Window):
        left, right, operator = right, left, _TURNED[operator]
    if not isinstance(left, exp.Window) or not left.args.get("order"):
        return None
    first, limit = left.args["order"].expressions[0], constant(right)
    if operator not in ("<", "<=", "=") or not isinstance(limit, float):
        return None
    last = limit - 1 if operator == "<" else limit
    return Ranking(untabled_text(first.this), bool(first.args.get("desc")), last)
