"""Checks of codes, items and drugs, by the rows that a query's conditions select."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.probes import Rows
from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.selected_rows import selected_rows
from wardround.benchmarks.clinsql.checks.sql_checks import Codes, Drugs, Items

_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The codes, items and drugs of a database, each column as long as its neighbours."""

    diagnoses: Rows
    procedures: Rows
    items: Rows
    drugs: Rows


def decide_codes(
    check: Codes, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects the codes of the patterns, and no others than the gold does."""
    of = v.procedures if check.table == "procedures_icd" else v.diagnoses
    texts = [*check.patterns, *_texts(facts), *(_texts(gold) if gold else ())]
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
    return _compared(wanted, scope, names, rows, (check.table, title), facts, gold)


def decide_items(
    check: Items, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects the items, and no others than the gold does."""
    numbers = {int(text) for q in (facts, gold) if q for text in _numbers(q)} | set(check.ids)
    extra = sorted(numbers - {int(str(id)) for id in v.items["itemid"]})
    rows = {
        name: [*values, *(extra if name == "itemid" else [None] * len(extra))]
        for name, values in v.items.items()
    }
    wanted = {row for row, id in enumerate(rows["itemid"]) if id in check.ids}
    tables = (check.table,) if check.table else _EVENTS
    names = [str(id) for id in rows["itemid"]]
    scope = set(range(len(names)))
    return _compared(wanted, scope, names, rows, (*tables, "d_items", "d_labitems"), facts, gold)


def decide_drugs(
    check: Drugs, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects the drugs of the patterns, and no others than the gold does."""
    names = sorted({*map(str, v.drugs["drug"]), *_drug_names(check.patterns)})
    rows: Rows = {"drug": names}
    fits = [_like(pattern.lower()) for pattern in check.patterns]
    wanted = {row for row, name in enumerate(names) if any(fit(name.lower()) for fit in fits)}
    scope = set(range(len(names)))
    return _compared(wanted, scope, names, rows, ("prescriptions",), facts, gold)


_EVENTS = (
    *("labevents", "chartevents", "procedureevents", "inputevents", "outputevents"),
    *("datetimeevents", "ingredientevents"),
)


def _compared(
    wanted: set[int],
    scope: set[int],
    names: Sequence[str],
    rows: Rows,
    tables: tuple[str, ...],
    facts: QueryFacts,
    gold: QueryFacts | None,
) -> Finding:
    """Compares what a query selects with what a leaf wants, within the scope of the leaf."""
    if not wanted:
        return Finding("undecided", "the requirement selects nothing")
    found = selected_rows(facts, tables, rows)
    if not found.any:
        known = found.whole and not any(c.reads("_") for c in facts.conditions)
        return Finding("failed" if known else "undecided", f"nothing is selected in {tables[0]}")
    if not found.whole:
        return Finding("undecided", "a condition holds more than what is selected")
    kept = (found.rows or found.excluded) & scope
    if missing := wanted - kept:
        return Finding("failed", f"it does not select {_named(missing, names)}")
    allowed = selected_rows(gold, tables, rows) if gold else None
    more = kept - wanted - ((allowed.rows | allowed.excluded) if allowed else set())
    if more and allowed and not allowed.whole:
        return Finding("undecided", "the gold's selection cannot be computed")
    if more:
        return Finding("failed", f"it also selects {_named(more, names)}")
    return Finding("passed", f"it selects {_named(wanted, names)}")


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


def _named(rows: Iterable[int], names: Sequence[str]) -> str:
    found = sorted(names[row] for row in rows)
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return ", ".join(found[:_MOST_NAMED]) + more
