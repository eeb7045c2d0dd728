"""The SQL of a question over the records of any layout."""

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp, select

from wardround.ehr.query.expressions import column, null_test, parsed
from wardround.ehr.query.model import Condition, Goal, Query
from wardround.ehr.query.record_tests import RecordTests, stay_length
from wardround.ehr.query.row_tests import row_tests
from wardround.ehr.records import Role, Views
from wardround.ehr.records.dialect_forms import days_between

_MEDIAN = "MEDIAN"
_KEYS = {"patient": "patient", "admission": "admission", "icu": "stay", "hospital": "hospital"}
_SPECIMEN = Role("culture", "specimen_id")


def to_sql(query: Query, views: Views) -> str:
    """The SQL of a query in the dialect of the views; it leaves `current_time` open.

    The same query gives the same text, and the same answer on every engine.

    Raises:
        KeyError: The views lack a kind of record or a column of the query.
        ValueError: Words of the query are not linked.
    """
    return _Renderer(views).query(query).sql(views.dialect, copy=False)


class _Renderer:
    def __init__(self, views: Views) -> None:
        self._views = views

    def query(self, query: Query) -> exp.Expr:
        goal, conditions = query.goal, query.conditions
        if goal.shape in ("share", "ratio"):
            part = self._of(goal, (*conditions, *query.part)).subquery(copy=False)
            whole = self._of(goal, conditions).subquery(copy=False)
            scale = exp.Literal.number("100.0" if goal.shape == "share" else "1.0")
            scaled = exp.Mul(this=scale, expression=part)
            # No share of zero patients: engines differ in division by zero.
            somebody = exp.Nullif(this=whole, expression=exp.convert(0))
            return select(exp.Div(this=scaled, expression=somebody), copy=False)
        if goal.shape == "exists":
            people = self._select([column("t", "patient")], "patient", conditions)
            return select(exp.Exists(this=people))
        if goal.shape == "top":
            return self._ranked(goal, conditions)
        if goal.shape == "difference":
            ends = [self._ordered(replace(goal, order=o), conditions) for o in ("DESC", "ASC")]
            last, first = (end.subquery(copy=False) for end in ends)
            return select(exp.Sub(this=last, expression=first))
        if goal.per:
            return self._of_totals(goal, conditions)
        if goal.by:
            return self._grouped(goal, conditions)
        if goal.function == _MEDIAN:
            number = self._of_row(goal).as_("number")
            return _median(self._select([number], _base(goal), conditions, self._charged(goal)))
        is_ordered = goal.order and not goal.function and goal.shape != "elapsed"
        return self._ordered(goal, conditions) if is_ordered else self._of(goal, conditions)

    def _ordered(self, goal: Goal, conditions: Sequence[Condition]) -> exp.Select:
        """The first or last records, or all in order."""
        order = exp.Ordered(this=column("t", goal.ordered_by), desc=goal.order == "DESC")
        selected = self._of(goal, conditions).order_by(order, copy=False)
        return selected.limit(goal.top, copy=False) if goal.top else selected

    def _ranked(self, goal: Goal, conditions: Sequence[Condition]) -> exp.Expr:
        """The names, or numbers, with the most records or the largest total."""
        name = column("t", goal.column or "name")
        measure = _function(goal.function, column("t", "value")) if goal.function else None
        ordered = exp.Ordered(this=measure or _counted(goal, self._views), desc=goal.order != "ASC")
        rank = exp.Window(this=exp.DenseRank(), order=exp.Order(expressions=[ordered]), over="OVER")
        named = null_test(name, False)
        columns = [name.as_("name"), rank.as_("place")]
        ranked = self._select(columns, _base(goal), conditions, [named])
        ranked = ranked.group_by(name.copy(), copy=False)
        within = exp.LTE(this=exp.column("place"), expression=exp.convert(goal.top))
        names = select(exp.column("name")).from_(ranked.subquery("r", copy=False), copy=False)
        return names.where(within, copy=False)

    def _of_totals(self, goal: Goal, conditions: Sequence[Condition]) -> exp.Expr:
        """A function of the total, or of the number, of records of each patient or stay."""
        total = (
            _function("SUM", column("t", "value"))
            if goal.column == "value"
            else _counted(goal, self._views)
        )
        totals = self._select([total.as_("total")], _base(goal), conditions, self._charged(goal))
        totals = totals.group_by(column("t", goal.per), copy=False)
        number = exp.Mul(this=exp.Literal.number("1.0"), expression=exp.column("total"))
        numbers = totals.subquery("r", copy=False)
        if goal.function == _MEDIAN:
            return _median(select(number.as_("number")).from_(numbers, copy=False))
        return select(_function(goal.function, number)).from_(numbers, copy=False)

    def _grouped(self, goal: Goal, conditions: Sequence[Condition]) -> exp.Expr:
        name: exp.Expr = column("t", goal.by)
        if goal.by_person:
            persons = self._views.rows("patient", "g")
            people = select(column("g", goal.by)).from_(persons, copy=False)
            same = column("g", "patient").eq(column("t", "patient"))
            name = people.where(same, copy=False).subquery(copy=False)
        if goal.function == _MEDIAN:
            columns = [exp.alias_(name, "name"), self._of_row(goal).as_("number")]
            rows = self._select(columns, _base(goal), conditions, self._charged(goal))
            return _median(rows, "name")
        columns = [exp.alias_(name, "name"), self._selected(goal)]
        grouped = self._select(columns, _base(goal), conditions, self._charged(goal))
        return grouped.group_by(exp.convert(1), copy=False)

    def _of(self, goal: Goal, conditions: Sequence[Condition]) -> exp.Select:
        return self._select([self._selected(goal)], _base(goal), conditions, self._charged(goal))

    def _charged(self, goal: Goal) -> list[exp.Expr]:
        """The test of the kind of costs that are asked for."""
        if not goal.costs_of:
            return []
        charges = self._views.written[Role("cost", "name")][goal.costs_of]
        return [column("t", "name").eq(exp.Literal.string(charges[0]))]

    def _selected(self, goal: Goal) -> exp.Expr:
        if goal.shape in ("count", "share", "ratio"):
            return _counted(goal, self._views)
        if goal.shape == "distinct":
            of = column("t", _KEYS.get(goal.of, "name"))
            return exp.Count(this=exp.Distinct(expressions=[of]))
        if goal.shape in ("list", "names"):
            return _distinct(column("t", "patient" if goal.shape == "list" else "name"))
        if goal.shape == "span":
            first, last = (_function(name, column("t", "time")) for name in ("MIN", "MAX"))
            return days_between(first, last, self._views.dialect)
        if goal.shape == "elapsed":
            end = _function("MAX" if goal.order == "DESC" else "MIN", column("t", "time"))
            return days_between(end, self._now(), self._views.dialect)
        of_row = self._of_row(goal)
        if goal.function:
            return _function(goal.function, of_row)
        is_each = goal.order and goal.ordered_by != goal.column
        return of_row if is_each or goal.shape == "difference" else _distinct(of_row)

    def _of_row(self, goal: Goal) -> exp.Expr:
        """The column of a record that is asked for."""
        if goal.column == "age" and not self._views.has(_base(goal), "age"):
            return RecordTests(self._views).age_at("t")
        if goal.column not in ("length", "hours"):
            return column("t", goal.column)
        days = stay_length(self._views, "t")
        if goal.column == "length":
            return days
        return exp.paren(exp.Mul(this=exp.convert(24), expression=days))

    def _now(self) -> exp.Expr:
        now = parsed("current_time", self._views.dialect).copy()
        return now if self._views.dialect == "sqlite" else exp.cast(now, "TIMESTAMP")

    def _select(
        self,
        selected: Sequence[exp.Expr],
        base: str,
        conditions: Sequence[Condition],
        tests: Sequence[exp.Expr] = (),
    ) -> exp.Select:
        rows = select().from_(self._views.rows(base, "t"), copy=False)
        if len(selected) == 1 and isinstance(selected[0], exp.Distinct):
            rows = rows.select(*selected[0].expressions, copy=False).distinct(copy=False)
        else:
            rows = rows.select(*selected, copy=False)
        return rows.where(*tests, *row_tests(base, conditions, self._views), copy=False)


