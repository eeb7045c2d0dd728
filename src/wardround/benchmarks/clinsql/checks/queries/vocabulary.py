"""Codes, items and drugs of a database, and some beside them, on which conditions are tried."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.queries.probes import Rows, Value
from wardround.benchmarks.clinsql.execution import Executions
from wardround.ehr.database import Cell

_KEPT, _KEPT_VOCABULARIES = 512, 8
_ITEM = ("itemid", "label", "category")
_HOSP = "`physionet-data.mimiciv_3_1_hosp"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The codes, items and drugs of a database, each column as long as its neighbours."""

    diagnoses: Rows
    procedures: Rows
    items: Rows
    drugs: Rows


def vocabulary(records: Executions | None) -> Vocabulary:
    """The codes, items and drugs of a database, read once."""
    if records is None:
        return _EMPTY
    if records not in _VOCABULARIES:
        _VOCABULARIES[records] = _read(records)
    return _VOCABULARIES[records]


@lru_cache(_KEPT)
def made_codes(table: str, rows: Rows, texts: frozenset[str]) -> Rows:
    """Codes around those that are named, which the database may lack."""
    if any(" " in text for text in texts):
        return _code_rows([])  # titles are matched, and made codes have none
    stems = {re.split(r"[%_\[(.]", text)[0] for text in texts} - {""}
    longer = {stem + end for stem in stems for end in ("", "0", "9", "10", "091")}
    longer |= {stem.ljust(7, end) for stem in stems for end in "0Z"}
    made = {(code, version) for code in longer for version in (9, 10)}
    return _code_rows(sorted((c, n) for c, n in made - _known_codes(rows) if is_code(table, c, n)))


def _code_rows(codes: Sequence[tuple[str, int]]) -> Rows:
    return Rows(
        {
            "icd_code": [code for code, _ in codes],
            "icd_version": [version for _, version in codes],
            "long_title": [""] * len(codes),
        }
    )


@lru_cache(_KEPT_VOCABULARIES)
def _known_codes(rows: Rows) -> frozenset[tuple[str, Value]]:
    columns = rows.columns
    return frozenset(zip(map(str, columns["icd_code"]), columns["icd_version"], strict=True))


@lru_cache(_KEPT_VOCABULARIES)
def item_ids(rows: Rows) -> frozenset[int]:
    """The ids of a database's items."""
    return frozenset(int(str(id)) for id in rows.columns["itemid"])


@lru_cache(_KEPT)
def with_items(rows: Rows, extra: frozenset[int]) -> Rows:
    """The items of a database, and others without a label."""
    if not extra:
        return rows
    more = {name: sorted(extra) if name == "itemid" else [None] * len(extra) for name in _ITEM}
    return Rows({name: [*rows.columns[name], *more[name]] for name in _ITEM})


@lru_cache(_KEPT)
def made_drugs(rows: Rows, patterns: tuple[str, ...]) -> Rows:
    """The drugs that patterns name, where the database lacks them."""
    return Rows({"drug": sorted(set(_drug_names(patterns)) - set(map(str, rows.columns["drug"])))})


# The form of a code by table and ICD version, as MIMIC stores it: without a dot.
_FORMS = {
    ("diagnoses_icd", 9): re.compile(r"\d{3,5}|V\d{2,4}|E\d{3,4}"),
    ("diagnoses_icd", 10): re.compile(r"[A-Z]\d[0-9A-Z]{1,5}"),
    ("procedures_icd", 9): re.compile(r"\d{2,4}"),
    ("procedures_icd", 10): re.compile(r"[0-9A-HJ-NP-Z]{7}"),
}


def is_code(table: str, code: object, version: object) -> bool:
    """True if a code can be of an ICD version."""
    form = _FORMS.get((table, int(str(version))))
    return form is not None and form.fullmatch(str(code)) is not None


def _drug_names(patterns: Iterable[str]) -> list[str]:
    stems = [pattern.replace("%", " ").strip() for pattern in patterns]
    return [name for stem in stems for name in (stem.lower(), stem.title())]


def _read(records: Executions) -> Vocabulary:
    return Vocabulary(
        _codes(records, "diagnoses"),
        _codes(records, "procedures"),
        _columns(
            records,
            ("itemid", "label", "category"),
            "SELECT itemid, label, category FROM `physionet-data.mimiciv_3_1_icu.d_items` UNION ALL"
            " SELECT itemid, label, category FROM `physionet-data.mimiciv_3_1_hosp.d_labitems`",
        ),
        _columns(
            records,
            ("drug",),
            "SELECT DISTINCT drug FROM `physionet-data.mimiciv_3_1_hosp.prescriptions`"
            " WHERE drug IS NOT NULL",
        ),
    )


def _codes(records: Executions, name: str) -> Rows:
    titled, used = f"{_HOSP}.d_icd_{name}`", f"{_HOSP}.{name}_icd`"
    known = exp.select("icd_code", "icd_version", "long_title").from_(titled, dialect="bigquery")
    codes = exp.select("icd_code", "icd_version", "''").from_(used, dialect="bigquery").distinct()
    columns = ("icd_code", "icd_version", "long_title")
    return _columns(records, columns, known.union(codes).sql("bigquery"))


def _columns(records: Executions, names: tuple[str, ...], sql: str) -> Rows:
    rows = records.of(sql).rows
    return Rows({name: [_value(row[at]) for row in rows] for at, name in enumerate(names)})


def _value(cell: Cell) -> Value:
    return None if isinstance(cell, bytes) else cell


_EMPTY = Vocabulary(
    Rows({"icd_code": [], "icd_version": [], "long_title": []}),
    Rows({"icd_code": [], "icd_version": [], "long_title": []}),
    Rows({"itemid": [], "label": [], "category": []}),
    Rows({"drug": []}),
)
_VOCABULARIES: WeakKeyDictionary[Executions, Vocabulary] = WeakKeyDictionary()
