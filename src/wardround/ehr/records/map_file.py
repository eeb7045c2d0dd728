"""Reads record maps: the packaged ones, and the files of users."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError

from wardround.core.errors import UserError
from wardround.core.packaged_data import read_toml
from wardround.ehr.records.model import (
    COLUMN_TYPES,
    OFFSET_UNITS,
    PRECISIONS,
    RecordColumn,
    RecordMap,
    Role,
    Source,
    record_kinds,
)

DIALECT = "duckdb"  # of the expressions in maps
_SETTINGS = frozenset({"layout", "of", "written", "starts", "dataset"})
_SOURCE = frozenset({"from", "where", "one_per", "columns", "wide", "units"})
_PACKAGE = "wardround.ehr.records"
_PARTS = frozenset({"expressions", "from_", "joins"})
_COLUMN = frozenset(
    {"sql", "type", "unit", "precision", "offset", "start", "split", "system", "dotted"}
)
_TEXTS = ("unit", "split", "system")
# The name of a column, which need not be parsed unless it is a word of SQL.
_PLAIN = re.compile(r"[A-Za-z_]\w*")
_NO_COLUMNS = frozenset({*DuckDB.Tokenizer.KEYWORDS, "IF", "CURRENT_DATETIME", "CURRENT_ROLE"})


@cache
def packaged_maps() -> tuple[str, ...]:
    """The names of the packaged maps, sorted."""
    folder = files(_PACKAGE) / "maps"
    return tuple(sorted(each.name[:-5] for each in folder.iterdir() if each.name.endswith(".toml")))


@cache
def maps_for(layout: str) -> tuple[RecordMap, ...]:
    """The packaged maps of a layout; those of other layouts are not parsed.

    >>> [each.dataset for each in maps_for("mimic_iv")]
    ['', 'physionet-data.mimiciv_3_1_{module}']
    """
    layouts = {name: read_toml(_PACKAGE, f"maps/{name}.toml")["layout"] for name in packaged_maps()}
    return tuple(load_map(name) for name, of in layouts.items() if of == layout)


@cache
def load_map(name: str) -> RecordMap:
    """A packaged map.

    >>> load_map("ehrsql_mimic_iii").has("diagnosis", "title")
    True

    Raises:
        KeyError: There is no such map.
    """
    if name not in packaged_maps():
        raise KeyError(name)
    path = files(_PACKAGE) / "maps" / f"{name}.toml"
    return parse_map(path.read_text(encoding="utf-8"), f"{name}.toml")


def read_map(path: Path) -> RecordMap:
    """The map in a file.

    Raises:
        UserError: It cannot be read, or has an invalid line, which is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The record map {path} cannot be read: {error}.") from error
    return parse_map(text, str(path))


def named_map(name: str) -> tuple[RecordMap, str]:
    """A packaged map by its name, or the map in a file; with the text that it is read from.

    Raises:
        UserError: There is neither, or the file cannot be read.
    """
    if name in packaged_maps():
        packaged = files(_PACKAGE) / "maps" / f"{name}.toml"
        return load_map(name), packaged.read_text(encoding="utf-8")
    path = Path(name).expanduser()
    if not path.exists():
        listed = ", ".join(packaged_maps())
        raise UserError(f"There is no record map {name}; give a file, or one of {listed}.")
    return read_map(path), path.read_text(encoding="utf-8")


def parse_map(text: str, name: str) -> RecordMap:
    """The map in a text.

    Args:
        text: TOML: `layout`, `written`, `starts`, and a table, or several, for each kind.
        name: The file's name, for errors.

    Raises:
        UserError: As of `read_map`.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"The record map {name} is not TOML: {error}.") from error
    reader = _Reader(text, name, content)
    base = load_map(content["of"]) if content.get("of") in packaged_maps() else None
    if "of" in content and base is None:
        raise reader.error("of", "", f"there is no map {content['of']!r} to change")
    kinds = {
        kind: reader.sources(kind, entry)
        for kind, entry in content.items()
        if kind not in _SETTINGS
    }
    written = reader.written(reader.table("written", "written", content.get("written", {})))
    return RecordMap(
        str(content.get("layout", Path(name).stem)),
        {**(base.kinds if base else {}), **kinds},
        {**(base.written if base else {}), **written},
        reader.dataset,
    )


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a condition that all have to hold."""
    if isinstance(condition, exp.And):
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    else:
        yield condition


def parse_tables(tables: str) -> exp.Select:
    """A query of the tables in a FROM clause without its keyword.

    Raises:
        SqlglotError: It is not one, or has more than tables and their joins.
    """
    parsed = parse_one(f"SELECT 1 FROM {tables}", read=DIALECT, into=exp.Select)  # noqa: S608
    parts = {name for name, part in parsed.args.items() if part}
    joined = [parsed.args["from_"].this, *(join.this for join in parsed.args.get("joins") or ())]
    if not parts <= _PARTS or not all(isinstance(each, exp.Table) for each in joined):
        raise SqlglotError("only tables and joins are read from a FROM clause")
    return parsed


