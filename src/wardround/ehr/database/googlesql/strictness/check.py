"""Refuses, before a query runs here, what BigQuery would refuse."""

from pathlib import Path

from sqlglot import exp

from wardround.ehr.database.googlesql.charlson import CHARLSON, comorbidities
from wardround.ehr.database.googlesql.script import one_query
from wardround.ehr.database.googlesql.strictness import analyser
from wardround.ehr.database.googlesql.strictness.bigquery_rules import check_further
from wardround.ehr.database.googlesql.strictness.queries import Resolver
from wardround.ehr.database.googlesql.strictness.text import analysed_text
from wardround.ehr.database.googlesql.strictness.words import check_forms, check_words
from wardround.ehr.database.interface import QueryError

Columns = analyser.Columns


def check(sql: str, columns: Columns, module: Path | None = None) -> None:
    """Check one query, by GoogleSQL's own analyser or by sqlglot's syntax tree.

    Args:
        sql: The query, perhaps after DECLARE and SET.
        columns: The columns of each table, with BigQuery's types.
        module: The analyser's compiled module; None if it is not installed.

    Raises:
        QueryError: BigQuery would refuse it, or it cannot be parsed.
    """
    query = one_query(sql)
    check_further(query)
    every = {**columns, CHARLSON: columns.get(CHARLSON, _charlson())}
    if module is not None:
        analyser.check(analysed_text(sql, query), every, module)
    else:
        check_words(sql)
        check_forms(query)
        _resolve(query, every)


def _resolve(query: exp.Query, columns: Columns) -> None:
    try:
        Resolver(columns).output(query, {})
    except RecursionError as error:
        raise QueryError("The query is nested too deeply.", "limit") from error


def _charlson() -> dict[str, str]:
    flags = [each.name for each in comorbidities()]
    names = ["subject_id", "hadm_id", "age_score", *flags, "charlson_comorbidity_index"]
    return dict.fromkeys(names, "INT64")