def _median(rows: exp.Select, group: str = "") -> exp.Select:
    """The median of the column `number`, or of each group; engines differ in theirs.

    For an even count, it is the mean of the two middle values.
    """
    number, position, count = exp.column("number"), exp.column("place"), exp.column("numbers")
    groups = [exp.column(group)] if group else []
    placed = exp.Window(
        this=exp.RowNumber(),
        partition_by=[each.copy() for each in groups],
        order=exp.Order(expressions=[exp.Ordered(this=number.copy())]),
        over="OVER",
    )
    counted = exp.Window(
        this=exp.Count(this=exp.Star()), partition_by=[g.copy() for g in groups], over="OVER"
    )
    ranked = select(*groups, number, placed.as_("place"), counted.as_("numbers"))
    ranked = ranked.from_(rows.subquery("m", copy=False), copy=False)
    ranked = ranked.where(null_test(number, False), copy=False)
    twice = exp.Mul(this=exp.convert(2), expression=position)
    after = exp.Add(this=count.copy(), expression=exp.convert(2))
    middle = select(*groups, _function("AVG", number.copy()))
    middle = middle.from_(ranked.subquery("r", copy=False), copy=False)
    middle = middle.where(exp.Between(this=twice, low=count, high=after), copy=False)
    return middle.group_by(*groups, copy=False) if groups else middle


def _base(goal: Goal) -> str:
    return goal.base or goal.of


def _counted(goal: Goal, views: Views) -> exp.Expr:
    """The number of people, stays or records; of cultures that of specimens, if they are known."""
    is_of_specimens = goal.of == _SPECIMEN.kind and views.has(*_SPECIMEN)
    key = _SPECIMEN.column if is_of_specimens else _KEYS.get(goal.of)
    if key:
        return exp.Count(this=exp.Distinct(expressions=[column("t", key)]))
    return exp.Count(this=exp.Star())


def _distinct(of: exp.Expr) -> exp.Expr:
    return exp.Distinct(expressions=[of])


def _function(name: str, of: exp.Expr) -> exp.Expr:
    return exp.func(name, of)