def _joined_later(query: exp.Select) -> tuple[str, str] | None:
    """A joined table, and one that its condition needs although it is joined later, in a cycle."""
    joins = query.args.get("joins") or []
    names = [join.this.alias_or_name for join in joins]
    for at, join in enumerate(joins):
        needed = {column.table for column in (join.args.get("on") or join).find_all(exp.Column)}
        if later := [name for name in names[at + 1 :] if name in needed]:
            return names[at], later[0]
    return None


def line_of(text: str, kind: str, word: str = "") -> int:
    """The line of a kind's heading in a map, or of the first line below it with a word."""
    lines = text.splitlines()
    heading = re.compile(rf"\s*(\[+\s*{re.escape(kind)}\b|{re.escape(kind)}\s*=)")
    start = next((at for at, line in enumerate(lines) if heading.match(line)), 0)
    numbers = (at for at in range(start, len(lines)) if word and word in lines[at])
    return next(numbers, start) + 1


class _Reader:
    """Reads the parts of one map; its errors name the line."""

    def __init__(self, text: str, name: str, content: Mapping[str, Any]) -> None:
        self._text = text
        self._name = name
        self._starts = self._strings("starts", "starts", content.get("starts", {}))
        self.dataset = self._string("dataset", "dataset", content.get("dataset", ""))

    def error(self, kind: str, word: str, message: str) -> UserError:
        """An error in the entry of a kind, at the line with a word if there is one."""
        line = line_of(self._text, kind, word)
        return UserError(f"Record map {self._name}, line {line}: {message}.")

    def table(self, kind: str, name: str, value: object) -> Mapping[str, Any]:
        """A value that must be a table."""
        if not isinstance(value, dict):
            raise self.error(kind, name, f"{name!r} must be a table")
        return value

    def _string(self, kind: str, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.error(kind, name, f"{name!r} must be a text in quotes")
        return value

    def _strings(self, kind: str, name: str, value: object) -> dict[str, str]:
        texts = self.table(kind, name, value)
        return {key: self._string(kind, key, text) for key, text in texts.items()}

    def sources(self, kind: str, entry: object) -> tuple[Source, ...]:
        """The sources of a kind: one table of the file, or an array of them."""
        if kind not in record_kinds():
            kind_names = ", ".join(record_kinds())
            raise self.error(
                kind, "", f"{kind!r} is not a kind of record; the kinds are {kind_names}"
            )
        entries = entry if isinstance(entry, list) else [entry]
        if not all(isinstance(each, dict) for each in entries):
            raise self.error(kind, "", f"{kind!r} must be a table")
        return tuple(self._source(kind, each) for each in entries if isinstance(each, dict))

    def written(self, entry: Mapping[str, Any]) -> dict[Role, dict[str, tuple[str, ...]]]:
        """The texts of the layout for meanings, by role."""
        return {self._role(name): self._meanings(name, each) for name, each in entry.items()}

    def _meanings(self, name: str, entry: object) -> dict[str, tuple[str, ...]]:
        meanings = self.table("written", name, entry)
        for meaning, texts in meanings.items():
            if not isinstance(texts, list):
                raise self.error("written", meaning, f"{meaning!r} must be a list of texts")
        return {meaning: tuple(map(str, texts)) for meaning, texts in meanings.items()}

    def _role(self, name: str) -> Role:
        kind, _, column = name.partition(".")
        if kind not in record_kinds() or column not in record_kinds()[kind].columns:
            raise self.error("written", name, f"{name!r} is not a column of a kind of record")
        return Role(kind, column)

    def _source(self, kind: str, entry: Mapping[str, Any]) -> Source:
        self._refuse_unknown(kind, entry, _SOURCE, "a kind")
        if not isinstance(entry.get("from"), str):
            raise self.error(kind, "", f'{kind!r} names no tables; add a setting `from` = "TABLE"')
        try:
            parsed = parse_tables(entry["from"])
        except SqlglotError as error:
            raise self.error(kind, "from", f"{entry['from']!r} is no FROM clause") from error
        tables = [table.alias_or_name for table in parsed.find_all(exp.Table)]
        main = parsed.args["from_"].this.alias_or_name
        if later := _joined_later(parsed):
            raise self.error(
                kind, "from", f"the join of {later[0]} needs {later[1]}, which follows"
            )

        def qualified(text: str) -> str:
            return self._qualified(kind, text, main, tables)

        columns = {
            name: self._column(kind, name, each, qualified)
            for name, each in self.table(kind, "columns", entry.get("columns", {})).items()
        }
        one_per = self._string(kind, "one_per", entry.get("one_per", ""))
        where = self._string(kind, "where", entry.get("where", ""))
        wide = self._strings(kind, "wide", entry.get("wide", {}))
        if one_per and one_per not in columns:
            raise self.error(kind, "one_per", f"{kind!r} has no column {one_per!r}")
        if one_per and any(column.split for column in columns.values()):
            raise self.error(kind, "split", "a cell is not split where rows are put together")
        value, column_types = columns.get("value"), record_kinds()[kind].columns
        if value and value.unit and "unit" in column_types and "unit" not in columns:
            columns["unit"] = RecordColumn(exp.Literal.string(value.unit).sql(DIALECT), "text")
        return Source(
            entry["from"],
            columns,
            qualified(where) if where else "",
            one_per,
            {name: qualified(sql) for name, sql in wide.items()},
            self._strings(kind, "units", entry.get("units", {})),
        )

    def _column(
        self, kind: str, name: str, entry: object, qualified: Callable[[str], str]
    ) -> RecordColumn:
        column_types = record_kinds()[kind].columns
        if name not in column_types:
            listed = ", ".join(column_types)
            raise self.error(kind, name, f"{kind!r} has no column {name!r}; it has {listed}")
        if isinstance(entry, str):
            return RecordColumn(qualified(entry), column_types[name])
        if not isinstance(entry, dict):
            raise self.error(kind, name, f"{name!r} must be an expression or a table")
        self._refuse_unknown(kind, entry, _COLUMN, f"column {name!r}")
        precision = entry.get("precision", "second")
        if precision not in PRECISIONS:
            listed = ", ".join(PRECISIONS)
            raise self.error(kind, name, f"precision {precision!r} is not one of {listed}")
        type_ = entry.get("type", column_types[name])
        if type_ not in COLUMN_TYPES:
            raise self.error(kind, name, f"type {type_!r} is not one of {', '.join(COLUMN_TYPES)}")
        if not isinstance(entry.get("dotted", False), bool):
            raise self.error(kind, name, "'dotted' must be true or false")
        unit, split, system = (self._string(kind, name, entry.get(key, "")) for key in _TEXTS)
        if "offset" in entry:
            return self._offset(kind, name, entry, qualified)
        if not isinstance(entry.get("sql"), str):
            raise self.error(kind, name, f"column {name!r} has no sql and no offset")
        return RecordColumn(
            qualified(entry["sql"]),
            type_,
            unit,
            precision,
            split=split,
            system=system,
            dotted=entry.get("dotted", False),
        )

    def _offset(
        self, kind: str, name: str, entry: Mapping[str, Any], qualified: Callable[[str], str]
    ) -> RecordColumn:
        start = self._string(kind, name, entry.get("start", ""))
        unit = entry.get("unit", "minute")
        if start not in self._starts:
            listed = ", ".join(self._starts) or "none"
            raise self.error(kind, name, f"start {start!r} is not in [starts], which has {listed}")
        if unit not in OFFSET_UNITS:
            listed = ", ".join(OFFSET_UNITS)
            raise self.error(kind, name, f"offset unit {unit!r} is not one of {listed}")
        return RecordColumn(
            qualified(self._string(kind, name, entry["offset"])),
            record_kinds()[kind].columns[name],
            start=qualified(self._starts[start]),
            offset_unit=unit,
        )

    def _qualified(self, kind: str, text: str, main: str, tables: Iterable[str]) -> str:
        """An expression whose bare columns are of the main table."""
        if _PLAIN.fullmatch(text) and text.upper() not in _NO_COLUMNS:
            return f"{exp.to_identifier(main).sql(DIALECT)}.{text}"
        try:
            parsed = parse_one(text, read=DIALECT)
        except SqlglotError as error:
            raise self.error(kind, text, f"{text!r} is not SQL") from error
        table_names = {table.lower() for table in tables}
        for column in parsed.find_all(exp.Column):
            if not column.table:
                column.set("table", exp.to_identifier(main))
            elif column.table.lower() not in table_names:
                raise self.error(kind, text, f"{column.sql()} is of no table in its from")
        return parsed.sql(DIALECT)

    def _refuse_unknown(
        self, kind: str, entry: Mapping[str, Any], known_names: frozenset[str], what: str
    ) -> None:
        for name in entry.keys() - known_names:
            listed = ", ".join(sorted(known_names))
            raise self.error(kind, name, f"{name!r} is not a setting of {what}; use {listed}")


def map_to_json(records: RecordMap) -> dict[str, Any]:
    """The content of a map."""
    return {
        "layout": records.layout,
        "kinds": {kind: list(map(asdict, sources)) for kind, sources in records.kinds.items()},
        "written": [(*role, dict(texts)) for role, texts in records.written.items()],
        "dataset": records.dataset,
    }


def map_from_json(content: Mapping[str, Any]) -> RecordMap:
    """The map of `map_to_json`."""
    written = {
        Role(kind, column): {meaning: tuple(each) for meaning, each in texts.items()}
        for kind, column, texts in content["written"]
    }
    kinds = {kind: tuple(map(_source, each)) for kind, each in content["kinds"].items()}
    return RecordMap(content["layout"], kinds, written, content["dataset"])


def _source(content: Mapping[str, Any]) -> Source:
    columns = {name: RecordColumn(**each) for name, each in content["columns"].items()}
    return Source(**{**content, "columns": columns})
