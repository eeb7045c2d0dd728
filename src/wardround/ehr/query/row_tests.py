"""SQL tests of the conditions of a question, each on the records of its scope."""

from collections.abc import Iterator, Sequence

from sqlglot import exp, select

from wardround.ehr.query.expressions import (
    all_of,
    any_of,
    bounded,
    column,
    exists,
    in_query,
    negated,
    null_test,
)
from wardround.ehr.query.model import Condition, Scope
from wardround.ehr.query.record_tests import RecordTests, period_test
from wardround.ehr.records import Views

# The kind of record that a scope names; conditions on that kind are met by the stay itself.
_UNITS: dict[Scope, str] = {"stay": "icu", "admission": "admission", "patient": "patient"}
_KEYS = {"admission": "admission", "icu": "stay"}
_STATES = ("sex", "death", "alive", "current")


def row_tests(base: str, conditions: Sequence[Condition], views: Views) -> Iterator[exp.Expr]:
    """Tests of whether a record `t` of a kind meets all conditions, each in its scope.

    Raises:
        KeyError: The records do not tell the stay or patient of a condition, or who died.
    """
    tests = _Tests(views)
    for condition in conditions:
        if condition.scope == "record":
            yield from _either([tests.of_row(each, base) for each in _choices(condition)])
    for scope, kind in _UNITS.items():
        group = [condition for condition in conditions if condition.scope == scope]
        if not group:
            continue
        if base == kind:
            yield from tests.of_unit(group, "t", scope)
            continue
        numbers = [c for c in group if _is_number(c, scope) and base != "patient"]
        yield from (test for condition in numbers for test in tests.own_tests(condition, "t"))
        if others := [condition for condition in group if condition not in numbers]:
            yield tests.in_units(others, base, scope)


class _Tests:
    def __init__(self, views: Views) -> None:
        self._views = views
        self._records = RecordTests(views)

    def of_row(self, condition: Condition, base: str) -> list[exp.Expr]:
        """Tests of a record itself, or of the record that a cost is charged for."""
        if base != "cost" or condition.kind in (base, *_STATES):
            return self.own_tests(condition, "t")
        tests = self._records.all_tests(condition, "e", "patient")
        rows = self._views.rows(condition.kind, "e")
        charged = select(column("e", "record")).from_(rows, copy=False).where(*tests, copy=False)
        return [in_query(column("t", "event"), charged)]

    def in_units(self, conditions: Sequence[Condition], base: str, scope: Scope) -> exp.Expr:
        """The test of the stay or patient of a record, or of one stay of a patient."""
        kind = _UNITS[scope]
        alias = kind[0]
        key = scope if base != "patient" else "patient"
        if not self._views.has(base, key):
            raise KeyError(f"{base}.{key}")
        units = select(column(alias, key)).from_(self._views.rows(kind, alias), copy=False)
        units = units.where(*self.of_unit(conditions, alias, scope), copy=False)
        return in_query(column("t", key), units)

    def of_unit(
        self, conditions: Sequence[Condition], alias: str, scope: Scope
    ) -> Iterator[exp.Expr]:
        """Tests of a patient or stay, by itself or by its records."""
        for condition in conditions:
            choices = [self._of_unit(each, alias, scope) for each in _choices(condition)]
            yield from _either(choices)

    def _of_unit(self, condition: Condition, alias: str, scope: Scope) -> list[exp.Expr]:
        if condition.kind == "current" and scope == "patient":
            return [self._in_hospital(condition, alias)]
        is_own = condition.kind == _UNITS[scope] and condition.count is None
        if is_own or condition.kind in _STATES:
            return self.own_tests(condition, alias)
        return self._record(condition, alias, scope)

    def own_tests(self, condition: Condition, alias: str) -> list[exp.Expr]:
        """Tests of a record, stay or patient itself."""
        if condition.kind in _STATES:
            return list(self._state(condition, alias))
        tests = self._records.all_tests(condition, alias, "patient")
        if not condition.is_negated:
            return tests
        return [negated(all_of(tests), True) if tests else exp.false()]

    def _state(self, condition: Condition, alias: str) -> Iterator[exp.Expr]:
        """Tests of the sex or death of a patient, or of whether a stay goes on."""
        kind, is_negated = condition.kind, condition.is_negated
        if kind == "sex":
            yield from (
                negated(test, is_negated) for test in self._records.value_tests(condition, alias)
            )
        elif kind == "current":
            yield null_test(column(alias, "finish"), not is_negated)
        elif not self._views.has("patient", "death"):
            raise KeyError("patient.death")
        else:
            death = column(alias, "death")
            yield null_test(death, (kind == "alive") != is_negated)
            yield from (period_test(period, death, self._views) for period in condition.periods)

    def _in_hospital(self, condition: Condition, alias: str) -> exp.Expr:
        """The test that a stay of a patient goes on."""
        stays = self._views.rows("admission", "c")
        same = column("c", "patient").eq(column(alias, "patient"))
        open_stay = exists(stays, [same, null_test(column("c", "finish"), True)])
        return negated(open_stay, condition.is_negated)

    def _record(self, condition: Condition, alias: str, scope: Scope) -> list[exp.Expr]:
        same = column("e", scope).eq(column(alias, scope))
        rows = self._views.rows(condition.kind, "e")
        tests = [same, *self._records.all_tests(condition, "e", scope)]
        if condition.which == "total":
            total = exp.func("SUM", self._records.number(condition, "e"))
            summed = select(total).from_(rows, copy=False).where(*tests, copy=False)
            limits = list(self._records.limited(condition, summed.subquery(copy=False)))
            return [negated(all_of(limits), True)] if condition.is_negated else limits
        if not condition.count:
            return [negated(exists(rows, tests), condition.is_negated)]
        counted: exp.Expr = exp.Star()
        if condition.kind in _KEYS:
            counted = exp.Distinct(expressions=[column("e", _KEYS[condition.kind])])
        number = select(exp.Count(this=counted)).from_(rows, copy=False).where(*tests, copy=False)
        return [bounded(number.subquery(copy=False), condition.count)]


def _choices(condition: Condition) -> tuple[Condition, ...]:
    return (condition, *condition.alternatives)


def _either(choices: Sequence[list[exp.Expr]]) -> list[exp.Expr]:
    """The tests of the only choice, or the test that any choice is met."""
    if len(choices) == 1:
        return choices[0]
    return [any_of([all_of(tests) for tests in choices])]


def _is_number(condition: Condition, scope: Scope) -> bool:
    """True for the number of a patient or stay, which its records know."""
    plain = Condition(_UNITS[scope], condition.values, is_negated=condition.is_negated, scope=scope)
    return condition == plain and [role.column for role, _ in condition.values] == [scope]
