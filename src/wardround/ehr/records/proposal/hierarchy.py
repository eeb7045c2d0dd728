"""The keys of patients, admissions and stays, and the joins that lead to them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.ehr.database import Database
from wardround.ehr.records.proposal.evidence import Evidence, weakest
from wardround.ehr.records.proposal.facts import (
    Column,
    ColumnFacts,
    Facts,
    TableFacts,
    filled_pairs,
)
from wardround.ehr.records.proposal.keys import Reference
from wardround.ehr.records.proposal.probes import Dependency, dependency
from wardround.ehr.records.proposal.values import name_evidence, named, sexes, value_roles

Level: TypeAlias = Literal["patient", "admission", "visit", "icu", "transfer"]

KEY_OF: dict[Level, str] = {
    "patient": "patient",
    "admission": "admission",
    "visit": "visit",
    "icu": "stay",
    "transfer": "stay",
}


@dataclass(frozen=True, slots=True)
class LevelKey:
    """A key of patients or stays, and the table that has their facts.

    Attributes:
        unique: True if the table has a row for each.
    """

    level: Level
    column: Column
    unique: bool
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Join:
    """A step from a table to another: this column equals that key."""

    column: Column
    target: Column


@dataclass(frozen=True, slots=True)
class Path:
    """A way from a table's rows to a level's key: joins, then the column that holds it."""

    joins: tuple[Join, ...]
    column: Column
    evidence: Evidence


def find_levels(
    database: Database, facts: Facts, unique: Sequence[Column], links: Sequence[Reference]
) -> list[LevelKey]:
    """The keys of patients, admissions and stays, patients first; empty if nobody is found.

    A sex belongs to one person: in a table with sexes the patient is the coarsest key that decides
    it. Keys between that and the table's own are stays, by functional dependencies.
    """
    candidates = [
        levels for table in facts.values() if (levels := _levels_in(database, table, unique, links))
    ]
    if not candidates:
        return []
    people = max(candidates, key=lambda levels: _reach(levels, links, facts))
    return [*people, *_stays_of(facts, people, unique, links)]


def _reach(levels: Sequence[LevelKey], links: Sequence[Reference], facts: Facts) -> tuple[int, int]:
    """The tables that refer to these keys, and the rows of the table that has them."""
    keys = {level.column for level in levels}
    referring = {link.column.table for link in links if link.target in keys}
    return len(referring), facts[levels[0].column.table].rows


def _levels_in(
    database: Database,
    table: TableFacts,
    unique: Sequence[Column],
    links: Sequence[Reference],
) -> list[LevelKey]:
    sexed = [c for c in table.of_type("text") if c.filled > 0.3 and sexes(c.texts)]
    key = _own_key(table, unique, links)
    if not sexed or key is None:
        return []
    sex = sexed[0].column.name
    ids = [c for c in _identifiers(table) if c.column != key]
    seen = {c.column: dependency(database, c, sexed[0]) for c in ids}
    chain = _chain(database, [c for c in ids if seen[c.column].holds])
    if not chain:
        text = f"each has one {sex}"
        about = [*_key_evidence(key, links), ("values", text), *name_evidence(key.name, "patient")]
        return [LevelKey("patient", key, True, tuple(about))]
    steps = [*chain[:2], key]
    levels: list[Level] = ["patient", "admission", "icu"]
    if len(steps) == 2:
        levels = ["patient", _level_of(table, inner=False)]
    return [
        LevelKey(
            level,
            column,
            column == key,
            (
                *_step_evidence(steps, at, sex, seen[chain[0]]),
                *_key_evidence(column, links),
                *name_evidence(column.name, level),
            ),
        )
        for at, (level, column) in enumerate(zip(levels, steps, strict=True))
    ]


def _step_evidence(steps: Sequence[Column], at: int, sex: str, of_one: Dependency) -> Evidence:
    """The evidence for a key from its neighbours among keys that decide one another."""
    if at:
        decided = f"decides {steps[at - 1].name}, and is not decided by it"
        return (("values", f"has one {sex} each"), ("dependency", decided))
    rows = f"{of_one.groups} with several rows, {of_one.broken} with two"
    about: Evidence = (("values", f"has one {sex} each: {rows}"),)
    if len(steps) == 2:
        return about
    return (*about, ("dependency", f"is decided by {steps[1].name}, and decides it not"))


def _own_key(
    table: TableFacts, unique: Sequence[Column], links: Sequence[Reference]
) -> Column | None:
    """The key of a table's rows: of several the one that others refer to most."""
    keys = [column for column in unique if column.table == table.name]
    return max(keys, key=lambda c: sum(e.target == c for e in links), default=None)


def _identifiers(table: TableFacts) -> list[ColumnFacts]:
    """The columns that could be keys of groups of rows: many different integers or short texts."""
    columns = table.of_type("integer", "text")
    return [each for each in columns if each.filled > 0.95 and _looks_like_id(each)]


def _looks_like_id(column: ColumnFacts) -> bool:
    has_many_values = len(column.distinct) >= max(8, 0.05 * len(column.values))
    if column.type == "text":
        digits = sum(bool(re.search(r"\d", text)) for text in column.texts)
        plain = all(
            len(text) <= 40 and " " not in text and ":" not in text for text in column.texts
        )
        return has_many_values and plain and digits > 0.95 * len(column.texts)
    return has_many_values and min(column.numbers) >= 0


