"""Keys of an unknown database: unique columns, the columns that refer to them, dependencies."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell
from wardround.ehr.database.names import quote_name, quote_text
from wardround.ehr.records.proposal.facts import Column, ColumnFacts, Facts
from wardround.ehr.records.proposal.values import value_roles

_PROBE = 100  # values that are looked up at first
_VALUES = 300  # values that are looked up of what passes
_STATEMENT = 40_000  # letters of a statement's list of values
_CONTAINED = 0.98
_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Reference:
    """A column whose values are keys of another table.

    Attributes:
        evidence: What speaks for it: "declared", "containment", "spread" or "name", with words.
    """

    column: Column
    target: Column
    evidence: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Dependency:
    """How well one column of a table decides another.

    Attributes:
        groups: The values of the first column that were seen in several rows.
        broken: Those of them that have several values of the second.
    """

    groups: int
    broken: int

    @property
    def holds(self) -> bool:
        """True if enough groups were seen, and at most one in a hundred is broken."""
        return self.groups >= 8 and self.broken <= 0.01 * self.groups


def unique_columns(database: Database, facts: Facts) -> list[Column]:
    """The columns that identify the rows of their table.

    A declared key is believed. Of others the sampled values must be different, and each must be in
    the whole table once.
    """
    found = []
    for table in facts.values():
        candidates = [c for c in table.of_type("integer", "text") if _may_be_unique(c)]
        probed = [c for c in candidates if not c.is_key]
        once = _found_once(database, table.name, probed)
        found += [c.column for c in candidates if c.is_key or c.column in once]
    return found


def _may_be_unique(column: ColumnFacts) -> bool:
    if column.is_key:
        return True
    is_short = all(len(text) <= 64 for text in column.texts)
    return column.filled == 1 and len(column.distinct) == len(column.cells) > 1 and is_short


def _found_once(database: Database, table: str, columns: Sequence[ColumnFacts]) -> set[Column]:
    """The columns whose probed values are in one row of the table each."""
    found = set()
    for column in columns:
        probe = column.distinct[:_PROBE]
        name = quote_name(column.column.name)
        sql = f"SELECT COUNT(*) FROM {quote_name(table)} WHERE {name} IN ({_listed(probe)})"  # noqa: S608
        if database.execute(sql, seconds=_SECONDS).rows[0][0] == len(probe):
            found.add(column.column)
    return found


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
    found = [
        reference
        for key in unique
        for reference in _references_to(database, facts, key, done, set(unique))
    ]
    return declared + _one_each(found, declared, unique, facts)


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
    low, high = _range(database, target)
    dense = target.type == "integer" and rows > 0.5 * (high - low + 1)
    candidates = [
        column
        for table in facts.values()
        if table.name != key.table
        for column in table.of_type(target.type)
        if column.column not in done and _may_refer(column, target, low, high)
    ]
    if key.table in _with_sexes(facts):
        yield from _partial(database, key, facts, done)
    passed = _contained(database, key, candidates, 30)
    for column in _contained(database, key, passed, _VALUES):
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
        if any("sex" in value_roles(column) for column in table.of_type("text"))
    }


def _partial(
    database: Database, key: Column, facts: Facts, done: Collection[Column]
) -> Iterator[Reference]:
    """Columns with the name of a person's key that hold persons who are missing, too."""
    for table in facts.values():
        for column in table.of_type(facts[key.table].columns[key.name].type):
            if table.name == key.table or column.column in done:
                continue
            if column.column.name.lower() != key.name.lower():
                continue
            values = column.distinct[:_VALUES]
            there = len(_present(database, key, values))
            if 0.3 * len(values) <= there < _CONTAINED * len(values):
                text = f"the same name, but {len(values) - there} of {len(values)} are of nobody"
                yield Reference(column.column, key, (("name", text),))


def _may_refer(column: ColumnFacts, key: ColumnFacts, low: float, high: float) -> bool:
    if len(column.distinct) < 3 or len(column.values) < 5:
        return False
    if key.type == "text":
        longest = max(map(len, key.texts))
        return all(len(text) <= 2 * longest for text in column.texts)
    numbers = column.numbers
    return low <= min(numbers) and max(numbers) <= high


def _range(database: Database, key: ColumnFacts) -> tuple[float, float]:
    if key.type != "integer":
        return (0.0, 0.0)
    name, table = quote_name(key.column.name), quote_name(key.column.table)
    sql = f"SELECT MIN({name}), MAX({name}) FROM {table}"  # noqa: S608
    low, high = database.execute(sql, seconds=_SECONDS).rows[0]
    return float(str(low)), float(str(high))


def _is_spread(column: ColumnFacts, low: float, high: float) -> bool:
    if column.type != "integer" or high <= low:
        return False
    ends = min(column.numbers), max(column.numbers)
    quarters = Counter(int(3.999 * (n - low) / (high - low)) for n in column.numbers)
    even = all(quarters[at] >= 0.05 * len(column.numbers) for at in range(4))
    return ends[0] <= low + 0.2 * (high - low) and ends[1] >= high - 0.2 * (high - low) and even


