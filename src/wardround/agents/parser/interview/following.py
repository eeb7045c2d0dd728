"""What follows a request that was carried out, as a change of its query."""

import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from wardround.agents.parser.interview.chart import Chart
from wardround.agents.parser.interview.comparing import number_in
from wardround.agents.parser.interview.said import named, says
from wardround.agents.parser.interview.wish import DIALECT

_INSTEAD = re.compile(
    r"(?:what about|and|show|give|with|now)*\s*(.+?) (?:instead of|rather than|in place of)"
    r" (.+?)[?.!]*$",
    re.IGNORECASE,
)
_MADE = re.compile(r"\b(?:has|in|of|does|table|view) ([a-z]\w*_\w+)\b", re.IGNORECASE)
_KEPT = re.compile(
    r"\b(?:keep|save|store)\b[^.]*\b(?:table|view) (?:called |named )?[\"']?(\w+)[^.]*\.?", re.I
)
_AGGREGATES = {"AVG": exp.Avg, "SUM": exp.Sum, "MAX": exp.Max, "MIN": exp.Min}


def followed(request: str, sql: str, chart: Chart) -> Iterator[str]:
    """Queries that a follow-up may ask for, the likeliest first.

    Args:
        request: The follow-up.
        sql: What carried out the request before it.
        chart: The database.

    >>> from types import MappingProxyType as none
    >>> list(followed("What about po instead of iv?", "SELECT 1 WHERE route = 'iv'", None))
    ["SELECT 1 WHERE route = 'po'"]
    >>> list(followed("How many lines are that in all?", "SELECT drug FROM orders", None))
    ['SELECT COUNT(*) FROM (SELECT drug FROM orders) AS found']
    """
    query = _query(sql)
    if found := _INSTEAD.search(request):
        yield from _replaced(query, found[1].strip(), found[2].strip(), chart)
    elif made := _MADE.search(request):
        yield _about_table(request, made[1])
    elif says("lines", request):
        yield from _summed_up(request, query)


def without_keeping(request: str) -> tuple[str, str]:
    """The name under which a request wants its result kept, "" for none, and the rest of it.

    >>> without_keeping("List the drugs. Keep the result as a table drugs_kept.")
    ('drugs_kept', 'List the drugs.')
    """
    found = _KEPT.search(request)
    return (found[1], _KEPT.sub("", request).strip()) if found else ("", request)


def _query(sql: str) -> exp.Expr:
    tree = sqlglot.parse_one(sql, dialect=DIALECT)
    return (isinstance(tree, exp.Create) and tree.find(exp.Query)) or tree


def _replaced(query: exp.Expr, new: str, old: str, chart: Chart | None) -> Iterator[str]:
    """The query with one value, number, aggregate or column in another's place."""
    measures = named("aggregates", new), named("aggregates", old)
    changed = query.copy()
    if all(one in _AGGREGATES for one in measures):
        for node in list(changed.find_all(_AGGREGATES[measures[1]])):
            node.replace(_AGGREGATES[measures[0]](this=node.this))
    else:
        _replace_values(changed, new, old)
    if changed == query and chart is not None:
        _replace_columns(changed, new, old, chart)
    if changed != query:
        yield changed.sql(DIALECT)


def _replace_values(query: exp.Expr, new: str, old: str) -> None:
    plain = {old.lower(), number_in(old)} - {""}
    for literal in list(query.find_all(exp.Literal)):
        if literal.name.lower() in plain:
            other = new if literal.is_string else number_in(new)
            literal.replace(exp.Literal(this=other, is_string=literal.is_string))


def _replace_columns(query: exp.Expr, new: str, old: str, chart: Chart) -> None:
    is_, was = chart.linked(new), chart.linked(old)
    outer = query.find(exp.Select)
    for column in list(outer.find_all(exp.Column)) if is_ and was and outer else ():
        if is_ and was and column.name == was.name:
            column.set("this", exp.to_identifier(is_.name))


def _about_table(request: str, table: str) -> str:
    different = re.search(r"\bdifferent (?:values of )?(?:the )?([\w ]+?)[?.!]*$", request, re.I)
    each = re.search(r"\bfor each ([\w ]+?)[?.!]*$", request, re.IGNORECASE)
    if each:
        column = each[1].replace(" ", "_")
        return exp.select(column, "COUNT(*)").from_(table).group_by(column).sql(DIALECT)
    counts = ["COUNT(*)"]
    if different:
        counts.append(f"COUNT(DISTINCT {different[1].replace(' ', '_')})")
    return exp.select(*counts).from_(table).sql(DIALECT)


def _summed_up(request: str, query: exp.Expr) -> Iterator[str]:
    """How many lines a result has, or what one of its columns comes to over all of them."""
    if not isinstance(query, exp.Query):
        return
    function = named("aggregates", request.replace("in all", ""))
    lines = query.subquery("found")
    if says("counted", request) and not function:
        yield exp.select("COUNT(*)").from_(lines).sql(DIALECT)
    names = [one.alias_or_name for one in query.selects]
    if function and names[-1]:
        yield exp.select(f"{function}({names[-1]})").from_(lines).sql(DIALECT)
