"""The SQL of a question: its form in a dialect, over records, with the question's values.

Forms are in SQLite's dialect, with three functions that each dialect spells differently:
`JULIAN_DAY`, `WHOLE_PERCENT` and `AS_NUMBER`.
"""

import re
from functools import cache
from typing import Literal

from sqlglot import exp, parse_one

from wardround.authoring.ehrsql.templates.forms import form_sql
from wardround.authoring.ehrsql.templates.question_text import Slots, Value, by_slot
from wardround.authoring.ehrsql.templates.records import Records
from wardround.authoring.ehrsql.templates.slot_choices import all_operations, time_choices
from wardround.authoring.ehrsql.templates.templates import (
    QuestionTemplate,
    all_question_templates,
    question_template,
)
from wardround.ehr.database import Dialect
from wardround.ehr.records.record_tables import MissingRecordsError, with_views
from wardround.ehr.schema.renamed_query import renamed
from wardround.ehr.times import TimeFilter, condition, pair_condition, template
from wardround.ehr.times.model import Rank, SameVisit, Visit

Ties = Literal["", "ASC", "DESC"]

_VALUE = re.compile(r"VALUE\((\w+)\)")
_AT = re.compile(r"AT_TIME\((\w+), ([\w.]+)\)")
_BETWEEN = re.compile(r"BETWEEN_TIMES\((\w+), ([\w.]+), ([\w.]+)\)")
_BEFORE = re.compile(r"IS_BEFORE\(([\w.]+), ([\w.]+)\)")
_TIED = re.compile(r", TIED\(([\w.]+)\)(?: NULLS FIRST)?")
# A representative time template of each role, so that open queries can be cached.
_ANY = {"global": "abs-year-in", "within": "within-month", "exact": "exact-default"}
# Placeholder for `current_time`, which sqlglot would parse as a function.
_NOW = "current_moment"
# sqlglot generates NOT … IS NULL.
_IS_NOT_NULL = re.compile(r"NOT ([\w.]+) IS NULL")
# Conditions that always hold, from pieces that the question does not use.
_ALWAYS = re.compile(r"\bTRUE AND ")
_ALWAYS_AT_END = re.compile(r" (?:AND|WHERE) TRUE\b")
_FUNCTIONS = {"JULIAN_DAY", "WHOLE_PERCENT", "AS_NUMBER"}
_AS_NUMBER: dict[Dialect, str] = {
    "duckdb": "COALESCE(TRY_CAST(REGEXP_EXTRACT({}, '^\\s*[0-9]+[.]?[0-9]*') AS DOUBLE), 0)",
    "postgres": "COALESCE(CAST(SUBSTRING({} FROM '^\\s*[0-9]+[.]?[0-9]*') AS DOUBLE PRECISION), 0)",
}
_JULIAN_DAY: dict[Dialect, str] = {
    "sqlite": "STRFTIME('%J', {})",
    "duckdb": "JULIAN(CAST({} AS TIMESTAMP))",
    "postgres": "EXTRACT(JULIAN FROM CAST({} AS TIMESTAMP))",
}


def query(
    question: QuestionTemplate,
    records: Records,
    slots: Slots,
    dialect: Dialect = "sqlite",
    ties: Ties = "",
) -> str:
    """Builds the question's SQL, with placeholders for the current time and normal ranges.

    Among rows with the same exact time the engine chooses, as in the published queries. With
    `ties` the rows' identifiers decide, and "before" may include the same time; a question is
    sound if both orders give the same result.

    Raises:
        MissingRecordsError: the records do not answer the question.
        KeyError: a value is missing.
    """
    if reason := _further_reason(question, records):
        raise MissingRecordsError(reason)
    filters = by_slot(slots.times)
    shapes = tuple((slot, _shape(filter)) for slot, filter in filters.items())
    sign = str(slots.values.get("vital_name", ""))
    chosen = tuple(slots.operations.items())
    open_query = _open_query(question.id, records, dialect, chosen, shapes, sign)
    sql = _TIED.sub(rf", \1 {ties}" if ties else "", open_query)
    sql = _BEFORE.sub(rf"\1 {'<=' if ties == 'DESC' else '<'} \2", sql)
    sql = _AT.sub(lambda at: condition(filters[at[1]], at[2], dialect), sql)
    sql = _BETWEEN.sub(
        lambda pair: pair_condition(filters[pair[1]], pair[2], pair[3], dialect), sql
    )
    return _VALUE.sub(lambda value: literal(slots.values[value[1]]), sql)


