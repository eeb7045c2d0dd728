"""Renders the conditions of a question as SQL tests of rows of the views."""

# Tests hold quoted texts, numbers, and names of columns from records.toml only.
# ruff: noqa: S608

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.query import Bound, Condition, Period
from wardround.agents.parser.grammar.records import Records
from wardround.ehr.database import quote_text
from wardround.ehr.records import Role
from wardround.ehr.times import Dialect
from wardround.ehr.times import condition as time_condition

_OF_PATIENT = ("patient", "sex", "death", "alive", "current")
_STAYS = ("admission", "icu")
_OF_STAY = ("age", "length")
_NUMERIC = ("patient", "admission", "stay")


def length_sql(dialect: Dialect, start: str, end: str) -> str:
    """The days between two times."""
    if dialect == "sqlite":
        return f"(julianday({end}) - julianday({start}))"
    return f"(EXTRACT(EPOCH FROM ({end} - {start})) / 86400)"


class ConditionSql:
    """Renders conditions on the records of a layout."""

    def __init__(self, records: Records, dialect: Dialect) -> None:
        self._records = records
        self._dialect = dialect

    def tests(self, base: str, conditions: Sequence[Condition]) -> Iterator[str]:
        """Tests of a row `t` of a view."""
        own: list[Condition] = []
        of_person: list[Condition] = []
        for condition in conditions:
            is_own = condition.kind == base and condition.count is None
            is_age = condition.kind in _OF_STAY and base == "admission"
            is_age = is_age or (condition.kind == "length" and base == "icu")
            (own if is_own or is_age else of_person).append(condition)
        for condition in own:
            tests = self._row_tests(replace(condition, is_negated=False), "t")
            yield from [f"NOT ({' AND '.join(tests)})"] if condition.is_negated else tests
        for condition in [item for item in of_person if item.kind == "current" and base in _STAYS]:
            of_person.remove(condition)
            yield f"t.finish IS {'NOT ' if condition.is_negated else ''}NULL"
        for condition in [
            item for item in of_person if _is_stay_number(item) and base != "patient"
        ]:
            of_person.remove(condition)
            yield _one_of("t.stay", condition.values[0][1], numeric=True)
        if base == "patient":
            yield from self._patient_tests(of_person, "t")
            return
        of_stay = [item for item in of_person if _is_of_stay(item) and base != "admission"]
        rest = [item for item in of_person if item not in of_stay]
        if of_stay:
            yield self._in_stays(of_stay, "t.admission", "admission")
        if base == "admission":
            linked = [item for item in rest if self._is_record(item)]
            yield from (self._record_test(item, "t", "admission") for item in linked)
            rest = [item for item in rest if item not in linked]
        if rest:
            inner = " AND ".join(self._patient_tests(rest, "p"))
            people = f"SELECT p.patient FROM ({self._records.views['patient']}) p WHERE {inner}"
            yield f"t.patient IN ({people})"

    def _is_record(self, condition: Condition) -> bool:
        """True if a condition on a stay is met by a record of that stay."""
        return condition.kind not in (*_OF_PATIENT, *_OF_STAY, "admission")

    def _patient_tests(self, conditions: Sequence[Condition], alias: str) -> Iterator[str]:
        """Tests of a patient; those of one hospital stay are met by the same stay."""
        of_stay = [item for item in conditions if _is_of_stay(item)]
        linked = [
            item
            for item in conditions
            if of_stay and self._is_record(item) and not item.is_negated and item.count is None
        ]
        if of_stay:
            yield self._in_stays([*of_stay, *linked], f"{alias}.patient", "patient")
        for entry in conditions:
            if entry not in of_stay and entry not in linked:
                yield self._patient_test(entry, alias)

    def _in_stays(self, conditions: Sequence[Condition], key: str, column: str) -> str:
        tests = []
        for item in conditions:
            if self._is_record(item):
                tests.append(self._record_test(item, "a", "admission"))
            else:
                tests += self._row_tests(item, "a")
        admissions = f"({self._records.views['admission']}) a"
        return f"{key} IN (SELECT a.{column} FROM {admissions} WHERE {' AND '.join(tests)})"

    def _patient_test(self, condition: Condition, alias: str) -> str:
        word = "NOT " if condition.is_negated else ""
        if condition.kind == "patient":
            return word + _one_of(f"{alias}.patient", condition.values[0][1], numeric=True)
        if condition.kind == "sex":
            return (
                f"{word}{alias}.sex = {quote_text(self._records.sexes[condition.values[0][1][0]])}"
            )
        if condition.kind in ("death", "alive"):
            is_alive = (condition.kind == "alive") != condition.is_negated
            tests = [f"{alias}.death IS {'' if is_alive else 'NOT '}NULL"]
            tests += [self._during(period, f"{alias}.death") for period in condition.periods]
            return " AND ".join(tests)
        if condition.kind == "current":
            stays = f"SELECT 1 FROM ({self._records.views['admission']}) c"
            return f"{word}EXISTS ({stays} WHERE c.patient = {alias}.patient AND c.finish IS NULL)"
        return self._record_test(condition, alias, "patient")

    def _record_test(self, condition: Condition, alias: str, key: str) -> str:
        tests = [f"e.{key} = {alias}.{key}", *self._row_tests(condition, "e")]
        view = f"({self._records.views[condition.kind]}) e WHERE {' AND '.join(tests)}"
        if condition.count:
            counted = {"admission": "DISTINCT e.admission", "icu": "DISTINCT e.stay"}
            number = f"SELECT COUNT({counted.get(condition.kind, '*')}) FROM {view}"
            return f"({number}) {condition.count.operator} {condition.count.number:g}"
        return f"{'NOT ' if condition.is_negated else ''}EXISTS (SELECT 1 FROM {view})"

    def _row_tests(self, condition: Condition, alias: str) -> Iterator[str]:
        """Tests of a record, without negation of the records but with that of an attribute."""
        time = "time"
        named = []
        for role, texts in condition.values:
            if not texts:
                time = role.column
                yield f"{alias}.{role.column} IS NOT NULL"
                continue
            named.append(self._named(role, texts, alias))
        if named:
            either = f"({' OR '.join(named)})" if len(named) > 1 else named[0]
            yield f"NOT {either}" if condition.is_negated and _is_of_stay(condition) else either
        length = length_sql(self._dialect, f"{alias}.time", f"{alias}.finish")
        numbers = {"age": f"{alias}.age", "length": length}
        number = numbers.get(condition.kind, f"{alias}.value")
        limits = [_bounded(number, bound) for bound in condition.bounds]
        if limits:
            both = " AND ".join(limits)
            yield f"NOT ({both})" if condition.is_negated and condition.kind in _OF_STAY else both
        for role, texts in condition.also:
            yield self._named(role, texts, alias)
        for period in condition.periods:
            yield self._during(period, f"{alias}.{time}")
        if condition.is_in_icu:
            yield self._in_icu(condition, alias)
        if condition.sequel:
            yield self._sequel_test(condition.sequel, alias)

    def _sequel_test(self, sequel: Condition, alias: str) -> str:
        """The test that the patient has a record before, or after, the one that it places."""
        comparison = "<" if sequel.order == "after" else ">"
        same = [f"s.patient = {alias}.patient", f"s.time {comparison} {alias}.time"]
        tests = " AND ".join([*same, *self._row_tests(sequel, "s")])
        return f"EXISTS (SELECT 1 FROM ({self._records.views[sequel.kind]}) s WHERE {tests})"

    def _in_icu(self, condition: Condition, alias: str) -> str:
        """The test of a record during an ICU stay; some records are of an ICU stay."""
        if self._records.has(condition.kind, "stay"):
            return f"{alias}.stay IS NOT NULL"
        stays = f"({self._records.views['icu']}) i"
        since = f"i.admission = {alias}.admission AND {alias}.time >= i.time"
        until = f"(i.finish IS NULL OR {alias}.time <= i.finish)"
        return f"EXISTS (SELECT 1 FROM {stays} WHERE {since} AND {until})"

    def _during(self, period: Period, column: str) -> str:
        test = time_condition(period.filter, column, self._dialect)
        return f"NOT ({test})" if period.is_negated else test

    def _named(self, role: Role, texts: Sequence[str], alias: str) -> str:
        texts = self._records.deaths if tuple(texts) == ("<deaths>",) else texts
        return _one_of(f"{alias}.{role.column}", texts, numeric=role.column in _NUMERIC)


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


def _one_of(column: str, texts: Sequence[str], *, numeric: bool) -> str:
    listed = [text if numeric and text.isdigit() else quote_text(text) for text in texts]
    return f"{column} = {listed[0]}" if len(listed) == 1 else f"{column} IN ({', '.join(listed)})"


def _bounded(column: str, bound: Bound) -> str:
    return f"{column} {bound.operator} {bound.number:g}"
