"""Makes the one query of what was understood."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from sqlglot import exp

from wardround.agents.parser.interview.chart import Chart, Column
from wardround.agents.parser.interview.wish import DIALECT, Having, Show, Where, Wish

_SECONDS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}


def composed(wish: Wish, chart: Chart) -> str:
    """The query, in PostgreSQL's words."""
    composer = _Composer(wish, chart)
    return composer.query().sql(DIALECT)


class _Composer:
    """One query being made."""

    def __init__(self, wish: Wish, chart: Chart) -> None:
        self._wish = wish
        self._chart = chart
        self._main = wish.main
        self._joined = dict.fromkeys(
            column.table
            for column in (*(show.column for show in wish.shows), *wish.within)
            if column and column.name and self._at_home(column).table != wish.main
        )

    def query(self) -> exp.Select:
        wish = self._wish
        made = exp.select(*self._outputs()).from_(self._first())
        for table in self._others():
            made = made.join(table, on=self._keys(table), join_type="left" if wish.outer else "")
        conditions = [*self._conditions(wish.wheres), *map(self._among, wish.havings)]
        if wish.picked:
            made = made.from_(self._picked(conditions))
        elif conditions:
            made = made.where(*conditions, dialect=DIALECT)
        groups = [self._sql(show) for show in wish.shows if self._is_group(show)]
        if self._gathers:
            made = made.group_by(*groups, dialect=DIALECT)
        elif not wish.orders:
            made = made.distinct()
        made = self._placed(made) if wish.places else made
        made = made.order_by(*self._orders(), dialect=DIALECT) if wish.orders else made
        if wish.best:
            show, descending = wish.best
            order = f"{self._sql(show)}{' DESC' if descending else ''}"
            return made.order_by(order, append=False, dialect=DIALECT).limit(1)
        return made.limit(wish.limit) if wish.limit else made

    def _picked(self, conditions: Sequence[str]) -> exp.Subquery:
        """Of each thing the first or last row of those that meet the conditions."""
        key, time, descending = self._wish.picked[0]
        rows = exp.select("*").from_(self._main).distinct(key)
        rows = rows.where(*conditions, dialect=DIALECT) if conditions else rows
        rows = rows.order_by(key, f"{time}{' DESC' if descending else ''}", dialect=DIALECT)
        return rows.subquery(self._main)

    @property
    def _gathers(self) -> bool:
        return bool(self._wish.best) or any(show.gathers for show in self._wish.shows)

    @staticmethod
    def _is_group(show: Show) -> bool:
        return not show.gathers and show.function != "PLACE"

    def _first(self) -> str:
        """What is selected from: what is shown even without rows stands first."""
        return next(iter(self._joined), self._main) if self._wish.outer else self._main

    def _others(self) -> list[str]:
        return [one for one in (self._main, *self._joined) if one != self._first()]

    def _keys(self, table: str) -> str:
        key = self._chart.shared_key(table, self._first()) or "row_id"
        return f"{table}.{key} = {self._first()}.{key}"

    def _at_home(self, column: Column) -> Column:
        """A key as the main table has it."""
        own = self._chart.column(self._main, column.name) if column.is_key else None
        return own or column

    def _outputs(self) -> list[exp.Expr]:
        return [
            exp.alias_(exp.maybe_parse(self._rounded(show), dialect=DIALECT), f"c{at}")
            for at, show in enumerate(self._wish.shows, start=1)
        ]

    def _rounded(self, show: Show) -> str:
        sql, decimals = self._sql(show), self._wish.decimals
        counted = show.function in ("COUNT", "SHARE") or not show.gathers
        return sql if decimals is None or counted else f"ROUND(CAST({sql} AS DECIMAL), {decimals})"

    def _sql(self, show: Show) -> str:
        match show:
            case Show("PLACE"):
                return self._place()
            case Show("SHARE", amount):
                return self._share(amount)
            case Show(function, Column("", "", unit)):
                return self._duration(function, unit)
            case Show("COUNT", None):
                return "COUNT(*)"
        column = self._at_home(show.column) if show.column else Column(self._main, "row_id", "")
        match show:
            case Show("MEDIAN"):
                return f"PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY {column.sql})"
            case Show("COUNT"):
                return f"COUNT(DISTINCT {column.sql})" if show.distinct else f"COUNT({column.sql})"
            case Show("") if self._wish.fill and column.kind == "text":
                return f"COALESCE({column.sql}, '{self._wish.fill}')"
            case Show(""):
                return column.sql
        if not show.gathers:
            return f"TO_CHAR({column.sql}, '{show.function}')"
        return f"{show.function}({column.sql})"

    def _duration(self, function: str, unit: str) -> str:
        """How long the main table's rows took, in a unit of time."""
        ends = self._chart.ends(self._main)
        if ends is None:
            return f"{function}(0)"
        seconds = f"EXTRACT(EPOCH FROM {ends[1].sql} - {ends[0].sql})"
        return f"{function}({seconds}) / {_SECONDS[unit]}"

    def _share(self, amount: Column | None) -> str:
        """A share of rows or of an amount: what its part has, or without one each group."""
        part = " AND ".join(self._conditions(self._wish.part))
        whole = f"SUM({amount.sql})" if amount else f"COUNT({self._main}.row_id)"
        some = f"{whole} FILTER (WHERE {part})" if part else whole
        of = whole if part else f"SUM({whole}) OVER ()"
        share = f"{'100.0' if self._wish.percent else '1.0'} * {some} / NULLIF({of}, 0)"
        decimals = self._wish.decimals
        share = share if decimals is None else f"ROUND(CAST({share} AS DECIMAL), {decimals})"
        return f"COALESCE({share}, 0)" if self._wish.outer else share

    def _place(self) -> str:
        measure = next((self._sql(show) for show in self._wish.shows if show.gathers), "COUNT(*)")
        within = ", ".join(column.sql for column in self._wish.within)
        partition = f"PARTITION BY {within} " if within else ""
        return f"{self._wish.ranking}() OVER ({partition}ORDER BY {measure} DESC)"

    def _placed(self, made: exp.Select) -> exp.Select:
        """The query's lines of the first places alone."""
        at = [show.function for show in self._wish.shows].index("PLACE") + 1
        columns = [f"c{number}" for number in range(1, len(self._wish.shows) + 1)]
        return (
            exp.select(*columns)
            .from_(made.subquery("placed"))
            .where(f"c{at} <= {self._wish.places}")
        )

    def _orders(self) -> Iterator[str]:
        for order in self._wish.orders:
            yield f"c{order.at + 1}{' DESC' if order.descending else ''}"

    def _conditions(self, wheres: Sequence[Where]) -> Iterator[str]:
        """Conditions on what is selected from; on other tables, that there are such rows."""
        own = {self._main, *self._joined}
        for where in wheres:
            if where.table in own:
                yield f"NOT ({where.sql})" if where.negated else where.sql
        others = [where for where in wheres if where.table not in own]
        kept = sorted(others, key=lambda where: (where.table, where.negated))
        for (table, negated), group in groupby(kept, key=lambda one: (one.table, one.negated)):
            if key := self._chart.shared_key(self._main, table):
                yield self._having_rows(table, key, [one.sql for one in group], negated=negated)

    def _having_rows(self, table: str, key: str, conditions: list[str], *, negated: bool) -> str:
        rows = exp.select(f"{table}.{key}").from_(table)
        rows = rows.where(*conditions, dialect=DIALECT)
        return f"{self._main}.{key} {'NOT ' if negated else ''}IN ({rows.sql(DIALECT)})"

    def _among(self, having: Having) -> str:
        rows = exp.select(f"{having.table}.{having.key}").from_(having.table)
        own = [w.sql for w in self._wish.wheres if w.table == having.table and not w.negated]
        rows = rows.where(*own, dialect=DIALECT) if own else rows
        rows = rows.group_by(f"{having.table}.{having.key}").having(having.sql, dialect=DIALECT)
        return f"{self._main}.{having.key} IN ({rows.sql(DIALECT)})"
