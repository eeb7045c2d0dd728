"""SQL tests of one record: its values, its number, its time and its rank."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp, select

from wardround.ehr.query.expressions import (
    all_of,
    any_of,
    bounded,
    column,
    compared,
    containing,
    day,
    exists,
    moment,
    negated,
    null_test,
    one_of,
    parsed,
    shifted,
)
from wardround.ehr.query.model import Bound, Condition, Period, Relation, Scope, Term, Value, Words
from wardround.ehr.records import Role, Views, record_kinds
from wardround.ehr.records.dialect_forms import days_between, years_between
from wardround.ehr.times import TimeFilter
from wardround.ehr.times import condition as time_condition

_DEAD = Term("dead")
_NUMERIC = ("patient", "admission", "stay")
_COMPARISONS = {"after": ">", "from": ">=", "before": "<", "until": "<="}


class RecordTests:
    """The tests of records in one database."""

    def __init__(self, views: Views) -> None:
        self._views = views

    def all_tests(self, condition: Condition, alias: str, within: Scope) -> list[exp.Expr]:
        """All tests of a record, but for its count and negation.

        Args:
            condition: What the record must be.
            alias: The record.
            within: The owner of the first or last record.
        """
        tests = list(self.value_tests(condition, alias))
        if condition.which in ("first", "last"):
            tests.append(self._rank_test(condition, alias, within))
        time = self._time(condition, alias)
        tests += (period_test(period, time, self._views) for period in condition.periods)
        if condition.ages:
            tests.append(self._aged(condition.ages, alias))
        if condition.is_in_icu:
            tests.append(self._in_icu(condition.kind, alias))
        if condition.relation:
            tests.append(self._in_order(condition.relation, alias))
        return tests

    def limited(self, condition: Condition, number: exp.Expr) -> Iterator[exp.Expr]:
        """The tests of a number, which is in days for a length."""
        for bound in condition.bounds:
            yield bounded(_in_unit(number.copy(), bound), bound)

    def number(self, condition: Condition, alias: str) -> exp.Expr:
        """The number of a record that a condition limits."""
        if condition.measured == "length":
            return stay_length(self._views, alias)
        if condition.measured == "age" and condition.kind == "patient":
            return self._age_now(alias)
        if condition.measured == "age" and not self._views.has(condition.kind, "age"):
            return self.age_at(alias)
        return column(alias, condition.measured)

    def _age_now(self, alias: str) -> exp.Expr:
        """The age of a patient now, or at death."""
        dialect = self._views.dialect
        end: exp.Expr = exp.cast(parsed("current_time", dialect).copy(), "TIMESTAMP")
        if self._views.has("patient", "death"):
            end = exp.func("COALESCE", exp.cast(column(alias, "death"), "TIMESTAMP"), end)
        return years_between(column(alias, "birth"), end, dialect)

    def age_at(self, alias: str) -> exp.Expr:
        """The age of the patient at the time of a record."""
        same = column("b", "patient").eq(column(alias, "patient"))
        people = self._views.rows("patient", "b")
        return select(self._age(alias)).from_(people).where(same).subquery(copy=False)

    def _aged(self, ages: Sequence[Bound], alias: str) -> exp.Expr:
        """The test of the patient's age at the time of a record."""
        same = column("b", "patient").eq(column(alias, "patient"))
        limits = [bounded(self._age(alias), bound) for bound in ages]
        return exists(self._views.rows("patient", "b"), [same, *limits])

    def _age(self, alias: str) -> exp.Expr:
        return years_between(column("b", "birth"), column(alias, "time"), self._views.dialect)

    def value_tests(self, condition: Condition, alias: str) -> Iterator[exp.Expr]:
        """The tests of the values and the number of a record."""
        yield from (
            null_test(self._cell(role, alias), False)
            for role, texts in condition.values
            if not texts
        )
        named = [self._texts(role, texts, alias) for role, texts in condition.values if texts]
        if named:
            yield any_of(named)
        if condition.bounds and condition.which != "total":
            yield from self.limited(condition, self.number(condition, alias))
        yield from (self._texts(role, texts, alias) for role, texts in condition.also)
        for role, texts in condition.containing:
            yield containing(self._cell(role, alias), texts)

    def _cell(self, role: Role, alias: str) -> exp.Column:
        if not self._views.has(*role):
            raise KeyError(f"{role.kind}.{role.column}")
        return column(alias, role.column)

    def _texts(self, role: Role, value: Value, alias: str) -> exp.Expr:
        if isinstance(value, Words):
            raise ValueError(f"{value.text!r} is not linked to texts of {role.kind}.{role.column}")
        texts = self._views.texts(*role, value.name) if isinstance(value, Term) else value
        if not value:
            return null_test(self._cell(role, alias), False)
        if value == _DEAD and not texts:  # only the stay itself says so
            return column(alias, "died").eq(exp.convert(1))
        return one_of(self._cell(role, alias), texts, numeric=role.column in _NUMERIC)

    def _rank_test(self, condition: Condition, alias: str, within: Scope) -> exp.Expr:
        """The test that a record is the first or last by time of its patient or stay."""
        ends = self._ends(replace(condition, bounds=()), "f", within)
        same = [column("f", name).eq(column(alias, name)) for name in (within, "time")]
        return exists(ends, same)

    def _ends(self, condition: Condition, alias: str, within: Scope) -> exp.Subquery:
        """The time of the first or last record of each patient or stay."""
        end = exp.func("MAX" if condition.which == "last" else "MIN", column(alias, "time"))
        key = column(alias, within)
        rows = select(key.as_(within), end.as_("time"))
        rows = rows.from_(self._views.rows(condition.kind, alias), copy=False)
        tests = self.all_tests(replace(condition, which="any"), alias, within)
        rows = rows.where(*tests, copy=False).group_by(key.copy(), copy=False)
        return rows.subquery(alias, copy=False)

    def _time(self, condition: Condition, alias: str) -> exp.Expr:
        """The time that periods limit: the named event's, if there is one."""
        types = record_kinds()[condition.kind].columns if condition.kind in record_kinds() else {}
        filled = [role.column for role, texts in condition.values if not texts]
        times = [name for name in filled if types.get(name) == "time"]
        return column(alias, times[-1] if times else "time")

    def _in_icu(self, kind: str, alias: str) -> exp.Expr:
        """The test of a record during an ICU stay; some records are of an ICU stay."""
        if self._views.has(kind, "stay"):
            return null_test(column(alias, "stay"), False)
        same = column("i", "admission").eq(column(alias, "admission"))
        tests = [same, *_during_stay(column(alias, "time"), "i")]
        return exists(self._views.rows("icu", "i"), tests)

    def _in_order(self, relation: Relation, alias: str) -> exp.Expr:
        """The test that a record is before, during or after its anchor."""
        anchor, scope, inner = relation.anchor, relation.scope, "s"
        if alias.startswith(inner):
            inner = f"{alias}s"
        time: exp.Expr = column(alias, relation.at)
        if relation.by_day:
            time = day(time, self._views.dialect)
        same, start = column(inner, scope).eq(column(alias, scope)), column(inner, "time")
        if relation.order != "during" and anchor.which in ("first", "last"):
            ends = self._ends(anchor, inner, scope)
            return exists(ends, [same, *self._order_tests(relation, time, start)])
        if relation.order == "during":
            placed = _during_stay(time, inner)
            if relation.within:
                until = shifted(start, relation.within, 1, self._views.dialect)
                placed.append(compared("<=", time.copy(), until))
        else:
            placed = list(self._order_tests(relation, time, start))
        rows = self._views.rows(anchor.kind, inner)
        return exists(rows, [same, *placed, *self.all_tests(anchor, inner, scope)])

    def _order_tests(
        self, relation: Relation, time: exp.Expr, anchor: exp.Expr
    ) -> Iterator[exp.Expr]:
        operator = _COMPARISONS[relation.order]
        if relation.by_day:
            anchor = day(anchor, self._views.dialect)
            operator = f"{operator[0]}="
        yield compared(operator, time, anchor)
        if relation.within:
            is_later = operator.startswith(">")
            sign = 1 if is_later else -1
            end = shifted(anchor.copy(), relation.within, sign, self._views.dialect)
            yield compared("<=" if is_later else ">=", time.copy(), end)


