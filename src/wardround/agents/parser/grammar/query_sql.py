"""Renders the logical form of a question as SQL over the views of the records."""

# Queries hold quoted texts, numbers, and names of columns from records.toml only.
# ruff: noqa: S608

from collections.abc import Sequence

from wardround.agents.parser.grammar.condition_sql import ConditionSql, length_sql
from wardround.agents.parser.grammar.query import Condition, Goal, Query
from wardround.agents.parser.grammar.records import Records
from wardround.ehr.database import quote_text
from wardround.ehr.times import Dialect

_KEYS = {"patient": "patient", "admission": "admission", "icu": "stay", "hospital": "hospital"}


def render_query(query: Query, records: Records, dialect: Dialect) -> str:
    """The SQL of a query, which leaves the current time open."""
    return _Renderer(records, dialect).render(query)


class _Renderer:
    def __init__(self, records: Records, dialect: Dialect) -> None:
        self._records = records
        self._dialect = dialect
        self._conditions = ConditionSql(records, dialect)

    def render(self, query: Query) -> str:
        goal, conditions = query.goal, query.conditions
        if goal.shape in ("share", "ratio"):
            part = self._of(goal, (*conditions, *query.part))
            scale = "100.0" if goal.shape == "share" else "1.0"
            return f"SELECT {scale} * ({part}) / ({self._of(goal, conditions)})"
        if goal.shape == "exists":
            return f"SELECT EXISTS ({self._select('t.patient', 'patient', conditions)})"
        if goal.shape == "top":
            return self._ranked(goal, conditions)
        if goal.per:
            return self._of_totals(goal, conditions)
        if goal.by:
            return self._grouped(goal, conditions)
        if goal.order and not goal.function:
            return f"{self._of(goal, conditions)} ORDER BY t.time {goal.order} LIMIT 1"
        return self._of(goal, conditions)

    def _ranked(self, goal: Goal, conditions: Sequence[Condition]) -> str:
        """The names, or numbers, with the most records or the largest total."""
        column, order = f"t.{goal.column or 'name'}", goal.order or "DESC"
        measure = f"{goal.function}(t.value)" if goal.function else self._counted(goal)
        place = f"DENSE_RANK() OVER (ORDER BY {measure} {order}) AS place"
        selected = f"{column} AS name, {place}"
        ranked = self._select(selected, self._base(goal), conditions, [f"{column} IS NOT NULL"])
        grouped = f"{ranked} GROUP BY {column}"
        return f"SELECT name FROM ({grouped}) r WHERE place <= {goal.top}"

    def _of_totals(self, goal: Goal, conditions: Sequence[Condition]) -> str:
        """A function of the total, or of the number, of records of each patient or stay."""
        total = "SUM(t.value)" if goal.column == "value" else self._counted(goal)
        column = f"t.{goal.per}"
        totals = self._select(f"{total} AS total", self._base(goal), conditions, self._own(goal))
        return f"SELECT {goal.function}(1.0 * total) FROM ({totals} GROUP BY {column}) r"

    def _grouped(self, goal: Goal, conditions: Sequence[Condition]) -> str:
        selected = self._selected(goal)
        if goal.by_person:
            people = f"({self._records.views['patient']}) g"
            column = f"(SELECT g.{goal.by} FROM {people} WHERE g.patient = t.patient)"
        else:
            column = f"t.{goal.by}"
        selected = f"{column} AS name, {selected}"
        return f"{self._select(selected, self._base(goal), conditions, self._own(goal))} GROUP BY 1"

    def _of(self, goal: Goal, conditions: Sequence[Condition]) -> str:
        return self._select(self._selected(goal), self._base(goal), conditions, self._own(goal))

    def _own(self, goal: Goal) -> list[str]:
        """The test of the kind of costs that are asked for."""
        charged = self._records.charges[goal.costs_of] if goal.costs_of else ""
        return [f"t.name = {quote_text(charged)}"] if charged else []

    def _base(self, goal: Goal) -> str:
        return goal.base or goal.of

    def _counted(self, goal: Goal) -> str:
        key = _KEYS.get(goal.of)
        return f"COUNT(DISTINCT t.{key})" if key else "COUNT(*)"

    def _selected(self, goal: Goal) -> str:
        if goal.shape in ("count", "share", "ratio"):
            return self._counted(goal)
        if goal.shape == "distinct":
            return f"COUNT(DISTINCT t.{_KEYS.get(goal.of, 'name')})"
        if goal.shape == "list":
            return "DISTINCT t.patient"
        if goal.shape == "names":
            return "DISTINCT t.name"
        if goal.shape == "span":
            return length_sql(self._dialect, "MIN(t.time)", "MAX(t.time)")
        column = f"t.{goal.column}"
        if goal.column in ("length", "hours"):
            column = length_sql(self._dialect, "t.time", "t.finish")
            column = f"(24 * {column})" if goal.column == "hours" else column
        if goal.function:
            return f"{goal.function}({column})"
        return column if goal.order else f"DISTINCT {column}"

    def _select(
        self, selected: str, base: str, conditions: Sequence[Condition], own: Sequence[str] = ()
    ) -> str:
        tests = [*own, *self._conditions.tests(base, conditions)]
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        return f"SELECT {selected} FROM ({self._records.views[base]}) t{where}"
