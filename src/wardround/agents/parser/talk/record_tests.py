"""SQL tests of whether a record meets a condition."""

# Tests hold only quoted texts, numbers and names that the database returned.
# ruff: noqa: S608

from collections.abc import Iterator

from wardround.agents.parser.talk.request import Condition, Window
from wardround.ehr.database import quote_text

# Columns whose conditions need no value.
_MEASURED = ("name", "class", "age", "length", "hours")


def tests(condition: Condition, alias: str) -> list[str]:
    """SQL tests of a condition on a record, without negation, place and total."""
    column = "name" if condition.column == "class" else condition.column
    found = list(_named(condition, f"{alias}.{column}"))
    if not (condition.place or condition.total):
        found += bounds(condition, alias)
    if condition.window:
        found += _during(condition.window, f"{alias}.time")
    if condition.relation:
        found += _ordered(condition, alias)
    return found


def length(alias: str) -> str:
    """SQL for the length of a record in days."""
    return f"(julianday({alias}.finish) - julianday({alias}.time))"


def containing(value: str) -> str:
    """A LIKE pattern of the texts that contain a value."""
    return quote_text(f"%{value}%")


def _named(condition: Condition, column: str) -> Iterator[str]:
    values = condition.values
    if values is None:
        if condition.column not in _MEASURED or condition.kind == "culture":
            yield f"{column} IS NOT NULL"
    elif condition.exact:
        yield f"{column} IN ({', '.join(map(quote_text, values))})"
    else:
        yield f"({' OR '.join(f'{column} LIKE {containing(value)}' for value in values)})"


def bounds(condition: Condition, alias: str) -> list[str]:
    """SQL tests of the number of a record."""
    measured = {
        "age": f"CAST({alias}.age AS INTEGER)",
        "length": length(alias),
        "hours": f"24 * {length(alias)}",
    }
    number = measured.get(condition.column, f"{alias}.value")
    return [f"{number} {bound.operator} {bound.number:g}" for bound in condition.bounds]


def _during(window: Window, column: str) -> list[str]:
    since = [f"{column} >= {quote_text(window.since)}"] if window.since else []
    until = [f"{column} < {quote_text(window.until)}"] if window.until else []
    return since + until


def _ordered(condition: Condition, alias: str) -> Iterator[str]:
    """SQL tests of the order of a record and the first record of its anchor."""
    relation = condition.relation
    if relation is None:
        return
    anchor = relation.anchor
    of = "admission" if relation.on_visit else "patient"
    where = " AND ".join([f"a.{of} = {alias}.{of}", *tests(anchor, "a")])
    first = f"(SELECT MIN(a.time) FROM {anchor.kind}_view a WHERE {where})"
    later = relation.order == "after"
    yield f"{alias}.time {'>' if later else '<'} {first}"
    if relation.within:
        limit = f"datetime({first}, '{'+' if later else '-'}{relation.within}')"
        yield f"{alias}.time {'<=' if later else '>='} {limit}"