@cache
def why_not(question: QuestionTemplate, records: Records) -> str:
    """Returns the reason why records cannot answer a question; "" if they can."""
    operations = {slot: next(iter(all_operations()[slot].values())) for slot in question.operations}
    [times, *_] = time_choices(question.times)
    sign = next(iter(records.vital_signs), "")
    try:
        if reason := _further_reason(question, records):
            return reason
        in_dialect(form_sql(question, records, operations, times, sign), "sqlite", records)
    except MissingRecordsError as error:
        return str(error)
    return ""


@cache
def templates_for(records: Records) -> tuple[QuestionTemplate, ...]:
    """Returns the templates that records can answer."""
    return tuple(each for each in all_question_templates() if not why_not(each, records))


def _further_reason(question: QuestionTemplate, records: Records) -> str:
    """Returns the reason why records that have what a question reads cannot answer it."""
    of_others = question.absent.get("other", "") if records.are_views else ""
    return question.absent.get(records.map.layout, of_others)


def in_dialect(sql: str, dialect: Dialect, records: Records) -> str:
    """Transpiles the SQL of a form to a dialect and the names of the database.

    Raises:
        MissingRecordsError: it reads what the records lack.
    """
    tree = parse_one(_ALWAYS_AT_END.sub("", _ALWAYS.sub("", sql)), dialect="sqlite")
    if records.renaming:
        tree = renamed(tree, records.renaming)
    # Inner calls first: they are arguments of outer ones.
    for call in reversed(list(tree.find_all(exp.Anonymous))):
        if call.name.upper() in _FUNCTIONS:
            call.replace(parse_one(_spelled(call, dialect), dialect=dialect))
    if records.are_views:
        tree = with_views(tree, records.map, dialect)
    sql_text = tree.sql(dialect=dialect, copy=False)
    return _IS_NOT_NULL.sub(r"\1 IS NOT NULL", sql_text.replace(_NOW, "current_time"))


def literal(value: Value) -> str:
    """Formats a value as an SQL literal."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)


@cache
def _open_query(
    id: str,
    records: Records,
    dialect: Dialect,
    operations: tuple[tuple[str, str], ...],
    shapes: tuple[tuple[str, str], ...],
    vital_sign: str,
) -> str:
    chosen = {slot: all_operations()[slot][name] for slot, name in operations}
    times = {slot: template(shape) for slot, shape in shapes}
    sql = form_sql(question_template(id), records, chosen, times, vital_sign)
    return in_dialect(sql, dialect, records)


def _shape(filter: TimeFilter) -> str:
    """The id of the template, or of the representative whose SQL differs only in values."""
    of_rows = isinstance(filter.template.meaning, Visit | Rank | SameVisit)
    return filter.template.id if of_rows else _ANY[filter.template.role]


def _spelled(call: exp.Anonymous, dialect: Dialect) -> str:
    """A call of a form's function in a dialect."""
    arguments = [argument.sql(dialect=dialect) for argument in call.expressions]
    match call.name.upper():
        case "JULIAN_DAY":
            return _JULIAN_DAY[dialect].format(*arguments)
        case "WHOLE_PERCENT":
            divided = "//" if dialect == "duckdb" else "/"
            return f"{arguments[0]} * 100 {divided} {arguments[1]}"
        case _:
            return _AS_NUMBER.get(dialect, "{}").format(*arguments)
