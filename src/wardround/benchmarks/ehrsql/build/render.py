"""A question template with its slots filled: the question in words, and its SQL."""

import re
from collections.abc import Mapping
from functools import cache

from wardround.benchmarks.ehrsql.build.dialects import in_dialect
from wardround.benchmarks.ehrsql.build.forms import form_sql
from wardround.benchmarks.ehrsql.build.grammar import in_tense, is_over, with_article
from wardround.benchmarks.ehrsql.build.operations import Operation, all_operations
from wardround.benchmarks.ehrsql.build.pieces import Ties, Times
from wardround.benchmarks.ehrsql.build.records import RELEASED
from wardround.benchmarks.ehrsql.build.templates import QuestionTemplate, question_template
from wardround.ehr.schema import load_renaming
from wardround.ehr.times import (
    Dialect,
    TimeFilter,
    TimeTag,
    TimeTemplate,
    condition,
    condition_between,
    template,
    worded,
)
from wardround.ehr.times.model import Moment, Rank, SameVisit, Visit

Value = str | int | float

_SLOT = re.compile(r"\{(a:)?(\w+)\}")
_VALUE = re.compile(r"VALUE\((\w+)\)")
_AT = re.compile(r"AT_TIME\((\w+), ([\w.]+)\)")
_BETWEEN = re.compile(r"BETWEEN_TIMES\((\w+), ([\w.]+), ([\w.]+)\)")
# Any template with values stands for all of its role while a query is put together.
_ANY = {"global": "abs-year-in", "within": "within-month", "exact": "exact-default"}
_SLOTS = ("global1", "global2", "within", "exact1", "exact2")


def question(
    asked: QuestionTemplate,
    values: Mapping[str, Value],
    operations: Mapping[str, str],
    times: TimeTag,
    wording: str = "",
) -> str:
    """The question in words.

    Args:
        asked: What kind of question it is.
        values: The value of each of its value slots.
        operations: The name of the operation of each of its operation slots.
        times: Its time filters.
        wording: A paraphrase with the same slots, in place of the template's own wording.
    """
    chosen = {slot: all_operations()[slot][name].words for slot, name in operations.items()}
    filters = _by_slot(times)
    said = {slot: str(value) for slot, value in values.items()} | chosen
    said |= {slot: worded(filter) for slot, filter in filters.items()}
    said |= _moments(filters)
    over = is_over(times.global1.template if times.global1 else None)
    text = in_tense(wording or asked.question, over)
    return _tidy(_SLOT.sub(lambda slot: _said(slot, said), text))


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
        KeyError: If the schema has not what the question is about, or a value is missing.
    """
    filters = _by_slot(times)
    shapes = tuple((slot, _shape(filter)) for slot, filter in filters.items())
    sign = str(values.get("vital_name", ""))
    chosen = tuple(operations.items())
    open_query = _open_query(asked.id, schema, dialect, chosen, shapes, sign, ties)
    sql = _AT.sub(lambda at: condition(filters[at[1]], at[2], dialect), open_query)
    sql = _BETWEEN.sub(
        lambda pair: condition_between(filters[pair[1]], pair[2], pair[3], dialect), sql
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
    ties: Ties,
) -> str:
    chosen: dict[str, Operation] = {slot: all_operations()[slot][name] for slot, name in operations}
    times: Times = {slot: template(shape) for slot, shape in shapes}
    sql = form_sql(question_template(id), schema, chosen, times, vital_sign, ties)
    return in_dialect(sql, dialect, None if schema == RELEASED else load_renaming(schema))


def _shape(filter: TimeFilter) -> str:
    """The template, or one that stands for all that are filled in the same way."""
    time: TimeTemplate = filter.template
    if isinstance(time.meaning, Visit | Rank | SameVisit):
        return time.id
    return _ANY[time.role]


def _by_slot(times: TimeTag) -> dict[str, TimeFilter]:
    return {slot: filter for slot, filter in zip(_SLOTS, times.filters, strict=True) if filter}


def _moments(filters: Mapping[str, TimeFilter]) -> dict[str, str]:
    """Two values at exact times: "last measured on …", "first value measured on …"."""
    if "exact2" not in filters:
        return {}
    return {
        "moment2": _measured(filters["exact2"], filters.get("global2"), "measured"),
        "value1": _measured(filters["exact1"], filters.get("global1"), "value measured"),
    }


def _measured(exact: TimeFilter, visit: TimeFilter | None, measured: str) -> str:
    when = worded(exact)
    if isinstance(exact.template.meaning, Moment):
        return f"{measured} {when}"
    return f"{when} {measured} {worded(visit) if visit else ''}".rstrip()


def _said(slot: re.Match[str], said: Mapping[str, str]) -> str:
    text = said.get(slot[2], "")
    return with_article(text) if slot[1] else text


def _tidy(text: str) -> str:
    """Without the gaps that empty slots leave."""
    return re.sub(r" (?=[?.,])", "", re.sub(r" {2,}", " ", text)).strip()


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value)
