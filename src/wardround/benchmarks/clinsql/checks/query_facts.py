"""Facts of a query: the tables that it reads, its conditions, joins and values."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from sqlglot import exp

# filter: every row has to meet it; optional: stands on the optional side of an outer join;
# excluded: below a NOT; flag: decides a value, not which rows there are.
Role: TypeAlias = Literal["filter", "optional", "excluded", "flag"]


@dataclass(frozen=True)
class Condition:
    """A part of a condition in columns of tables; flags of one expression share a number."""

    expression: exp.Expr
    role: Role
    flag: int = 0

    def reads(self, *names: str) -> bool:
        """True if it reads a column with one of the names."""
        return not self.names.isdisjoint(names)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the columns that it reads."""
        return frozenset(column.name for column in self.expression.find_all(exp.Column))

    @cached_property
    def is_of_row(self) -> bool:
        """True if it neither aggregates nor asks a subquery."""
        return is_of_row(self.expression)

    @cached_property
    def text(self) -> str:
        """Its text without the tables that its columns come from."""
        return untabled_text(self.expression)


@dataclass(slots=True)
class QueryFacts:
    """The facts of a query, over all scopes that its result depends on.

    Attributes:
        tables: The tables that it reads, by occurrence.
        conditions: Its conditions.
        equalities: Pairs of (occurrence, column) that it makes equal.
        values: The projections of all scopes, traced.
        output: The projections of its last step, traced, by name.
        groups: What it groups by, traced.
        selects: Its SELECT steps, qualified.
        set_operation: True if it has a UNION, INTERSECT or EXCEPT.
    """

    tables: dict[str, str] = field(default_factory=dict)
    conditions: list[Condition] = field(default_factory=list)
    equalities: list[tuple[exp.Column, exp.Column]] = field(default_factory=list)
    values: list[exp.Expr] = field(default_factory=list)
    output: dict[str, exp.Expr] = field(default_factory=dict)
    groups: list[exp.Expr] = field(default_factory=list)
    selects: list[exp.Select] = field(default_factory=list)
    set_operation: bool = False

    def filters(self) -> list[Condition]:
        """The conditions that every row has to meet."""
        return [condition for condition in self.conditions if condition.role == "filter"]


def is_of_row(expression: exp.Expr) -> bool:
    """True for an expression that neither aggregates nor asks a subquery."""
    return expression.find(exp.Query, exp.AggFunc, exp.Window, exp.Star) is None


def untabled_text(expression: exp.Expr) -> str:
    """The text of an expression in parentheses, its columns without their tables."""
    plain = exp.Paren(this=expression.copy())
    for column in list(plain.find_all(exp.Column)):
        column.replace(exp.column(column.name))
    return plain.sql("bigquery", copy=False)
