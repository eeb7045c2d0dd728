"""Conditions of a question as SQL tests of the rows of a kind of record."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from sqlglot import exp, parse_one, select

from wardround.ehr.query.model import Bound, Condition, Period
from wardround.ehr.records import Role, Views
from wardround.ehr.records.dialect_forms import days_between
from wardround.ehr.times import Dialect
from wardround.ehr.times import condition as time_condition

DEATHS = ("<deaths>",)  # the texts of any discharge by death
_OF_PATIENT = ("patient", "sex", "death", "alive", "current")
_STAYS = ("admission", "icu")
_OF_STAY = ("age", "length")
_NUMERIC = ("patient", "admission", "stay")
_KEYS = {"admission": "admission", "icu": "stay"}
_OPERATORS: dict[str, Callable[..., exp.Expr]] = {
    ">": exp.GT,
    ">=": exp.GTE,
    "<": exp.LT,
    "<=": exp.LTE,
    "=": exp.EQ,
    "<>": exp.NEQ,
    "!=": exp.NEQ,
}


def column(alias: str, name: str) -> exp.Column:
    """A column of a table or of an aliased query."""
    return exp.column(name, alias)


def row_tests(base: str, conditions: Sequence[Condition], views: Views) -> Iterator[exp.Expr]:
    """Tests of whether a record `t` of a kind meets all conditions.

    A condition on the kind itself is met by the record, one on its stay by that stay, and any
    other by the patient.
    """
    return _Tests(views).of_rows(base, conditions)


class _Tests:
    def __init__(self, views: Views) -> None:
        self._views = views

    def of_rows(self, base: str, conditions: Sequence[Condition]) -> Iterator[exp.Expr]:
        own = [item for item in conditions if _is_of_row(item, base)]
        others = [item for item in conditions if item not in own]
        for condition in own:
            tests = list(self._of_record(replace(condition, is_negated=False), "t"))
            if condition.is_negated:
                yield exp.not_(exp.and_(*tests)) if tests else exp.false()
            else:
                yield from tests
        for condition in others[:]:
            if condition.kind == "current" and base in _STAYS:
                others.remove(condition)
                yield _is_null(column("t", "finish"), not condition.is_negated)
            elif _is_stay_number(condition) and base != "patient":
                others.remove(condition)
                yield _one_of(column("t", "stay"), condition.values[0][1], numeric=True)
        if base == "patient":
            yield from self._of_patient(others, "t")
            return
        of_stay = [item for item in others if _is_of_stay(item) and base != "admission"]
        rest = [item for item in others if item not in of_stay]
        if of_stay:
            yield self._in_stays(of_stay, column("t", "admission"), "admission")
        if base == "admission":
            linked = [item for item in rest if _is_record(item)]
            yield from (self._has_record(item, "t", "admission") for item in linked)
            rest = [item for item in rest if item not in linked]
        if rest:
            people = select(column("p", "patient")).from_(self._views.rows("patient", "p"))
            people = people.where(*self._of_patient(rest, "p"), copy=False)
            yield _in(column("t", "patient"), people)

    def _of_patient(self, conditions: Sequence[Condition], alias: str) -> Iterator[exp.Expr]:
        """Tests of a patient; those of one hospital stay are met by the same stay."""
        of_stay = [item for item in conditions if _is_of_stay(item)]
        linked = [
            item
            for item in conditions
            if of_stay and _is_record(item) and not item.is_negated and item.count is None
        ]
        if of_stay:
            yield self._in_stays([*of_stay, *linked], column(alias, "patient"), "patient")
        for item in conditions:
            if item not in of_stay and item not in linked:
                yield from self._of_one_patient(item, alias)

    def _in_stays(self, conditions: Sequence[Condition], key: exp.Expr, name: str) -> exp.Expr:
        tests: list[exp.Expr] = []
        for item in conditions:
            if _is_record(item):
                tests.append(self._has_record(item, "a", "admission"))
            else:
                tests += self._of_record(item, "a")
        stays = select(column("a", name)).from_(self._views.rows("admission", "a"))
        return _in(key, stays.where(*tests, copy=False))

    def _of_one_patient(self, condition: Condition, alias: str) -> Iterator[exp.Expr]:
        kind, is_negated = condition.kind, condition.is_negated
        if kind == "patient":
            test = _one_of(column(alias, "patient"), condition.values[0][1], numeric=True)
            yield _negated(test, is_negated)
        elif kind == "sex":
            ((_, (sex, *_)), *_) = condition.values
            (text, *_) = self._views.texts("patient", "sex", sex)
            yield _negated(column(alias, "sex").eq(exp.Literal.string(text)), is_negated)
        elif kind in ("death", "alive"):
            death = column(alias, "death")
            yield _is_null(death, (kind == "alive") != is_negated)
            yield from (self._during(period, death) for period in condition.periods)
        elif kind == "current":
            stays = self._views.rows("admission", "c")
            same = column("c", "patient").eq(column(alias, "patient"))
            yield _negated(
                _exists(stays, [same, _is_null(column("c", "finish"), True)]), is_negated
            )
        else:
            yield self._has_record(condition, alias, "patient")

    def _has_record(self, condition: Condition, alias: str, key: str) -> exp.Expr:
        tests = [column("e", key).eq(column(alias, key)), *self._of_record(condition, "e")]
        rows = self._views.rows(condition.kind, "e")
        if not condition.count:
            return _negated(_exists(rows, tests), condition.is_negated)
        counted: exp.Expr = exp.Star()
        if condition.kind in _KEYS:
            counted = exp.Distinct(expressions=[column("e", _KEYS[condition.kind])])
        number = select(exp.Count(this=counted)).from_(rows).where(*tests, copy=False)
        return bounded(number.subquery(copy=False), condition.count)

    def _of_record(self, condition: Condition, alias: str) -> Iterator[exp.Expr]:
        """Tests of a record, without negation of the records but with that of an attribute."""
        time, named = "time", []
        for role, texts in condition.values:
            if texts:
                named.append(self._named(role, texts, alias))
            else:
                time = role.column
                yield _is_null(column(alias, time), False)
        if named:
            either = exp.paren(exp.or_(*named)) if len(named) > 1 else named[0]
            yield _negated(either, condition.is_negated and _is_of_stay(condition))
        if condition.bounds:
            number = self._number(condition, alias)
            limits = [bounded(number.copy(), bound) for bound in condition.bounds]
            is_negated = condition.is_negated and condition.kind in _OF_STAY
            yield from [exp.not_(exp.and_(*limits))] if is_negated else limits
        for role, texts in condition.also:
            yield self._named(role, texts, alias)
        for period in condition.periods:
            yield self._during(period, column(alias, time))
        if condition.is_in_icu:
            yield self._in_icu(condition, alias)
        if condition.sequel:
            yield self._sequel(condition.sequel, alias)

    def _number(self, condition: Condition, alias: str) -> exp.Expr:
        if condition.kind == "length":
            return stay_length(self._views, alias)
        return column(alias, "age" if condition.kind == "age" else "value")

    def _sequel(self, sequel: Condition, alias: str) -> exp.Expr:
        """The test that the patient has a record before, or after, the one that it places."""
        is_earlier = exp.LT if sequel.order == "after" else exp.GT
        tests = [
            column("s", "patient").eq(column(alias, "patient")),
            is_earlier(this=column("s", "time"), expression=column(alias, "time")),
            *self._of_record(sequel, "s"),
        ]
        return _exists(self._views.rows(sequel.kind, "s"), tests)

    def _in_icu(self, condition: Condition, alias: str) -> exp.Expr:
        """The test of a record during an ICU stay; some records are of an ICU stay."""
        if self._views.has(condition.kind, "stay"):
            return _is_null(column(alias, "stay"), False)
        until = exp.LTE(this=column(alias, "time"), expression=column("i", "finish"))
        tests = [
            column("i", "admission").eq(column(alias, "admission")),
            exp.GTE(this=column(alias, "time"), expression=column("i", "time")),
            exp.paren(exp.or_(_is_null(column("i", "finish"), True), until)),
        ]
        return _exists(self._views.rows("icu", "i"), tests)

    def _during(self, period: Period, time: exp.Expr) -> exp.Expr:
        dialect = self._views.dialect
        sql = time_condition(period.filter, time.sql(dialect), dialect)
        test = _parsed(sql, dialect).copy()
        return exp.not_(exp.paren(test)) if period.is_negated else test

    def _named(self, role: Role, texts: Sequence[str], alias: str) -> exp.Expr:
        if tuple(texts) == DEATHS:
            texts = self._views.texts("admission", "destination", "dead")
        return _one_of(column(alias, role.column), texts, numeric=role.column in _NUMERIC)


def stay_length(views: Views, alias: str) -> exp.Expr:
    """The length of a stay in days."""
    return days_between(column(alias, "time"), column(alias, "finish"), views.dialect)


def bounded(number: exp.Expr, bound: Bound) -> exp.Expr:
    """The test of a number against a bound."""
    return _OPERATORS[bound.operator](this=number, expression=_literal(bound.number))


def _literal(number: float) -> exp.Expr:
    return exp.Literal.number(f"{number:g}")


def _is_of_row(condition: Condition, base: str) -> bool:
    """True if a record itself meets a condition, rather than its stay or its patient."""
    if condition.kind == base:
        return condition.count is None
    return (base == "admission" and condition.kind in _OF_STAY) or (
        base == "icu" and condition.kind == "length"
    )


def _is_record(condition: Condition) -> bool:
    """True if a condition on a stay is met by a record of that stay."""
    return condition.kind not in (*_OF_PATIENT, *_OF_STAY, "admission")


def _is_stay_number(condition: Condition) -> bool:
    return any(role.column == "stay" for role, _ in condition.values)


def _is_of_stay(condition: Condition) -> bool:
    """True for attributes of a hospital stay, such as an age or a marital status."""
    if condition.kind in _OF_STAY:
        return True
    return (
        condition.kind == "admission"
        and condition.count is None
        and (bool(condition.values) or bool(condition.periods))
    )


def _one_of(of: exp.Expr, texts: Sequence[str], *, numeric: bool) -> exp.Expr:
    listed = [
        exp.Literal.number(text) if numeric and text.isdigit() else exp.Literal.string(text)
        for text in texts
    ]
    if len(listed) == 1:
        return exp.EQ(this=of, expression=listed[0])
    return exp.In(this=of, expressions=listed)


def _is_null(of: exp.Expr, is_null: bool) -> exp.Expr:
    test = exp.Is(this=of.copy(), expression=exp.null())
    return test if is_null else exp.not_(test)


def _negated(test: exp.Expr, is_negated: bool) -> exp.Expr:
    return exp.not_(test) if is_negated else test


def _exists(rows: exp.Subquery, tests: Sequence[exp.Expr]) -> exp.Expr:
    found = select(exp.Literal.number(1)).from_(rows).where(*tests, copy=False)
    return exp.Exists(this=found)


def _in(of: exp.Expr, query: exp.Select) -> exp.Expr:
    return exp.In(this=of, query=query.subquery(copy=False))


@cache
def _parsed(sql: str, dialect: Dialect) -> exp.Expr:
    return parse_one(sql, read=dialect)
