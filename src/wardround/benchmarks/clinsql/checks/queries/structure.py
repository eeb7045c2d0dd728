"""Checks of how a query is built: tables, join keys, groups, rounding and distinct values."""

from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import TypeAlias

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.queries.facts import QueryFacts
from wardround.benchmarks.clinsql.items.checks import Distinct, GroupBy, Join, Rounding, Tables
from wardround.benchmarks.clinsql.layouts import published_columns
from wardround.benchmarks.kit.checks import Finding

# A stay belongs to one admission and an admission to one patient.
_IMPLIED = {"stay_id": ("hadm_id", "subject_id"), "hadm_id": ("subject_id",)}
# An occurrence of a table, and one of its columns.
_Member: TypeAlias = tuple[str, str]


def decide_tables(check: Tables, facts: QueryFacts) -> Finding:
    """Passed if the query reads all tables."""
    missing = sorted({name.lower() for name in check.names} - set(facts.tables.values()))
    if missing:
        return Finding("failed", f"the query does not read {', '.join(missing)}")
    return Finding("passed", f"the query reads {', '.join(check.names)}")


def decide_join(check: Join, facts: QueryFacts, gold: QueryFacts | None) -> Finding:
    """Passed if the tables are connected by the keys, through CTEs and subqueries as well.

    If the gold joins a table by the key several times, the query must as well.
    """
    tables = {name.lower() for name in check.tables} or set(facts.tables.values())
    if missing := sorted(tables - set(facts.tables.values())):
        return Finding("failed", f"the query does not read {', '.join(missing)}")
    joined = _joined(facts)
    among = {key for a, b, key in joined if a in tables and b in tables}
    wanted = {key.lower() for key in check.keys} or among
    if not _connected(tables, {(a, b) for a, b, _ in joined}):
        opaque = facts.set_operation or facts.has_untraced
        return Finding(
            "undecided" if opaque or among else "failed", "the tables are not all connected by keys"
        )
    have = among | {key for finer in among for key in _IMPLIED.get(finer, ())}
    lacking = sorted(wanted - have)
    if lacking:
        return Finding("failed", f"the tables are not joined on {', '.join(lacking)}")
    if loose := sorted(name for name in tables if gold and _is_looser(name, wanted, facts, gold)):
        return Finding("failed", f"{', '.join(loose)} is joined a second time on a coarser key")
    if finer := [key for key in among - wanted if set(_IMPLIED.get(key, ())) & (wanted - among)]:
        return Finding("passed", f"the tables are joined on {finer[0]}, which implies the keys")
    return Finding("passed", f"the tables are joined on {', '.join(sorted(wanted))}")


def _is_looser(table: str, keys: AbstractSet[str], facts: QueryFacts, gold: QueryFacts) -> bool:
    """True if a join of the table that the gold makes by the keys is made by a coarser key."""
    fine, coarse = _occurrences(table, keys, facts)
    gold_fine, gold_coarse = _occurrences(table, keys, gold)
    return fine < gold_fine and coarse > gold_coarse


def _occurrences(table: str, keys: AbstractSet[str], facts: QueryFacts) -> tuple[int, int]:
    """Counts of a table's occurrences joined by keys or finer ones, and by coarser ones."""
    finer = {key for key, implied in _IMPLIED.items() if keys & set(implied)} | keys
    coarser = {key for finer_key in keys for key in _IMPLIED.get(finer_key, ())} - keys
    used: dict[str, set[str]] = {}
    for group in _groups(facts):
        for occurrence, key in group:
            used.setdefault(occurrence, set()).add(key)
    mine = [
        used.get(occurrence, set()) for occurrence, name in facts.tables.items() if name == table
    ]
    fine = [joined for joined in mine if joined & finer]
    return len(fine), sum(1 for joined in mine if joined & coarser and not joined & finer)


def _joined(facts: QueryFacts) -> set[tuple[str, str, str]]:
    """Triples of two tables and a key that is equal in both, directly or through others."""
    pairs = {tuple(sorted((x, y))) for group in _groups(facts) for x, y in combinations(group, 2)}
    joined = {(facts.tables.get(x[0], ""), facts.tables.get(y[0], ""), x[1]) for x, y in pairs}
    return joined | {(b, a, key) for a, b, key in joined}


