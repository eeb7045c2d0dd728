"""Synthetic hospitals on which queries are compared besides, built once for each user.

In a generated hospital nearly every stay has its patient's chronic diagnoses, its measurements lie
within it, and its year is the anchor year, so that many wrong queries give the gold's result. The
hospitals here are copies with irregular records.
"""

import hashlib
import math
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.queries.scopes import UnreadableQueryError, parsed
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold.result_comparison import (
    AskedForm,
    compared_result,
)
from wardround.benchmarks.clinsql.items.checks import Distinct, ExcludesNull
from wardround.benchmarks.kit.checks import Finding
from wardround.core.folders import build_once, cache_folder
from wardround.ehr.database import Cell
from wardround.ehr.hospital.default import COHORTS, content_version, default_cohort_hospital
from wardround.ehr.schema import load_schema

_SEED, _PATIENTS = 101, 200
_CHANGES = "irregular_records.sql"
# Errors of a query that was stopped: another run may end.
_STOPPED = ("timeout", "limit")


def cohort_hospitals(folder: Path | None = None, patients: int | None = None) -> tuple[Path, ...]:
    """Two irregular hospitals in MIMIC-IV's layout, the large one first; built on first use.

    The large one is the default hospital of questions about cohorts, changed; the small one has
    other people. Other processes wait meanwhile. Hospitals of other versions are removed.

    Args:
        folder: the cache folder; by default `wardround` in the user's.
        patients: people in each, instead of 1,000 and 200.
    """
    target = folder or cache_folder()
    changes = (files(__package__) / _CHANGES).read_text()
    version = hashlib.sha256(f"{content_version(COHORTS)} {changes}".encode()).hexdigest()[:12]
    size = "" if patients is None else f"-{patients}"
    large, small = (
        target / f"cohorts-{version}{size}-{name}.duckdb" for name in ("large", "small")
    )

    def build_large(path: Path) -> None:
        if patients is None:
            shutil.copyfile(default_cohort_hospital(target), path)
            make_irregular(path, changes)
        else:
            _build(path, changes, patients, seed=0)
        for old in target.glob("cohorts-*.duckdb"):
            if not old.name.startswith(f"cohorts-{version}-"):
                old.unlink(missing_ok=True)

    def build_small(path: Path) -> None:
        _build(path, changes, patients or _PATIENTS, _SEED)

    return build_once(large, build_large), build_once(small, build_small)


def _build(path: Path, changes: str, patients: int, seed: int) -> None:
    from wardround.ehr.hospital.build import build_hospital

    build_hospital(path, schema=COHORTS, patients=patients, seed=seed)
    make_irregular(path, changes)


def make_irregular(hospital: Path, changes: str) -> None:
    """Changes the records of a hospital in place."""
    import duckdb

    with closing(duckdb.connect(str(hospital))) as database:
        names = database.execute("SELECT index_name FROM duckdb_indexes()").fetchall()
        for (name,) in names:  # the changes are slow with them, and the queries read whole tables
            database.execute(f'DROP INDEX "{name}"')
        for statement in _statements(changes):
            database.execute(statement)


def _statements(changes: str) -> Iterator[str]:
    yield from (text for text in changes.split(";\n") if text.strip())


def compared_results(
    sql: str, gold: str, hospitals: Iterator[Executions], asked: AskedForm
) -> Finding:
    """The first difference of a query's result from the gold's; passed if there is none.

    Args:
        sql: the query.
        gold: the gold query.
        hospitals: the run's database, then the others, on each of which the gold's outcome is
            kept. A database on which the gold fails counts as passed.
        asked: what the question asks of the form of its result.
    """
    here = next(hospitals)
    if not here.of(gold).rows:
        return Finding("undecided", "the gold gives no row here")
    comparison = _compared(sql, gold, here, asked)
    for hospital in hospitals if comparison.state == "passed" else ():
        elsewhere = _compared(sql, gold, hospital, asked)
        if elsewhere.state != "passed":
            return Finding(elsewhere.state, f"{elsewhere.reason} on another hospital")
    return comparison


