"""Reads the specification of databases."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wardround.ehr.database import quote_text
from wardround.ehr.schema import Column, ForeignKey, Table

FOLDER = Path(__file__).parent / "specification"

_FENCE = re.compile(r"^```(?P<language>\w+) ?(?P<engines>[\w ]*)\n(?P<text>.*?)^```$", re.S | re.M)
_ERROR = re.compile(r"^Error: `(\w+)`$", re.M)
_MORE = "There are more rows."
_CELL = re.compile(r"\|(?!$)")


@dataclass(frozen=True)
class Grid:
    """A small table as text: its head and rows."""

    head: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class Case:
    """One example.

    Attributes:
        statements: The SQL by engine; "" for engines without their own.
        call: A Python call of the database instead.
        talk: A doctest session instead.
        expected: The expected columns and rows.
        error: The kind of the expected error instead.
        truncated: True if the result is truncated.
    """

    name: str
    statements: dict[str, str]
    call: str
    talk: str
    expected: Grid | None
    error: str
    truncated: bool

    def sql(self, engine: str) -> str | None:
        """The statement for an engine; None if it lacks the feature."""
        return self.statements.get(engine, self.statements.get(""))


def read_cases() -> Iterator[Case]:
    """All examples, in order."""
    for path in _files()[2:]:
        for section in path.read_text().split("\n### ")[1:]:
            yield _case(section)


def read_tables() -> Iterator[tuple[Table, tuple[tuple[object, ...], ...]]]:
    """The tables for all examples, with their rows."""
    for section in (FOLDER / "1_data.md").read_text().split("\n### ")[1:]:
        grid = _grid(section)
        assert grid
        yield _table(section.partition("\n")[0].strip("`"), grid.head), grid.rows


def insert(table: Table, row: tuple[object, ...]) -> str:
    """The INSERT statement of a row."""
    return f"INSERT INTO {table.name} VALUES ({', '.join(map(_literal, row))})"


def _files() -> list[Path]:
    return sorted(FOLDER.glob("*.md"))


def _case(section: str) -> Case:
    name, _, text = section.partition("\n")
    fences = list(_FENCE.finditer(text))
    by_language = {fence["language"]: fence["text"] for fence in fences}
    error = _ERROR.search(text)
    return Case(
        name,
        dict(_statements(fences)),
        by_language.get("python", "").strip(),
        by_language.get("pycon", ""),
        _grid(_FENCE.sub("", text)),
        error[1] if error else "",
        _MORE in text,
    )


def _statements(fences: list[re.Match[str]]) -> Iterator[tuple[str, str]]:
    for fence in fences:
        if fence["language"] == "sql":
            for engine in fence["engines"].split() or [""]:
                yield engine, fence["text"].strip()


def _grid(text: str) -> Grid | None:
    lines = [_split(line) for line in text.splitlines() if line.startswith("|")]
    if not lines:
        return None
    head, _, *rows = lines
    return Grid(head, tuple(tuple(map(_value, row)) for row in rows))


def _split(line: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in line.strip().strip("|").split("|"))


def _value(word: str) -> object:
    if word.startswith("'"):
        return word[1:-1].replace("''", "'")
    if word.startswith("x'"):
        return bytes.fromhex(word[2:-1])
    if word in {"NULL", "True"}:
        return None if word == "NULL" else True
    return float(word) if "." in word else int(word)


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    return quote_text(value) if isinstance(value, str) else str(value)


def _table(name: str, head: tuple[str, ...]) -> Table:
    words = [each.split() for each in head]
    columns = tuple(Column(word[0], word[1], "", null="null" in word) for word in words)
    key = tuple(word[0] for word in words if "key" in word)
    links = [(word[0], *each.split(".")) for word in words for each in word[2:] if "." in each]
    return Table(name, "", columns, key, tuple(ForeignKey(*link) for link in links))
