"""Names that a part of a query can see, and what they mean."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from wardround.ehr.database.googlesql.strictness.refusal import refusal

UNKNOWN = exp.DataType(this=exp.DType.UNKNOWN)


@dataclass(frozen=True)
class Source:
    """A table, query or array that a query reads.

    Attributes:
        columns: Name and type of each column, in order; a name may occur twice.
        value: The type of its rows where they are values, as those of an array.
        path: The names under which it was written.
        open: True if its columns are not known.
    """

    columns: tuple[tuple[str, exp.DataType], ...] = ()
    value: exp.DataType | None = None
    path: tuple[str, ...] = ()
    open: bool = False

    def types(self, name: str) -> list[exp.DataType]:
        """The types of the columns of that name."""
        if self.open:
            return [UNKNOWN]
        return [kind for each, kind in self.columns if each == name]


@dataclass
class Scope:
    """The sources of one SELECT.

    Attributes:
        sources: The sources by alias.
        merged: Columns of USING, which belong to no one source.
        outer: The scope of the query around it.
        aliases: Types of the select list's aliases, where they can be seen.
    """

    outer: "Scope | None" = None
    sources: dict[str, Source] = field(default_factory=dict)
    merged: dict[str, exp.DataType] = field(default_factory=dict)
    aliases: Mapping[str, exp.Expr] = field(default_factory=dict)

    def add(self, alias: str, source: Source) -> None:
        """Add a source.

        Raises:
            QueryError: There is one of that alias.
        """
        if alias in self.sources:
            raise refusal("duplicate alias", f"{alias} names two tables of one FROM clause.")
        self.sources[alias] = source

    def resolve(self, column: exp.Column) -> None:
        """Set a column's type, and the source it belongs to.

        Raises:
            QueryError: There is no such column, or there are several.
        """
        parts = [part.name.lower() for part in column.parts]
        for scope in self._outwards():
            resolved = scope._resolved(parts)
            if resolved is not None:
                alias, name, kind = resolved
                _settle(column, alias, name, kind)
                column.meta["scope"] = id(scope)
                return
            if len(parts) == 1 and parts[0] in scope.aliases:
                _settle(column, "", parts[0], scope.aliases[parts[0]].type or UNKNOWN)
                column.meta["alias"] = True
                return
        raise refusal("unknown column", f"there is no {column.sql('bigquery')} here.")

    def _outwards(self) -> Iterator["Scope"]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def _resolved(self, parts: list[str]) -> tuple[str, str, exp.DataType] | None:
        """Alias, name and type of a path."""
        return self._column(parts) or self._qualified(parts)

    def _column(self, parts: list[str]) -> tuple[str, str, exp.DataType] | None:
        name = parts[0]
        if name in self.merged:
            return "", ".".join(parts), _field(self.merged[name], parts[1:])
        matches = [
            (alias, kind) for alias, source in self.sources.items() for kind in source.types(name)
        ]
        known = [each for each in matches if each[1] is not UNKNOWN] or matches[:1]
        if len(parts) > 1 and name in self.sources:
            return None
        if len(known) > 1:
            raise refusal("ambiguous column", f"{name} is a column of more than one table here.")
        if known:
            return known[0][0], ".".join(parts), _field(known[0][1], parts[1:])
        return None

    def _qualified(self, parts: list[str]) -> tuple[str, str, exp.DataType] | None:
        alias, rest = self._source_of(parts)
        if alias is None:
            return None
        source = self.sources[alias]
        if not rest or source.value is not None:
            return alias, ".".join(rest) or alias, _field(source.value or UNKNOWN, rest)
        kinds = source.types(rest[0])
        if not kinds:
            raise refusal("unknown column", f"{rest[0]} is not a column of {alias}.")
        if len(kinds) > 1:
            raise refusal("ambiguous column", f"{alias} has two columns called {rest[0]}.")
        return alias, ".".join(rest), _field(kinds[0], rest[1:])

    def _source_of(self, parts: list[str]) -> tuple[str | None, list[str]]:
        if parts[0] in self.sources:
            return parts[0], parts[1:]
        for alias, source in self.sources.items():
            size = len(source.path)
            if size > 1 and tuple(parts[:size]) == source.path:
                return alias, parts[size:]
        return None, []


def _settle(column: exp.Column, alias: str, name: str, kind: exp.DataType) -> None:
    """Write a resolved column in one form, so that equal columns are equal expressions."""
    column.set("this", exp.to_identifier(name, quoted=True))
    column.set("table", exp.to_identifier(alias, quoted=True) if alias else None)
    column.set("db", None)
    column.set("catalog", None)
    column.type = kind


def _field(kind: exp.DataType, path: list[str]) -> exp.DataType:
    """The type of a field of a struct."""
    for name in path:
        if not kind.is_type(exp.DType.STRUCT):
            if kind.is_type(exp.DType.UNKNOWN):
                return UNKNOWN
            raise refusal("unknown column", f"{name} is a field of a value that has no fields.")
        fields = {each.name.lower(): each.args.get("kind") for each in kind.expressions}
        if name not in fields:
            raise refusal("unknown column", f"the STRUCT has no field {name}.")
        kind = fields[name] or UNKNOWN
    return kind