def _compared(sql: str, gold: str, hospital: Executions, asked: AskedForm) -> Finding:
    mine, wanted = hospital.of(sql), hospital.of(gold)
    if not wanted.succeeded:
        return Finding("passed", "the gold fails there")
    if mine.kind in _STOPPED:
        return Finding("undecided", "the query is stopped")
    if not mine.succeeded:
        return Finding("failed", f"the query fails ({mine.kind})")
    comparison = compared_result(_facts(mine), _facts(wanted), asked)
    if comparison.state == "failed" and asked.digits is not None:
        return _rounded_otherwise(sql, gold, hospital, asked) or comparison
    return comparison


def _rounded_otherwise(
    sql: str, gold: str, hospital: Executions, asked: AskedForm
) -> Finding | None:
    """Passed if values a unit apart are equal before they are rounded.

    Sums depend on the order of their terms; so do rounded sums near a rounding boundary.
    """
    mine, wanted = hospital.of(sql), hospital.of(gold)
    a_unit_apart = replace(asked, units=1.0)
    if compared_result(_facts(mine), _facts(wanted), a_unit_apart).state != "passed":
        return None
    before = [hospital.of(unrounded(query)) for query in (sql, gold)]
    if not all(each.succeeded for each in before):
        return None
    mine, wanted = before
    exact = compared_result(_facts(mine), _facts(wanted), replace(asked, digits=None))
    return exact if exact.state == "passed" else None


def unrounded(sql: str) -> str:
    """A query whose result is not rounded.

    >>> unrounded("SELECT ROUND(AVG(x), 2) AS mean FROM t")
    'SELECT AVG(x) AS mean FROM t'
    """
    try:
        query = parsed(sql).copy()
    except UnreadableQueryError:
        return sql
    for column in query.selects:
        for rounded in list(column.find_all(exp.Round)):
            rounded.replace(rounded.this)
    return query.sql("bigquery")


def _facts(result: Execution) -> ResultFacts:
    return ResultFacts(result.columns, result.rows)


def makes_no_difference(
    check: Distinct | ExcludesNull, sql: str, hospitals: Iterable[Executions]
) -> bool:
    """True if a query with the check's requirement gives the same result on all hospitals."""
    try:
        tree = parsed(sql).copy()
    except UnreadableQueryError:
        return False
    changed = _distinct(tree, check) if isinstance(check, Distinct) else _without(tree, check)
    if not changed:
        return False
    variant = tree.sql("bigquery")
    return all(_is_same(hospital.of(sql), hospital.of(variant)) for hospital in hospitals)


def _distinct(tree: exp.Expr, check: Distinct) -> bool:
    """Counts distinct values wherever the column, or else each row, is counted."""
    counts = [node for node in tree.find_all(exp.Count) if not isinstance(node.this, exp.Distinct)]
    of_column = [node for node in counts if _is_column(node.this, check.column)]
    for node in of_column or (count for count in counts if isinstance(count.this, exp.Star)):
        column = node.this if node in of_column else exp.column(check.column.lower())
        node.set("this", exp.Distinct(expressions=[column.copy()]))
    return bool(counts)


def _without(tree: exp.Expr, check: ExcludesNull) -> bool:
    """Reads, of each table that has the column, the rows with a value only."""
    column = check.column.lower()
    names = {
        t.name for t in load_schema("mimic_iv").tables if column in {c.name for c in t.columns}
    }
    tables = [table for table in tree.find_all(exp.Table) if table.name.split(".")[-1] in names]
    for table in tables:
        alias = table.alias_or_name.split(".")[-1]
        bare = table.copy()
        bare.set("alias", None)
        filled = exp.select("*").from_(bare).where(exp.column(column).is_(exp.null()).not_())
        table.replace(filled.subquery(alias))
    return bool(tables)


def _is_column(node: exp.Expr | None, name: str) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() == name.lower()


def _is_same(mine: Execution, variant: Execution) -> bool:
    if not (mine.succeeded and variant.succeeded) or len(mine.rows) != len(variant.rows):
        return False
    return any(
        all(map(_is_same_row, order(mine.rows), order(variant.rows))) for order in (list, _sorted)
    )


def _sorted(rows: Sequence[Sequence[Cell]]) -> list[Sequence[Cell]]:
    return sorted(rows, key=str)


def _is_same_row(row: Sequence[Cell], other: Sequence[Cell]) -> bool:
    return all(map(_is_same_cell, row, other))


def _is_same_cell(cell: Cell, other: Cell) -> bool:
    if isinstance(cell, float) and isinstance(other, float):
        return math.isclose(cell, other, rel_tol=1e-9)
    return cell == other
