"""Keys of an unknown database: unique columns, and the columns that refer to them."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from wardround.ehr.database import Database
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.facts import Column, ColumnFacts, Facts
from wardround.ehr.records.proposal.probes import bounds, is_found_once, look_up
from wardround.ehr.records.proposal.values import sexes

_FIRST = 30  # values that are looked up at first
_VALUES = 300  # values that are looked up of what passes
_CONTAINED = 0.98


@dataclass(frozen=True, slots=True)
class Reference:
    """A column whose values are keys of another table."""

    column: Column
    target: Column
    evidence: Evidence


def unique_columns(database: Database, facts: Facts) -> list[Column]:
    """The columns that identify the rows of their table.

    A declared key is believed. Of others the sampled values must be different, and each must be in
    the whole table once.
    """
    return [
        column.column
        for table in facts.values()
        for column in table.of_type("integer", "text")
        if column.is_key or (_may_be_unique(column) and is_found_once(database, column))
    ]


def _may_be_unique(column: ColumnFacts) -> bool:
    is_short = all(len(text) <= 64 for text in column.texts)
    return column.filled == 1 and len(column.distinct) == len(column.cells) > 1 and is_short


def references(database: Database, facts: Facts, unique: Sequence[Column]) -> list[Reference]:
    """The columns that refer to a unique one, each to one target.

    Nearly all sampled values are keys of the target. That alone says little if the target's keys
    are the numbers from 1 on, which contain every small number: then the values must spread over
    all of them, too.
    """
    declared = [
        Reference(column.column, target, (("declared", "declared foreign key"),))
        for table in facts.values()
        for column in table.columns.values()
        if (target := _existing(column.references, facts)) and column.values
    ]
    done = {each.column for each in declared}
    undeclared = [
        reference
        for key in unique
        for reference in _references_to(database, facts, key, done, set(unique))
    ]
    return declared + _one_each(undeclared, declared, unique, facts)


def _existing(target: Column | None, facts: Facts) -> Column | None:
    """A declared target by its names in the database."""
    if target is None:
        return None
    tables = {name.lower(): table for name, table in facts.items()}
    table = tables.get(target.table.lower())
    names = {name.lower(): column for name, column in table.columns.items()} if table else {}
    column = names.get(target.name.lower())
    return column.column if column else None


def _references_to(
    database: Database, facts: Facts, key: Column, done: Collection[Column], unique: set[Column]
) -> Iterator[Reference]:
    target = facts[key.table].columns[key.name]
    rows = facts[key.table].rows
    low, high = bounds(database, target)
    dense = target.type == "integer" and rows > 0.5 * (high - low + 1)
    candidates = [
        column
        for table in facts.values()
        if table.name != key.table
        for column in table.of_type(target.type)
        if column.column not in done and _may_refer(column, target, low, high)
    ]
    passed = _contained(database, target, candidates, _FIRST)
    for column in _contained(database, target, passed, _VALUES):
        same_name = column.column.name.lower() == key.name.lower()
        spread = _is_spread(column, low, high)
        if (dense and not spread and not same_name) or (
            column.column in unique and not same_name and (dense or rows < 50)
        ):
            continue
        seen = min(len(column.distinct), _VALUES)
        about = [("containment", f"{seen} of {seen} values are in {key.table}")]
        if dense:
            about = []
        if spread and len(column.distinct) >= 30:
            about.append(("spread", "its values spread over all keys"))
        if same_name:
            about.append(("name", "the same name"))
        if about:
            yield Reference(column.column, key, tuple(about))


def _with_sexes(facts: Facts) -> set[str]:
    """The tables of persons."""
    return {
        table.name
        for table in facts.values()
        if any(sexes(column.texts) for column in table.of_type("text"))
    }


def _may_refer(column: ColumnFacts, key: ColumnFacts, low: float, high: float) -> bool:
    if len(column.distinct) < 3 or len(column.values) < 5:
        return False
    if key.type == "text":
        longest = max(map(len, key.texts))
        return all(len(text) <= 2 * longest for text in column.texts)
    numbers = column.numbers
    return low <= min(numbers) and max(numbers) <= high


def _is_spread(column: ColumnFacts, low: float, high: float) -> bool:
    if column.type != "integer" or high <= low:
        return False
    ends = min(column.numbers), max(column.numbers)
    quarters = Counter(int(3.999 * (n - low) / (high - low)) for n in column.numbers)
    even = all(quarters[at] >= 0.05 * len(column.numbers) for at in range(4))
    return ends[0] <= low + 0.2 * (high - low) and ends[1] >= high - 0.2 * (high - low) and even


def _contained(
    database: Database, key: ColumnFacts, columns: Sequence[ColumnFacts], most: int
) -> list[ColumnFacts]:
    """The columns of which nearly all values, up to a number, are keys."""
    wanted = {value for column in columns for value in column.distinct[:most]}
    existing = look_up(database, key, (), sorted(wanted, key=str))
    return [
        column
        for column in columns
        if sum(value in existing for value in column.distinct[:most])
        >= _CONTAINED * len(column.distinct[:most])
    ]


def _one_each(
    candidates: Sequence[Reference],
    declared: Sequence[Reference],
    unique: Sequence[Column],
    facts: Facts,
) -> list[Reference]:
    """One target a column: the one most referred to.

    If two tables have the same keys, the one that fewer columns refer to points to the other. If as
    many refer to both, it is the one without sexes, or with a further key of its own.
    """
    referrers = Counter(each.target for each in (*candidates, *declared))
    keys = Counter(column.table for column in unique)
    people = _with_sexes(facts)

    def standing(column: Column) -> tuple[int, bool, int]:
        return referrers[column], column.table in people, -keys[column.table]

    def rank(each: Reference) -> tuple[bool, bool, tuple[int, bool, int]]:
        kinds = {kind for kind, _ in each.evidence}
        is_person = "name" in kinds and each.target.table in people
        return kinds != {"spread"}, is_person, standing(each.target)

    best: dict[Column, Reference] = {}
    for each in candidates:
        if each.column in unique and standing(each.column) >= standing(each.target):
            continue
        if each.column not in best or rank(each) > rank(best[each.column]):
            best[each.column] = each
    return list(best.values())
