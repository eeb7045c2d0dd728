"""Tables of a query apart from its common table expressions."""

from sqlglot import exp

from wardround.ehr.database.interface import QueryError

# No table of a database begins so: a reference that is out of its expression's scope fails,
# where the bare name would have reached a table of that name.
_PREFIX = "_with_"


def tables_read(query: exp.Expr) -> list[exp.Table]:
    """The tables that a query reads, each with an alias that qualifies its columns.

    The query's own expressions are renamed.

    >>> from sqlglot import parse_one
    >>> query = parse_one("WITH a AS (SELECT 1 FROM patients) SELECT * FROM A, b", read="bigquery")
    >>> [table.name for table in tables_read(query)]
    ['b', 'patients']

    Raises:
        QueryError: It reads from a function.
    """
    steps = {cte.alias.lower(): cte for cte in query.find_all(exp.CTE)}
    read = []
    for table in list(query.find_all(exp.Table)):
        if not isinstance(table.this, exp.Identifier):
            message = f"Table-valued function not found: {table.name or table.sql()}."
            raise QueryError(message, "syntax")
        name = table.name
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        if not table.db and name.lower() in steps:
            table.set("this", _renamed(name))
        else:
            read.append(table)
    for step in steps.values():
        step.args["alias"].set("this", _renamed(step.alias))
    shorten_columns(query)
    return read


def shorten_columns(query: exp.Expr) -> bool:
    """Qualify columns by the alias of a table only, where they name its dataset too.

    Returns:
        True if there were any.
    """
    read = {(table.db, table.name) for table in query.find_all(exp.Table) if table.db}
    long = [each for each in query.find_all(exp.Column) if (each.db, each.table) in read]
    for column in long:
        column.set("db", None)
        column.set("catalog", None)
    return bool(long)


def put_source(table: exp.Table, source: exp.Expr) -> None:
    """Put a table or a query in the place of a table, under its alias."""
    if isinstance(source, exp.Table):
        for part in ("this", "db", "catalog"):
            table.set(part, source.args.get(part))
        return
    query = source.this if isinstance(source, exp.Subquery) else source
    clauses = {key: table.args.get(key) for key in ("joins", "pivots", "sample", "laterals")}
    table.replace(exp.Subquery(this=query, alias=table.args["alias"], **clauses))


def _renamed(name: str) -> exp.Identifier:
    return exp.Identifier(this=_PREFIX + name.lower(), quoted=True)
