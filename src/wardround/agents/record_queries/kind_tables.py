"""SQL over kinds of record as tables: checked, and made runnable on the database."""

from collections.abc import Iterator

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from wardround.core.errors import ToolError
from wardround.ehr.records import Views, record_kinds

# Kinds that hold the vocabulary, which names are looked up in by a tool.
_TERMS = ("synonym", "class")


def table_list(views: Views) -> str:
    """The kinds of record as tables, a line each."""
    lines = (
        f"- {kind}({', '.join(views.columns[kind])}): {record_kinds()[kind].meaning}"
        for kind in table_names(views)
    )
    return "\n".join(lines)


def table_names(views: Views) -> tuple[str, ...]:
    """The kinds of record that queries can name."""
    return tuple(kind for kind in views.sql if kind in record_kinds() and kind not in _TERMS)


def read_query(sql: str, views: Views) -> exp.Query:
    """The tree of one SELECT statement over the kinds of record.

    Raises:
        ToolError: It is no such statement, or names another table.
    """
    try:
        trees = parse(sql, read=views.dialect)
    except (SqlglotError, RecursionError) as error:
        raise ToolError(f"This is not SQL for {views.dialect}: {error}") from None
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, exp.Query):
        raise ToolError("Give one SELECT statement.")
    known = set(table_names(views))
    names = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name.lower() not in known | names or table.db:
            listed = ", ".join(sorted(known))
            raise ToolError(f"There is no table {table.sql()}; the tables are {listed}.")
    return tree


def runnable(tree: exp.Query, views: Views) -> str:
    """The query on the database's own tables, each kind of record in a WITH clause."""
    tree = tree.copy()
    used = dict.fromkeys(_tables(tree))
    expressions = [
        cte for clause in [tree.args.get("with_")] if clause for cte in clause.expressions
    ]
    shadowed = {cte.alias.lower() for cte in expressions}
    kinds = [
        exp.CTE(
            this=views.rows(kind, kind).this, alias=exp.TableAlias(this=exp.to_identifier(kind))
        )
        for kind in table_names(views)
        if kind in used and kind not in shadowed
    ]
    if kinds:
        is_recursive = bool(expressions and tree.args["with_"].args.get("recursive"))
        tree.set("with_", exp.With(expressions=[*kinds, *expressions], recursive=is_recursive))
    return tree.sql(views.dialect)


def _tables(tree: exp.Expr) -> Iterator[str]:
    yield from (table.name.lower() for table in tree.find_all(exp.Table))
