"""Pieces of the gold that a user can be asked about beside its numbered fragments.

They are where something is on record, by which key records belong together, which column a
condition goes by, and that records are removed.
"""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from wardround.people.clarifying.changes import Aspect
from wardround.people.clarifying.fragments import Fragment
from wardround.people.clarifying.gold_parser import DIALECT, parse_fragment, parse_statements
from wardround.people.clarifying.names import is_key, is_time, readable_name

FURTHER_ASPECTS = ("source", "key", "basis", "removal")
_CONDITIONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In)
_PATTERNS = (exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike)


def further_fragments(gold: Iterable[str]) -> tuple[Fragment, ...]:
    """Lists the further pieces of the gold, each once.

    >>> gold = ["SELECT 1 FROM a JOIN b ON a.hadm_id = b.hadm_id WHERE dischtime > now()"]
    >>> [fragment.sql for fragment in further_fragments(gold)]
    ['FROM a', 'FROM b', 'ON hadm_id', 'WHERE dischtime']
    """
    further: dict[tuple[Aspect, str], exp.Expr] = {}
    for tree in parse_statements(gold):
        for aspect, sql, node in _pieces(tree):
            further.setdefault((aspect, sql), node)
    return tuple(
        Fragment(number, aspect, sql, node)
        for number, ((aspect, sql), node) in enumerate(further.items(), start=1)
    )


def moments(fragments: Iterable[str]) -> tuple[str, ...]:
    """Names the points in time that conditions go by, in plain words.

    >>> moments(["dischtime >= '2100-04-01'"])
    ('time of discharge',)
    """
    trees = (tree for fragment in fragments for tree in parse_fragment(fragment))
    columns = (node for tree in trees for aspect, _, node in _pieces(tree) if aspect == "basis")
    return tuple(dict.fromkeys(readable_name(c.name) for c in columns if is_time(c.name)))


def _pieces(tree: exp.Expr) -> Iterator[tuple[Aspect, str, exp.Expr]]:
    for table in _sources(tree):
        yield "source", f"FROM {table.name}", table
    for node in tree.find_all(*_CONDITIONS, *_PATTERNS):
        column = node.this.this if isinstance(node.this, exp.Cast) else node.this
        if not isinstance(column, exp.Column) or isinstance(node.parent, exp.Update):
            continue
        if _joins(node):
            yield "key", f"ON {column.name}", column
        elif not is_key(column.name):
            yield "basis", f"WHERE {column.name}", column
    for deletion in tree.find_all(exp.Delete):
        if isinstance(deletion.this, exp.Table):
            bare = exp.Delete(this=exp.to_table(deletion.this.name))
            yield "removal", bare.sql(dialect=DIALECT), deletion.this


def _sources(tree: exp.Expr) -> Iterator[exp.Table]:
    """Yields the tables that are read or changed, without named subqueries and new objects."""
    named = {query.alias for query in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        is_new = isinstance(table.parent, exp.Create | exp.UserDefinedFunction) or (
            isinstance(table.parent, exp.Schema) and isinstance(table.parent.parent, exp.Create)
        )
        if table.name and table.name not in named and not is_new:
            yield table


def _joins(node: exp.Expr) -> bool:
    """True if a comparison says that two records belong together."""
    return (
        isinstance(node, exp.EQ)
        and isinstance(node.this, exp.Column)
        and isinstance(node.expression, exp.Column)
        and node.this.name == node.expression.name
    )
