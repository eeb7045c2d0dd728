"""Renders the logical form of a question as SQL over the views of the records."""

# Queries hold quoted texts, numbers, and names of columns from records.toml only.
# ruff: noqa: S608

from collections.abc import Iterator, Mapping, Sequence

from wardround.agents.parser.grammar.query import Bound, Condition, Goal, Period, Query
from wardround.agents.parser.grammar.records import Records, Role
from wardround.ehr.database import quote_text
from wardround.ehr.times import Dialect, condition

_OF_PATIENT = ("patient", "sex", "death", "alive", "current")
_STAYS = ("admission", "icu")
_OF_STAY = ("age", "length")
_EPOCH = "(EXTRACT(EPOCH FROM ({0}.finish - {0}.time)) / 86400)"
_LENGTHS: Mapping[Dialect, str] = {
    "sqlite": "(julianday({0}.finish) - julianday({0}.time))",
    "duckdb": _EPOCH,
    "postgres": _EPOCH,
}


def render_query(query: Query, records: Records, dialect: Dialect) -> str:
    """The SQL of a query, which leaves the current time open."""
    return _Renderer(records, dialect).render(query)


class _Renderer:
    def __init__(self, records: Records, dialect: Dialect) -> None:
        self._records = records
        self._dialect = dialect
        self._length = _LENGTHS[dialect]

    def render(self, query: Query) -> str:
        goal = query.goal
        if goal.shape in ("share", "ratio"):
            part = self._of(goal, (*query.conditions, *query.part))
            whole = self._of(goal, query.conditions)
            scale = "100.0" if goal.shape == "share" else "1.0"
            return f"SELECT {scale} * ({part}) / ({whole})"
        if goal.shape == "exists":
            patients = self._select(f"t.{self._key('person')}", "person", query.conditions)
            return f"SELECT EXISTS ({patients})"
        if goal.shape == "top":
            ranked = self._select(
                "t.name AS name, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS place",
                goal.of,
                query.conditions,
            )
            return f"SELECT name FROM ({ranked} GROUP BY t.name) WHERE place <= {goal.top}"
        if goal.order:
            return f"{self._of(goal, query.conditions)} ORDER BY t.time {goal.order} LIMIT 1"
        return self._of(goal, query.conditions)

    def _of(self, goal: Goal, conditions: Sequence[Condition]) -> str:
        return self._select(self._selected(goal), self._base(goal), conditions)

    def _base(self, goal: Goal) -> str:
        return "person" if goal.of == "patient" else goal.of

    def _selected(self, goal: Goal) -> str:
        key = {"patient": "patient", "admission": "admission", "icu": "stay"}.get(goal.of)
        if goal.shape in ("count", "share", "ratio"):
            return f"COUNT(DISTINCT t.{key})" if key else "COUNT(*)"
        if goal.shape == "distinct":
            return f"COUNT(DISTINCT t.{key or 'name'})"
        if goal.shape == "list":
            return "DISTINCT t.patient"
        if goal.shape == "names":
            return "DISTINCT t.name"
        column = self._length.format("t") if goal.column == "length" else f"t.{goal.column}"
        if goal.order:
            return column
        return f"{goal.function}({column})" if goal.function else f"DISTINCT {column}"

    def _key(self, base: str) -> str:
        return "patient" if base == "person" else "admission"

    def _select(self, selected: str, base: str, conditions: Sequence[Condition]) -> str:
        tests = list(self._tests(base, conditions))
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        return f"SELECT {selected} FROM ({self._records.views[base]}) t{where}"

    def _tests(self, base: str, conditions: Sequence[Condition]) -> Iterator[str]:
        """Tests of a row `t` of a view."""
        own: list[Condition] = []
        of_person: list[Condition] = []
        for one in conditions:
            is_own = one.kind == base and one.count is None and not one.is_negated
            is_age = one.kind in _OF_STAY and base == "admission"
            is_age = is_age or (one.kind == "length" and base == "icu")
            (own if is_own or is_age else of_person).append(one)
        for one in own:
            yield from self._row_tests(one, "t")
        for one in [item for item in of_person if item.kind == "current" and base in _STAYS]:
            of_person.remove(one)
            yield f"t.finish IS {'NOT ' if one.is_negated else ''}NULL"
        for one in [item for item in of_person if _is_stay_number(item) and base != "person"]:
            of_person.remove(one)
            yield _one_of("t.stay", one.values[0][1], numeric=True)
        if base == "person":
            yield from self._patient_tests(of_person, "t")
            return
        of_stay = [item for item in of_person if _is_of_stay(item) and base != "admission"]
        others = [item for item in of_person if item not in of_stay]
        if of_stay:
            yield self._in_stays(of_stay, "t.admission", "admission")
        if base == "admission":
            linked = [item for item in others if self._is_record(item)]
            yield from (self._record_test(item, "t", "admission") for item in linked)
            others = [item for item in others if item not in linked]
        if others:
            inner = " AND ".join(self._patient_tests(others, "p"))
            people = f"SELECT p.patient FROM ({self._records.views['person']}) p WHERE {inner}"
            yield f"t.patient IN ({people})"

    def _is_record(self, one: Condition) -> bool:
        """True if a condition on a stay is met by a record of that stay."""
        return one.kind not in (*_OF_PATIENT, *_OF_STAY, "admission")

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

    def _patient_test(self, one: Condition, alias: str) -> str:
        word = "NOT " if one.is_negated else ""
        if one.kind == "patient":
            return word + _one_of(f"{alias}.patient", one.values[0][1], numeric=True)
        if one.kind == "sex":
            return f"{word}{alias}.sex = {quote_text(self._records.sexes[one.values[0][1][0]])}"
        if one.kind in ("death", "alive"):
            is_alive = (one.kind == "alive") != one.is_negated
            tests = [f"{alias}.death IS {'' if is_alive else 'NOT '}NULL"]
            tests += [self._during(period, f"{alias}.death") for period in one.periods]
            return " AND ".join(tests)
        if one.kind == "current":
            stays = f"SELECT 1 FROM ({self._records.views['admission']}) c"
            return f"{word}EXISTS ({stays} WHERE c.patient = {alias}.patient AND c.finish IS NULL)"
        return self._record_test(one, alias, "patient")

    def _record_test(self, one: Condition, alias: str, key: str) -> str:
        tests = [f"e.{key} = {alias}.{key}", *self._row_tests(one, "e")]
        view = f"({self._records.views[one.kind]}) e WHERE {' AND '.join(tests)}"
        if one.count:
            counted = {"admission": "DISTINCT e.admission", "icu": "DISTINCT e.stay"}
            number = f"SELECT COUNT({counted.get(one.kind, '*')}) FROM {view}"
            return f"({number}) {one.count.operator} {one.count.number:g}"
        return f"{'NOT ' if one.is_negated else ''}EXISTS (SELECT 1 FROM {view})"

    def _row_tests(self, one: Condition, alias: str) -> Iterator[str]:
        """Tests of a record, without negation of the records but with that of an attribute."""
        time = "time"
        named = []
        for role, texts in one.values:
            if not texts:
                time = role.column
                yield f"{alias}.{role.column} IS NOT NULL"
                continue
            named.append(self._named(role, texts, alias))
        if named:
            either = f"({' OR '.join(named)})" if len(named) > 1 else named[0]
            yield f"NOT {either}" if one.is_negated and _is_of_stay(one) else either
        numbers = {"age": f"{alias}.age", "length": self._length.format(alias)}
        number = numbers.get(one.kind, f"{alias}.value")
        limits = [_bounded(number, bound) for bound in one.bounds]
        if limits:
            both = " AND ".join(limits)
            yield f"NOT ({both})" if one.is_negated and one.kind in _OF_STAY else both
        for role, texts in one.also:
            yield self._named(role, texts, alias)
        for period in one.periods:
            yield self._during(period, f"{alias}.{time}")

    def _during(self, period: Period, column: str) -> str:
        test = condition(period.filter, column, self._dialect)
        return f"NOT ({test})" if period.is_negated else test

    def _named(self, role: Role, texts: Sequence[str], alias: str) -> str:
        texts = self._records.deaths if tuple(texts) == ("<deaths>",) else texts
        return _one_of(f"{alias}.{role.column}", texts, numeric=role.column in _NUMERIC)


_NUMERIC = ("patient", "admission", "stay")


def _is_stay_number(one: Condition) -> bool:
    return any(role.column == "stay" for role, _ in one.values)


def _is_of_stay(one: Condition) -> bool:
    """True for attributes of a hospital stay, such as an age or a marital status."""
    if one.kind in _OF_STAY:
        return True
    return one.kind == "admission" and one.count is None and (bool(one.values) or bool(one.periods))


def _one_of(column: str, texts: Sequence[str], *, numeric: bool) -> str:
    listed = [text if numeric and text.isdigit() else quote_text(text) for text in texts]
    return f"{column} = {listed[0]}" if len(listed) == 1 else f"{column} IN ({', '.join(listed)})"


def _bounded(column: str, bound: Bound) -> str:
    return f"{column} {bound.operator} {bound.number:g}"