def stay_length(views: Views, alias: str) -> exp.Expr:
    """The length of a stay in days."""
    return days_between(column(alias, "time"), column(alias, "finish"), views.dialect)


def period_test(period: Period, time: exp.Expr, views: Views) -> exp.Expr:
    """The test that a time is in a period."""
    if isinstance(period.filter, TimeFilter):
        sql = time_condition(period.filter, time.sql(views.dialect), views.dialect)
        test = parsed(sql, views.dialect).copy()
    else:
        limits = ((">=", period.filter.since), ("<", period.filter.until))
        tests = [compared(o, time.copy(), moment(t, views.dialect)) for o, t in limits if t]
        test = all_of(tests)
    return negated(exp.paren(test, copy=False), True) if period.is_negated else test


def _during_stay(time: exp.Expr, stay: str) -> list[exp.Expr]:
    """The tests that a time is from a stay, which may not have ended."""
    until = exp.LTE(this=time.copy(), expression=column(stay, "finish"))
    return [
        exp.GTE(this=time.copy(), expression=column(stay, "time")),
        any_of([null_test(column(stay, "finish"), True), until]),
    ]


def _in_unit(days: exp.Expr, bound: Bound) -> exp.Expr:
    if bound.unit != "hour":
        return days
    return exp.paren(exp.Mul(this=exp.convert(24), expression=days), copy=False)