def _contained(
    database: Database, key: Column, columns: Iterable[ColumnFacts], most: int
) -> list[ColumnFacts]:
    """The columns of which nearly all values, up to a number, are keys."""
    columns = list(columns)
    wanted = {value for column in columns for value in column.distinct[:most]}
    there = _present(database, key, sorted(wanted, key=str))
    return [
        column
        for column in columns
        if sum(value in there for value in column.distinct[:most])
        >= _CONTAINED * len(column.distinct[:most])
    ]


def _present(database: Database, key: Column, values: Sequence[Cell]) -> set[Cell]:
    """The values that the key column has."""
    name, table = quote_name(key.name), quote_name(key.table)
    found: set[Cell] = set()
    for chunk in _chunks(values):
        sql = f"SELECT {name} FROM {table} WHERE {name} IN ({chunk})"  # noqa: S608
        rows = database.execute(sql, rows=None, seconds=_SECONDS).rows
        found.update(row[0] for row in rows)
    return found


def _chunks(values: Sequence[Cell]) -> Iterator[str]:
    chunk: list[str] = []
    size = 0
    for value in map(_literal, values):
        if size + len(value) > _STATEMENT:
            yield ", ".join(chunk)
            chunk, size = [], 0
        chunk.append(value)
        size += len(value) + 2
    if chunk:
        yield ", ".join(chunk)


def _one_each(
    found: Sequence[Reference],
    declared: Sequence[Reference],
    unique: Sequence[Column],
    facts: Facts,
) -> list[Reference]:
    """One target a column: the one most referred to.

    Of two tables with the same keys, the one that is less referred to points to the other; if both
    are alike, the one without sexes, or with a key of its own besides.
    """
    found = [each for each in found if _is_confirmed(each, found)]
    referrers = Counter(each.target for each in (*found, *declared))
    keys = Counter(column.table for column in unique)
    people = _with_sexes(facts)

    def standing(column: Column) -> tuple[int, bool, int]:
        return referrers[column], column.table in people, -keys[column.table]

    def rank(each: Reference) -> tuple[bool, bool, tuple[int, bool, int]]:
        kinds = {kind for kind, _ in each.evidence}
        is_person = "name" in kinds and each.target.table in people
        return kinds != {"spread"}, is_person, standing(each.target)

    best: dict[Column, Reference] = {}
    for each in found:
        if each.column in unique and standing(each.column) >= standing(each.target):
            continue
        if each.column not in best or rank(each) > rank(best[each.column]):
            best[each.column] = each
    return list(best.values())


def _is_confirmed(each: Reference, found: Sequence[Reference]) -> bool:
    """True unless it has only a spread, which one column can have by chance, and two will not."""
    if {kind for kind, _ in each.evidence} != {"spread"}:
        return True
    alike = {e.column.table for e in found if e.target == each.target}
    return len(alike) >= 2


def dependency(database: Database, table: str, decides: str, decided: str) -> Dependency:
    """How well a column decides another, by the rows of some of its values."""
    a, b, name = quote_name(decides), quote_name(decided), quote_name(table)
    some = (
        f"SELECT {a} FROM {name} WHERE {a} IS NOT NULL GROUP BY {a} HAVING COUNT(*) > 1 LIMIT 300"  # noqa: S608
    )
    sql = (
        f"SELECT COUNT(*), SUM(CASE WHEN n > 1 THEN 1 ELSE 0 END) FROM (SELECT {a},"  # noqa: S608
        f" COUNT(DISTINCT {b}) AS n FROM {name} WHERE {a} IN ({some}) GROUP BY {a}) AS g"
    )
    groups, broken = database.execute(sql, seconds=_SECONDS).rows[0]
    return Dependency(int(groups or 0), int(broken or 0))


def look_up(
    database: Database, key: Column, wanted: Sequence[str], values: Sequence[Cell]
) -> dict[Cell, tuple[Cell, ...]]:
    """Other columns of the rows that have some keys, by key."""
    listed = ", ".join(quote_name(name) for name in (key.name, *wanted))
    found: dict[Cell, tuple[Cell, ...]] = {}
    for chunk in _chunks(values):
        sql = (
            f"SELECT {listed} FROM {quote_name(key.table)}"  # noqa: S608
            f" WHERE {quote_name(key.name)} IN ({chunk})"
        )
        rows = database.execute(sql, rows=None, seconds=_SECONDS).rows
        found.update((row[0], tuple(row[1:])) for row in rows)
    return found


def _listed(values: Iterable[Cell]) -> str:
    return ", ".join(map(_literal, values))


def _literal(value: Cell) -> str:
    return quote_text(value) if isinstance(value, str) else str(value)
