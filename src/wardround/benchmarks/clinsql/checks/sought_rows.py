"""The rows of vocabularies that a leaf wants a query to select: codes, items and drugs."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.probes import Rows
from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.sql_checks import Codes, Drugs, Items

SelectionCheck: TypeAlias = Codes | Items | Drugs
_EVENTS = (
    *("labevents", "chartevents", "procedureevents", "inputevents", "outputevents"),
    *("datetimeevents", "ingredientevents"),
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The codes, items and drugs of a database, each column as long as its neighbours."""

    diagnoses: Rows
    procedures: Rows
    items: Rows
    drugs: Rows


@dataclass(frozen=True, slots=True)
class SoughtRows:
    """The rows that a leaf wants.

    Attributes:
        rows: The vocabulary, with further rows that the queries name.
        names: The name of each row.
        wanted: The numbers of the wanted rows.
        scope: The numbers of the rows that the leaf is about.
        tables: The tables in which a query may select them.
    """

    rows: Rows
    names: Sequence[str]
    wanted: set[int]
    scope: set[int]
    tables: tuple[str, ...]


def sought_rows(check: SelectionCheck, v: Vocabulary, queries: Sequence[QueryFacts]) -> SoughtRows:
    """The rows that a leaf wants, among those of a vocabulary and those that queries name."""
    match check:
        case Codes():
            return _codes(check, v, queries)
        case Items():
            return _items(check, v, queries)
        case Drugs():
            return _drugs(check, v)


def _codes(check: Codes, v: Vocabulary, queries: Sequence[QueryFacts]) -> SoughtRows:
    of = v.procedures if check.table == "procedures_icd" else v.diagnoses
    texts = [*check.patterns, *(text for facts in queries for text in _texts(facts))]
    rows = _with_codes(check.table, of, texts)
    names = [f"{c} (ICD-{n})" for n, c in zip(rows["icd_version"], rows["icd_code"], strict=True)]
    fits = [_like(pattern) for pattern in check.patterns]
    scope = {
        row
        for row, version in enumerate(rows["icd_version"])
        if check.version in (None, version)
        and _is_code(check.table, rows["icd_code"][row], version)
    }
    wanted = {row for row in scope if any(fit(str(rows["icd_code"][row])) for fit in fits)}
    title = "d_icd_procedures" if check.table == "procedures_icd" else "d_icd_diagnoses"
    return SoughtRows(rows, names, wanted, scope, (check.table, title))


def _items(check: Items, v: Vocabulary, queries: Sequence[QueryFacts]) -> SoughtRows:
    numbers = {int(text) for facts in queries for text in _numbers(facts)} | set(check.ids)
    extra = sorted(numbers - {int(str(id)) for id in v.items["itemid"]})
    rows = {
        name: [*values, *(extra if name == "itemid" else [None] * len(extra))]
        for name, values in v.items.items()
    }
    wanted = {row for row, id in enumerate(rows["itemid"]) if id in check.ids}
    tables = (check.table,) if check.table else _EVENTS
    names = [str(id) for id in rows["itemid"]]
    return SoughtRows(
        rows, names, wanted, set(range(len(names))), (*tables, "d_items", "d_labitems")
    )


def _drugs(check: Drugs, v: Vocabulary) -> SoughtRows:
    names = sorted({*map(str, v.drugs["drug"]), *_drug_names(check.patterns)})
    fits = [_like(pattern.lower()) for pattern in check.patterns]
    wanted = {row for row, name in enumerate(names) if any(fit(name.lower()) for fit in fits)}
    return SoughtRows({"drug": names}, names, wanted, set(range(len(names))), ("prescriptions",))


def _with_codes(table: str, rows: Rows, texts: Iterable[str]) -> Rows:
    """The codes of a database and some around those that are named."""
    if any(" " in text for text in texts):
        return rows  # titles are matched, and made codes have none
    stems = {re.split(r"[%_\[(.]", text)[0] for text in texts} - {""}
    found = {(str(c), n) for c, n in zip(rows["icd_code"], rows["icd_version"], strict=True)}
    longer = {stem + end for stem in stems for end in ("", "0", "9", "10", "091")}
    longer |= {stem.ljust(7, end) for stem in stems for end in "0Z"}
    made = {(code, version) for code in longer for version in (9, 10)}
    extra = sorted((c, n) for c, n in made - found if _is_code(table, c, n))
    return {
        "icd_code": [*rows["icd_code"], *(code for code, _ in extra)],
        "icd_version": [*rows["icd_version"], *(version for _, version in extra)],
        "long_title": [*rows["long_title"], *("" for _ in extra)],
    }


# The form of a code by table and ICD version, as MIMIC stores it: without a dot.
_FORMS = {
    ("diagnoses_icd", 9): re.compile(r"\d{3,5}|V\d{2,4}|E\d{3,4}"),
    ("diagnoses_icd", 10): re.compile(r"[A-Z]\d[0-9A-Z]{1,5}"),
    ("procedures_icd", 9): re.compile(r"\d{2,4}"),
    ("procedures_icd", 10): re.compile(r"[0-9A-HJ-NP-Z]{7}"),
}


def _is_code(table: str, code: object, version: object) -> bool:
    """True if a code can be of an ICD version."""
    form = _FORMS.get((table, int(str(version))))
    return form is not None and form.fullmatch(str(code)) is not None


def _texts(facts: QueryFacts) -> list[str]:
    codes = [c for c in facts.conditions if c.reads("icd_code", "long_title")]
    return [re.sub(r"^\^|\$$", "", p) for c in codes for t in _strings(c) for p in _choices(t)]


def _strings(condition: Condition) -> list[str]:
    return [
        literal.name for literal in condition.expression.find_all(exp.Literal) if literal.is_string
    ]


def _choices(pattern: str) -> list[str]:
    """The alternatives of a pattern, as of a regular expression."""
    return [part for part in re.split(r"[|()^$]", pattern) if part]


def _numbers(facts: QueryFacts) -> list[str]:
    found = [c for c in facts.conditions if c.reads("itemid")]
    return [n.name for c in found for n in c.expression.find_all(exp.Literal) if n.is_int]


def _drug_names(patterns: Iterable[str]) -> list[str]:
    stems = [pattern.replace("%", " ").strip() for pattern in patterns]
    return [name for stem in stems for name in (stem.lower(), stem.title())]


def _like(pattern: str) -> Callable[[str], bool]:
    """A matcher of a LIKE pattern.

    >>> _like("I5_%")("I509"), _like("428")("4280")
    (True, False)
    """
    parts = {"%": ".*", "_": "."}
    matcher = re.compile("".join(parts.get(c, re.escape(c)) for c in pattern), re.DOTALL)
    return lambda text: matcher.fullmatch(text) is not None