def _chain(database: Database, columns: Sequence[ColumnFacts]) -> list[Column]:
    """The columns that decide one another, coarsest first."""
    chain: list[ColumnFacts] = []
    for column in sorted(columns, key=lambda c: (len(c.distinct), c.type == "text")):
        if chain and not dependency(database, column, chain[-1]).holds:
            continue
        if not chain or not dependency(database, chain[-1], column).holds:
            chain.append(column)
    return [column.column for column in chain]


def _stays_of(
    facts: Facts,
    people: Sequence[LevelKey],
    unique: Sequence[Column],
    links: Sequence[Reference],
) -> Iterator[LevelKey]:
    """The stays of patients that have a table of their own: a key, a patient and two times."""
    patient = people[0]
    if not patient.unique:
        return
    targets = {each.target for each in links}
    tables = {e.column.table for e in links if e.target == patient.column}
    stays = [
        (table, key)
        for table in (facts[name] for name in sorted(tables))
        if (key := _own_key(table, unique, links)) and _spans(table)
        if key in targets
        or any(named(table.name, level) for level in ("admission", "visit", "icu"))
    ]
    inner = {
        e.column.table
        for e in links
        if e.target in {key for _, key in stays} and e.column.table in {t.name for t, _ in stays}
    }
    outer = [(t, key) for t, key in stays if t.name not in inner]
    outer.sort(key=lambda each: -sum(e.target == each[1] for e in links))
    listed = [*outer[:1], *((t, key) for t, key in stays if t.name in inner)]
    for table, key in listed:
        level = _level_of(table, table.name in inner)
        about = [*_key_evidence(key, links), ("times", "its rows begin and end")]
        about += [*name_evidence(key.name, level), *name_evidence(table.name, level)]
        yield LevelKey(level, key, True, tuple(about))


def _spans(table: TableFacts) -> bool:
    """True if two of a table's times are in order in nearly all rows."""
    times = table.of_type("time")
    return any(in_order(a, b) > 0.95 for a in times for b in times if a is not b)


def in_order(first: ColumnFacts, second: ColumnFacts) -> float:
    """The share of rows in which one column's cell is not after the other's; 0 if never both."""
    pairs = filled_pairs(first, second)
    if len(pairs) < 5:
        return 0.0
    return sum(_comparable(a) <= _comparable(b) for a, b in pairs) / len(pairs)


def _comparable(cell: object) -> tuple[float, str]:
    """A cell for comparison; a day begins at midnight."""
    if isinstance(cell, int | float):
        return (float(cell), "")
    text = str(cell).replace("T", " ")
    return (0.0, text if len(text) > 10 else f"{text} 00:00:00")


def _level_of(table: TableFacts, inner: bool) -> Level:
    """The level of a table of stays: by its wards, their lengths and their place."""
    roles = [value_roles(column) for column in table.of_type("text")]
    if any(each.get("intensive", 0) > 0.9 for each in roles):
        return "icu"
    if inner:
        return "icu" if any("intensive" in each for each in roles) else "transfer"
    times = table.of_type("time")
    lengths = [
        sum(str(a)[:10] < str(b)[:10] for a, b in filled_pairs(x, y)) / max(len(x.cells), 1)
        for x in times
        for y in times
        if x is not y and in_order(x, y) > 0.95
    ]
    is_short = bool(lengths) and max(lengths) < 0.3
    return "visit" if is_short else "admission"


def _key_evidence(column: Column, links: Sequence[Reference]) -> Evidence:
    referring = {each.column.table for each in links if each.target == column}
    if not referring:
        return ()
    return (("containment", f"{len(referring)} tables refer to it"),)


def paths(
    table: str,
    levels: Sequence[LevelKey],
    links: Sequence[Reference],
    passed: frozenset[str] = frozenset(),
) -> dict[str, Path]:
    """The ways from the rows of a table to the keys of patients and stays, by column of the map.

    The table's own columns are taken where it has them, else those of the table of a stay.

    Args:
        table: The table.
        levels: The keys of patients and stays.
        links: All references.
        passed: Tables on the way, which stays that refer to each other would come back to.
    """
    ways: dict[str, Path] = {}
    by_key = {level.column: level for level in levels}
    for level in levels:
        if level.column.table == table:
            ways.setdefault(KEY_OF[level.level], Path((), level.column, level.evidence))
    for each in links:
        if each.column.table == table and (target := by_key.get(each.target)):
            ways.setdefault(KEY_OF[target.level], Path((), each.column, each.evidence))
    for level in reversed(levels):
        key = KEY_OF[level.level]
        if key in ways and ways[key].column.table == table:
            stays = level.column.table
            is_new = stays not in {*passed, table}
            further = paths(stays, levels, links, passed | {table}) if is_new else {}
            join = Join(ways[key].column, level.column)
            for name, path in further.items():
                if name not in ways and not path.joins and level.unique:
                    evidence = weakest(ways[key].evidence, path.evidence)
                    ways[name] = Path((join,), path.column, evidence)
    return ways
