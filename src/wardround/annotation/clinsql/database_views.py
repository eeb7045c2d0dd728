"""Tables that annotators look at: query results, the schema, names of codes, a patient's record."""

from collections.abc import Iterator

from sqlglot import exp

from wardround.annotation.views import TableView
from wardround.benchmarks.clinsql.execution import Execution
from wardround.core.errors import UserError
from wardround.ehr.database import Database, QueryError

SHOWN_ROWS = 50
_FOUND_ROWS = 40
_DATASET = "`physionet-data.mimiciv_3_1_{}.{}`"
# The table, its columns, and the columns that are searched.
_LOOKUPS = {
    "diagnoses": ("hosp", "d_icd_diagnoses", ("icd_code", "icd_version", "long_title")),
    "procedures": ("hosp", "d_icd_procedures", ("icd_code", "icd_version", "long_title")),
    "labs": ("hosp", "d_labitems", ("itemid", "label", "fluid", "category")),
    "items": ("icu", "d_items", ("itemid", "label", "linksto", "category", "unitname")),
}
_RECORD = {
    "Patient": ("SELECT gender, anchor_age, anchor_year, dod FROM {hosp}patients` WHERE {who}"),
    "Admissions": (
        "SELECT hadm_id, admittime, dischtime, admission_type, insurance, hospital_expire_flag "
        "FROM {hosp}admissions` WHERE {who} ORDER BY admittime"
    ),
    "Diagnoses": (
        "SELECT d.hadm_id, d.seq_num, d.icd_version, d.icd_code, n.long_title "
        "FROM {hosp}diagnoses_icd` AS d LEFT JOIN {hosp}d_icd_diagnoses` AS n "
        "ON d.icd_code = n.icd_code AND d.icd_version = n.icd_version "
        "WHERE d.{who} ORDER BY d.hadm_id, d.seq_num"
    ),
    "Procedures": (
        "SELECT d.hadm_id, d.chartdate, d.icd_version, d.icd_code, n.long_title "
        "FROM {hosp}procedures_icd` AS d LEFT JOIN {hosp}d_icd_procedures` AS n "
        "ON d.icd_code = n.icd_code AND d.icd_version = n.icd_version "
        "WHERE d.{who} ORDER BY d.hadm_id, d.seq_num"
    ),
    "ICU stays": (
        "SELECT stay_id, hadm_id, first_careunit, intime, outtime, los "
        "FROM {icu}icustays` WHERE {who} ORDER BY intime"
    ),
    "Prescriptions": (
        "SELECT hadm_id, drug, starttime, stoptime FROM {hosp}prescriptions` "
        "WHERE {who} ORDER BY starttime"
    ),
}


def execution_view(title: str, execution: Execution) -> TableView:
    """The outcome of a query, its first rows."""
    if not execution.succeeded:
        return TableView(title, note=execution.error, failed=True)
    total = len(execution.rows)
    note = f"{total:,} rows; the first {SHOWN_ROWS} are shown." if total > SHOWN_ROWS else ""
    return TableView(
        title, execution.columns, execution.rows[:SHOWN_ROWS], note or ("" if total else "No rows.")
    )


def schema_views(database: Database) -> Iterator[TableView]:
    """The tables with the names and types of their columns."""
    for table, columns in sorted(database.columns_by_table().items()):
        yield TableView(table, ("column", "type"), [(each.name, each.type) for each in columns])


def look_up(database: Database, title: str, name: str, text: str) -> TableView:
    """Rows of a table of names in which each word of a text occurs.

    Raises:
        UserError: There is no such table, or the text is empty.
    """
    if name not in _LOOKUPS:
        raise UserError("There is no such list of names.")
    if not text.split():
        raise UserError("Write a word to look for.")
    dataset, table, columns = _LOOKUPS[name]
    spaced = ", ' ', ".join(f"CAST({column} AS STRING)" for column in columns)
    found = " AND ".join(
        f"STRPOS(LOWER(CONCAT({spaced})), {_literal(word.lower())}) > 0" for word in text.split()
    )
    sql = (
        f"SELECT {', '.join(columns)} FROM {_DATASET.format(dataset, table)} "  # noqa: S608
        f"WHERE {found} ORDER BY {columns[0]} LIMIT {_FOUND_ROWS}"
    )
    return _view(database, f"{title}: {text}", sql)


def record_views(database: Database, anchor: str) -> list[TableView]:
    """The record of a patient.

    Raises:
        UserError: The item names no patient.
    """
    if not anchor.strip().isdecimal():
        raise UserError("The item names no anchor patient; write the subject_id first.")
    names = {part: f"`physionet-data.mimiciv_3_1_{part}." for part in ("hosp", "icu")}
    who = f"subject_id = {int(anchor)}"
    return [_view(database, title, sql.format(**names, who=who)) for title, sql in _RECORD.items()]


def _view(database: Database, title: str, sql: str) -> TableView:
    try:
        result = database.execute(sql, rows=200, seconds=30)
    except QueryError as error:
        return TableView(title, note=str(error), failed=True)
    note = (
        "The first 200 rows are shown." if result.truncated else "" if result.rows else "No rows."
    )
    return TableView(title, result.columns, result.rows, note)


def _literal(text: str) -> str:
    return exp.Literal.string(text).sql("bigquery")
