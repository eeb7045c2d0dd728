"""Leaves that are read off a gold query: the units of its lengths, and values that it needs."""

from collections.abc import Iterator

from sqlglot import exp

from wardround.authoring.clinsql.leaves import Leaf
from wardround.benchmarks.clinsql.checks import model as checks
from wardround.benchmarks.clinsql.queries.facts import QueryFacts, query_facts

# The columns that end a length, by its measure.
_ENDS = {"length_of_stay": {"dischtime", "outtime"}, "duration": {"stoptime"}}
_REQUIREMENTS = {
    "length_of_stay": (
        "It computes the length of a stay in days with their hours, from its beginning and end."
    ),
    "duration": (
        "It computes the duration of a prescription in days with their hours, from its beginning"
        " and end."
    ),
}


def unit_leaves(sql: str) -> Iterator[Leaf]:
    """A leaf on the unit of each length that reaches the result of a gold query."""
    computed = _ends_in_result(query_facts(sql))
    for name, ends in _ENDS.items():
        if computed & ends:
            check = checks.Measure(name=name, unit="days", parts="hours")
            yield Leaf(name.replace("_", "-"), _REQUIREMENTS[name], check)


def filled_leaves(sql: str) -> Iterator[Leaf]:
    """A leaf on each column whose rows without a value a gold query leaves out."""
    for column in _filled_columns(query_facts(sql)):
        text = f"It leaves out stays without a {column}, or they do not change its result."
        yield Leaf(f"has-{column}", text, checks.ExcludesNull(column=column))


def _ends_in_result(facts: QueryFacts) -> set[str]:
    """The columns from which times are counted on the way to the result."""
    lengths = [d for value in facts.output.values() for d in value.find_all(exp.DatetimeDiff)]
    return {column.name for length in lengths for column in length.find_all(exp.Column)}


def _filled_columns(facts: QueryFacts) -> Iterator[str]:
    for condition in facts.filters():
        test = condition.expression
        is_null = test.this if isinstance(test, exp.Not) else None
        if isinstance(is_null, exp.Is) and isinstance(is_null.expression, exp.Null):
            column = is_null.this.unnest()
            yield from [column.name] if isinstance(column, exp.Column) else []
