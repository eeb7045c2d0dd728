"""A question template with its slots filled: the question in words, and its SQL."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from wardround.authoring.ehrsql.templates.dialects import in_dialect
from wardround.authoring.ehrsql.templates.forms import form_sql
from wardround.authoring.ehrsql.templates.grammar import by_slot, said_with
from wardround.authoring.ehrsql.templates.operations import Operation, all_operations
from wardround.authoring.ehrsql.templates.records import RELEASED
from wardround.authoring.ehrsql.templates.templates import QuestionTemplate, question_template
from wardround.ehr.schema import load_renaming
from wardround.ehr.times import (
    Dialect,
    TimeFilter,
    TimeTag,
    TimeTemplate,
    condition,
    pair_condition,
    template,
)
from wardround.ehr.times.model import Rank, SameVisit, Visit

Value = str | int | float
Ties = Literal["", "ASC", "DESC"]

_VALUE = re.compile(r"VALUE\((\w+)\)")
_AT = re.compile(r"AT_TIME\((\w+), ([\w.]+)\)")
_BETWEEN = re.compile(r"BETWEEN_TIMES\((\w+), ([\w.]+), ([\w.]+)\)")
_TIED = re.compile(r", TIED\(([\w.]+)\)(?: NULLS FIRST)?")
_GENDERS = {"f": "female", "m": "male"}
# Any template with values stands for all of its role while a query is put together.
_ANY = {"global": "abs-year-in", "within": "within-month", "exact": "exact-default"}


def question(
    asked: QuestionTemplate,
    values: Mapping[str, Value],
    operations: Mapping[str, str],
    times: TimeTag,
    wording: str = "",
) -> str:
    """The question in words.

    Args:
        asked: The question's template.
        values: The value of each of its value slots.
        operations: The name of the operation of each of its operation slots.
        times: Its time filters.
        wording: A paraphrase with the same slots, in place of the template's own wording.
    """
    chosen = {slot: all_operations()[slot][name].words for slot, name in operations.items()}
    said = {**values, **chosen}
    if "gender" in said:
        said["gender"] = _GENDERS.get(str(said["gender"]), said["gender"])
    return said_with(wording or asked.question, said, times)


def query(
    asked: QuestionTemplate,
    schema: str,
    values: Mapping[str, Value],
    operations: Mapping[str, str],
    times: TimeTag,
    dialect: Dialect = "sqlite",
    ties: Ties = "",
) -> str:
    """The question's SQL, which leaves the current time and normal ranges open.

    Where two rows have the exact time asked for, which of them counts is left to the engine, as
    in the published queries. With `ties` the rows' identifiers decide: a question is sound where
    both ways give the same answer.

    Raises:
        ValueError: If the schema cannot answer the question; with why not.
        KeyError: If a value is missing.
    """
    if reason := asked.why_not(schema):
        raise ValueError(f"{schema} cannot answer {asked.id}: {reason}")
    filters = by_slot(times)
    shapes = tuple((slot, _shape(filter)) for slot, filter in filters.items())
    sign = str(values.get("vital_name", ""))
    chosen = tuple(operations.items())
    open_query = _open_query(asked.id, schema, dialect, chosen, shapes, sign)
    sql = _TIED.sub(rf", \1 {ties}" if ties else "", open_query)
    sql = _AT.sub(lambda at: condition(filters[at[1]], at[2], dialect), sql)
    sql = _BETWEEN.sub(
        lambda pair: pair_condition(filters[pair[1]], pair[2], pair[3], dialect), sql
    )
    return _VALUE.sub(lambda value: _literal(values[value[1]]), sql)


@cache
def _open_query(
    id: str,
    schema: str,
    dialect: Dialect,
    operations: tuple[tuple[str, str], ...],
    shapes: tuple[tuple[str, str], ...],
    vital_sign: str,
) -> str:
    chosen: dict[str, Operation] = {slot: all_operations()[slot][name] for slot, name in operations}
    times = {slot: template(shape) for slot, shape in shapes}
    sql = form_sql(question_template(id), schema, chosen, times, vital_sign)
    return in_dialect(sql, dialect, None if schema == RELEASED else load_renaming(schema))


def _shape(filter: TimeFilter) -> str:
    """The template, or one that stands for all that are filled in the same way."""
    time: TimeTemplate = filter.template
    if isinstance(time.meaning, Visit | Rank | SameVisit):
        return time.id
    return _ANY[time.role]


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)