def _groups(facts: QueryFacts) -> list[set[_Member]]:
    """Columns of the same name that are equal to each other."""
    keys: dict[_Member, set[_Member]] = {}
    for left, right in facts.equalities:
        a, b = (left.db, left.name), (right.db, right.name)
        if not a[0] or not b[0] or a[1] != b[1]:
            continue
        merged = keys.get(a, {a}) | keys.get(b, {b})
        for member in merged:
            keys[member] = merged
    return list({id(group): group for group in keys.values()}.values())


def _connected(tables: set[str], pairs: set[tuple[str, str]]) -> bool:
    reached, rest = {min(tables)}, True
    while rest:
        more = {b for a, b in pairs if a in reached} - reached
        reached |= more
        rest = bool(more)
    return tables <= reached


def decide_group(check: GroupBy, facts: QueryFacts) -> Finding:
    """Passed if the query groups by all columns, in one step or several."""
    grouped = {x.name for key in facts.groups for x in key.find_all(exp.Column)}
    grouped |= {k.name for s in facts.selects for k in _group_keys(s)}
    missing = sorted({name.lower() for name in check.columns} - grouped)
    if not missing:
        return Finding("passed", f"the query groups by {', '.join(check.columns)}")
    named = {name for s in facts.selects for name in s.named_selects}
    unclear = any(name not in named for name in missing) and bool(facts.groups)
    known = not facts.set_operation and not (
        unclear and not published_columns().issuperset(missing)
    )
    return Finding("failed" if known else "undecided", f"no group by {', '.join(missing)}")


def decide_rounding(check: Rounding, facts: QueryFacts, gold: QueryFacts | None) -> Finding:
    """Passed if the named column, or else each that the gold rounds, is rounded to so many places.

    Columns of the gold are found by name; one that is found under another name may be missed, but
    some column has to be rounded.
    """
    column = check.column.lower()
    outputs = {column: facts.output[column]} if column in facts.output else facts.output
    places = {name: _places(value) for name, value in outputs.items()}
    expected = {name for name, value in (gold.output if gold else {}).items() if _places(value)}
    unrounded = [name for name in places if name in expected and not places[name]]
    if any(check.digits in digits for digits in places.values()) and not unrounded:
        return Finding("passed", f"rounded to {check.digits} places")
    others = (exp.Format, exp.Cast, exp.Trunc)
    unclear = unrounded or [name for name in places if not places[name]]
    if not any(places.values()) or unrounded:
        if any(outputs[name].find(*others) for name in unclear):
            return Finding("undecided", "the result may be rounded in another way")
        return Finding("failed", f"{', '.join(unrounded) or 'nothing'} is not rounded")
    given = sorted(set().union(*places.values()))
    return Finding("failed", f"rounded to {given[0]} places")


def decide_distinct(check: Distinct, facts: QueryFacts) -> Finding:
    """Passed if distinct values of the column are counted or selected."""
    column, dedupes = check.column.lower(), False
    for select in facts.selects:
        dedupes |= bool(select.args.get("distinct") or select.args.get("group"))
        if select.args.get("distinct") and select.named_selects == [column]:
            return Finding("passed", f"distinct rows with {column} are selected")
    for value in facts.values:
        for distinct in value.find_all(exp.Distinct):
            if any(x.name == column for x in distinct.find_all(exp.Column)):
                return Finding("passed", f"distinct {column} are counted")
    alone = any([key.name for key in _group_keys(select)] == [column] for select in facts.selects)
    counts = [c.this.unnest() for value in facts.values for c in value.find_all(exp.Count)]
    if not alone and any(isinstance(of, exp.Column) and of.name == column for of in counts):
        return Finding("failed", f"{column} is counted, not its distinct values")
    if dedupes or any(select.find(exp.Window, exp.ApproxDistinct) for select in facts.selects):
        return Finding("undecided", f"rows may be unique by {column} in another way")
    return Finding("failed", f"{column} is not counted or selected as distinct")


def _group_keys(select: exp.Select) -> list[exp.Expr]:
    group = select.args.get("group")
    return [key for key in (group.expressions if group else ()) if isinstance(key, exp.Column)]


def _places(value: exp.Expr) -> set[int]:
    """The places to which a value, or a part of it, is rounded."""
    return {_digits(rounding) for rounding in value.find_all(exp.Round)}


def _digits(rounding: exp.Round) -> int:
    places = rounding.args.get("decimals")
    return int(places.name) if isinstance(places, exp.Literal) and places.is_int else 0
