"""What follows a request that was carried out, as a change of its query."""

import re
from collections.abc import Iterator

import sqlglot
from sqlglot import exp

from wardround.agents.parser.interview.phrases import aggregate, says

_DIALECT = "postgres"
_INSTEAD = re.compile(
    r"(?:what about|and|show|give|with|now)*\s*(.+?) (?:instead of|rather than|in place of)"
    r" (.+?)[?.!]*$",
    re.IGNORECASE,
)
_MADE = re.compile(r"\b(?:has|in|of|does|table|view) ([a-z]\w*_\w+)\b", re.IGNORECASE)
_KEPT = re.compile(
    r"\b(?:keep|save|store)\b[^.]*\b(?:table|view) (?:called |named )?[\"']?(\w+)[^.]*\.?", re.I
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_AGGREGATES = {"AVG": exp.Avg, "SUM": exp.Sum, "MAX": exp.Max, "MIN": exp.Min}


def followed(request: str, sql: str) -> Iterator[str]:
    """Queries that a follow-up may ask for, the likeliest first.

    Args:
        request: The follow-up.
        sql: What carried out the request before it.

    >>> list(followed("What about po instead of iv?", "SELECT 1 WHERE route = 'iv'"))
    ["SELECT 1 WHERE route = 'po'"]
    >>> list(followed("How many lines are that in all?", "SELECT drug FROM orders"))
    ['SELECT COUNT(*) FROM (SELECT drug FROM orders) AS found']
    """
    query = _query(sql)
    if found := _INSTEAD.search(request):
        yield from _replaced(query, found[1].strip(), found[2].strip())
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
    tree = sqlglot.parse_one(sql, dialect=_DIALECT)
    return (isinstance(tree, exp.Create) and tree.find(exp.Query)) or tree


def _replaced(query: exp.Expr, new: str, old: str) -> Iterator[str]:
    """The query with one value, number or aggregate in another's place."""
    is_, was = aggregate(new), aggregate(old)
    changed = query.copy()
    if is_ and was:
        for node in list(changed.find_all(_AGGREGATES[was])):
            node.replace(_AGGREGATES[is_](this=node.this))
    else:
        _replace_values(changed, new, old)
    if changed != query:
        yield changed.sql(_DIALECT)


def _replace_values(query: exp.Expr, new: str, old: str) -> None:
    plain = {old.lower(), _number(old)} - {""}
    for literal in list(query.find_all(exp.Literal)):
        if literal.name.lower() in plain:
            other = new if literal.is_string else _number(new)
            literal.replace(exp.Literal(this=other, is_string=literal.is_string))


def _number(text: str) -> str:
    found = _NUMBER.search(text)
    return found[0] if found else ""


def _about_table(request: str, table: str) -> str:
    different = re.search(r"\bdifferent (?:values of )?(?:the )?([\w ]+?)[?.!]*$", request, re.I)
    each = re.search(r"\bfor each ([\w ]+?)[?.!]*$", request, re.IGNORECASE)
    if each:
        column = each[1].replace(" ", "_")
        return exp.select(column, "COUNT(*)").from_(table).group_by(column).sql(_DIALECT)
    counts = ["COUNT(*)"]
    if different:
        counts.append(f"COUNT(DISTINCT {different[1].replace(' ', '_')})")
    return exp.select(*counts).from_(table).sql(_DIALECT)


def _summed_up(request: str, query: exp.Expr) -> Iterator[str]:
    """How many lines a result has, or what one of its columns comes to over all of them."""
    if not isinstance(query, exp.Query):
        return
    function = aggregate(request.replace("in all", ""))
    lines = query.subquery("found")
    if says("counted", request) and not function:
        yield exp.select("COUNT(*)").from_(lines).sql(_DIALECT)
    names = [one.alias_or_name for one in query.selects]
    if function and names[-1]:
        yield exp.select(f"{function}({names[-1]})").from_(lines).sql(_DIALECT)
