"""A model's query over kinds of record: checked, made runnable, and put in words.

The words say what each of its SELECTs gives, from which records, and every filter.
"""

from collections.abc import Iterator

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from wardround.core.errors import ToolError
from wardround.ehr.database import Dialect
from wardround.ehr.records import Views, record_kinds

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "is",
    exp.NEQ: "is not",
    exp.GT: "is more than",
    exp.GTE: "is at least",
    exp.LT: "is less than",
    exp.LTE: "is at most",
    exp.Like: "is like",
    exp.ILike: "is like",
}

# Kinds that hold the vocabulary, which names are looked up in by a tool.
_TERMS = ("synonym", "class")


def query_words(tree: exp.Query, dialect: Dialect) -> tuple[str, ...]:
    """A sentence on each SELECT of a query; queries inside others are numbered.

    No clause is left out.

    >>> from sqlglot import parse_one
    >>> query_words(parse_one("SELECT COUNT(*) FROM drug AS d WHERE d.name = 'Heparin'"), "duckdb")
    ("Gives COUNT(*) of drug, where drug.name is 'Heparin'.",)
    """
    return tuple(_Words(tree, dialect).sentences())


class _Words:
    def __init__(self, tree: exp.Query, dialect: Dialect) -> None:
        self._tree = tree
        self._dialect = dialect
        queries = [each for each in tree.find_all(exp.Query) if not isinstance(each, exp.Subquery)]
        self._numbers = {id(each): number for number, each in enumerate(queries, 1)}
        self._queries = queries

    def sentences(self) -> Iterator[str]:
        for query in self._queries:
            number = self._numbers[id(query)]
            cte = query.parent if isinstance(query.parent, exp.CTE) else None
            name = cte.alias if cte else ""
            start = (
                f"Query {number}{f', called {name},' if name else ''} gives " if number > 1 else ""
            )
            text = self._select(query) if isinstance(query, exp.Select) else self._combined(query)
            yield f"{start or 'Gives '}{text}."

    def _combined(self, query: exp.Query) -> str:
        parts = [query.args.get("this"), query.args.get("expression")]
        both = " and ".join(self._text(part) for part in parts if isinstance(part, exp.Expr))
        return f"the {query.key} of {both}{''.join(self._ends(query))}"

    def _select(self, query: exp.Select) -> str:
        given = ", ".join(map(self._text, query.expressions))
        if query.args.get("distinct"):
            given = f"different {given}"
        return f"{given}{''.join(self._clauses(query))}"

    def _clauses(self, query: exp.Select) -> Iterator[str]:
        source = query.args.get("from_")
        joins = query.args.get("joins") or []
        tables = [*([source.this] if source else []), *(join.this for join in joins)]
        if tables:
            yield f" of {', '.join(map(self._table, tables))}"
        for join in joins:
            if join.side or join.kind:
                yield f", {' '.join(filter(None, (join.side, join.kind))).lower()} joined"
            if join.args.get("on"):
                yield f", joined where {self._all(join.args['on'])}"
            if join.args.get("using"):
                yield f", joined by {', '.join(map(self._text, join.args['using']))}"
        if where := query.args.get("where"):
            yield f", where {self._all(where.this)}"
        if group := query.args.get("group"):
            yield f", for each {', '.join(map(self._text, group.expressions))}"
        if having := query.args.get("having"):
            yield f", of which {self._all(having.this)}"
        if qualify := query.args.get("qualify"):
            yield f", of which {self._all(qualify.this)}"
        yield from self._ends(query)

    def _ends(self, query: exp.Query) -> Iterator[str]:
        if order := query.args.get("order"):
            yield f", in order of {', '.join(map(self._text, order.expressions))}"
        if limit := query.args.get("limit"):
            yield f", only the first {self._text(limit.expression)}"
        if offset := query.args.get("offset"):
            yield f", after the first {self._text(offset.expression)}"

    def _table(self, table: exp.Expr) -> str:
        return table.name if isinstance(table, exp.Table) else self._text(table)

    def _all(self, test: exp.Expr) -> str:
        tests = test.flatten() if isinstance(test, exp.And) else [test]
        return " and ".join(map(self._test, tests))

    def _test(self, test: exp.Expr) -> str:
        words = _COMPARISONS.get(type(test))
        if words:
            return f"{self._text(test.this)} {words} {self._text(test.expression)}"
        if isinstance(test, exp.Not):
            return f"not ({self._test(test.this)})"
        if isinstance(test, exp.Paren):
            return f"({self._all(test.this)})"
        if isinstance(test, exp.Or):
            return " or ".join(map(self._test, test.flatten()))
        if isinstance(test, exp.Exists):
            return f"{self._text(test.this)} has a row"
        return self._text(test)

    def _text(self, part: exp.Expr) -> str:
        """The SQL of an expression, with kinds of record for aliases and numbers for queries."""
        inner = part.this if isinstance(part, exp.Subquery) else part
        if id(inner) in self._numbers:
            return f"query {self._numbers[id(inner)]}"
        numbers = [
            self._numbers[id(each)]
            for each in part.find_all(exp.Query)
            if id(each) in self._numbers
        ]
        aliases = self._aliases(part)
        copied = part.copy()
        placed = (each for each in copied.find_all(exp.Query) if not isinstance(each, exp.Subquery))
        for number, query in zip(numbers, list(placed), strict=True):
            whole = query.parent if isinstance(query.parent, exp.Subquery) else query
            whole.replace(exp.column(f"query {number}"))
        for column in copied.find_all(exp.Column):
            if column.table in aliases:
                column.set("table", exp.to_identifier(aliases[column.table]))
        return copied.sql(self._dialect).replace('"', "")

    def _aliases(self, part: exp.Expr) -> dict[str, str]:
        aliases: dict[str, str] = {}
        select = part.find_ancestor(exp.Select)
        while select is not None:
            source = select.args.get("from_")
            tables = [source.this] if source else []
            tables += [join.this for join in select.args.get("joins") or []]
            for table in tables:
                if isinstance(table, exp.Table):
                    aliases.setdefault(table.alias_or_name, table.name)
            select = select.find_ancestor(exp.Select)
        return aliases


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
        ToolError: It is not one SELECT statement, or names another table.
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
