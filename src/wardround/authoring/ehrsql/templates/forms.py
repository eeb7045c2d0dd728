"""Renders the SQL of a question without its values, from a form of `sql/` and time templates.

Values are left as `VALUE(slot)`, times with values as `AT_TIME(slot, column)` and
`BETWEEN_TIMES(slot, column, column)`; `TIED(column)` breaks ties of rows with equal times.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from wardround.authoring.ehrsql.templates.records import (
    Absent,
    Column,
    Event,
    Records,
    Stays,
)
from wardround.authoring.ehrsql.templates.slot_choices import Operation
from wardround.authoring.ehrsql.templates.templates import QuestionTemplate
from wardround.ehr.records.record_tables import missing_text
from wardround.ehr.times import TimeFilter, TimeTemplate, row_choice, visit_choice
from wardround.ehr.times.model import Moment, Rank, SameVisit, Visit

if TYPE_CHECKING:
    from jinja2 import Environment

_FILES = ("one_patient.sql", "many_patients.sql", "events.sql")
# A condition that always holds; question_sql removes it.
_ALWAYS = "TRUE"
# Makers use several threads; the files are compiled once.
_COMPILING = Lock()


def form_sql(
    template: QuestionTemplate,
    records: Records,
    operations: Mapping[str, Operation],
    times: Mapping[str, TimeTemplate],
    vital_sign: str = "",
) -> str:
    """Renders a question's SQL in SQLite's dialect and the names of `records`, without values.

    Raises:
        MissingRecordsError: the records lack what the question needs.
    """
    variables = {
        **vars(records),
        "units_of_one_table": records.units_of_one_table,
        **{slot: operation.sql for slot, operation in operations.items()},
        "times": TimeSql(times, records.are_views),
        "sign": records.vital_signs.get(vital_sign, _no_sign(records)),
    }
    if template.event:
        variables["e"] = _event(records, template.event, template.named_by, vital_sign)
        then = template.then or template.event
        variables["f"] = _event(records, then, template.then_named_by, vital_sign)
    return rendered(template.form, variables)


@dataclass(frozen=True)
class TimeSql:
    """The SQL of a question's time templates, for forms.

    Attributes:
        templates: time templates by slot.
        are_days: True if times may be known to the day only.
    """

    templates: Mapping[str, TimeTemplate]
    are_days: bool = False

    @property
    def same_visit(self) -> bool:
        """True if two events must belong to the same hospital visit."""
        within = self.templates.get("within")
        return within is not None and isinstance(within.meaning, SameVisit)

    def condition(self, slot: str, column: Column | str) -> str:
        """Returns the time filter of a slot as a condition on a column."""
        template = self.templates.get(slot)
        if template is None or isinstance(template.meaning, Visit):
            return _ALWAYS
        return f"AT_TIME({slot}, {column})"

    def between(self, first: Column | str, second: Column | str, stay: Column) -> str:
        """Returns the `within` condition between two times; `stay` is the column of their stay."""
        if "within" not in self.templates:
            return _ALWAYS
        if self.same_visit:
            tables = (str(column).split(".")[0] for column in (first, second))
            return " = ".join(str(stay.of(table)) for table in tables)
        return f"BETWEEN_TIMES(within, {first}, {second})"

    def before(self, e: Event, f: Event) -> str:
        """Returns the condition that the event of table t1 is before that of table t2.

        Between kinds of record whose times may be days, `IS_BEFORE` leaves open whether
        the same day counts as before.
        """
        first, second = e.time.of("t1"), f.time.of("t2")
        if self.are_days and e.kind != f.kind:
            return f"IS_BEFORE({first}, {second})"
        return f"{first} < {second}"

    def visit(self, slot: str, stays: Stays, kind: str) -> str:
        """Returns the end of a select of stays that picks a slot's visit; "" if it has none."""
        template = self.templates.get(slot)
        if template is None or not isinstance(template.meaning, Visit):
            return ""
        if template.meaning.stay != kind:
            return ""
        start, end = str(stays.start), str(stays.end)
        where, order = visit_choice(TimeFilter(template), start, end, "sqlite")
        return f" AND {where} {order}"

    def exact(self, slot: str, column: Column, id: Column) -> str:
        """Returns the condition or order that picks the row of an exact time."""
        if isinstance(self.templates[slot].meaning, Moment):
            return f"AND AT_TIME({slot}, {column})"
        return self.ordered(slot, column, id)

    def ordered(self, slot: str, column: Column, id: Column | None = None) -> str:
        """Returns ORDER BY and LIMIT of an exact time that is a rank; `id` breaks ties."""
        template = self.templates.get(slot)
        if template is None or not isinstance(template.meaning, Rank):
            return ""
        order = row_choice(TimeFilter(template), str(column), "sqlite").order
        return order.replace(" LIMIT", f", TIED({id}) LIMIT") if id else order


def _event(records: Records, kind: str, named_by: str, vital_sign: str) -> Event:
    """The event with the question's slot for its name and the column of its vital sign."""
    event = records.events[kind]
    sign = records.vital_signs.get(vital_sign)
    columns = event.columns
    if sign and sign.column and "value" not in columns:
        columns = columns.having(value=Column(event.table, sign.column))
    return replace(event, slot=named_by or event.slot, columns=columns)


def _no_sign(records: Records) -> Any:
    return Absent(f"{missing_text(records.map, 'vital', 'normal range')}")


def rendered(form: str, variables: Mapping[str, Any]) -> str:
    """Renders a macro of `sql/`.

    Raises:
        jinja2.UndefinedError: a variable has no value.
    """
    with _COMPILING:
        file = next(file for file, forms in _forms_by_file().items() if form in forms)
    forms = _environment().get_template(file).make_module(dict(variables))
    return " ".join(getattr(forms, form)().split())


@cache
def _forms_by_file() -> Mapping[str, Collection[str]]:
    return {file: set(dir(_environment().get_template(file).module)) for file in _FILES}


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # SQL is not HTML, and values are inserted later, as literals.
    return Environment(
        loader=PackageLoader("wardround.authoring.ehrsql.templates", "sql"),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701
        auto_reload=False,
    )
