"""Tells which benchmarks a partial release cannot serve."""

from collections.abc import Collection, Mapping, Sequence

from wardround.core.declaration import Layout
from wardround.ehr.schema import Schema


def ruled_out(
    schema: Schema, missing: Collection[str], layouts: Mapping[str, Sequence[Layout]]
) -> dict[str, tuple[str, ...]]:
    """The benchmarks that lack tables, each with those that it lacks.

    Args:
        schema: The release.
        missing: Its tables that are not there.
        layouts: The layouts of each benchmark, with what they need of a release.

    >>> from wardround.ehr.schema import load_schema
    >>> prepared = Layout("prepared", {"eicu": ("lab", "patient")})
    >>> ruled_out(load_schema("eicu"), ["lab", "note"], {"triage": [prepared]})
    {'triage': ('lab',)}
    """
    lacks = {
        benchmark: tuple(table for table in needed(schema, its) if table in missing)
        for benchmark, its in layouts.items()
    }
    return {benchmark: tables for benchmark, tables in lacks.items() if tables}


def needed(schema: Schema, layouts: Sequence[Layout]) -> tuple[str, ...]:
    """The tables of a layout that a benchmark needs; none where it has no use for the layout."""
    for layout in layouts:
        if schema.name in layout.needs:
            return layout.needs[schema.name] or tuple(table.name for table in schema.tables)
        if schema.name == layout.name:
            return tuple(table.name for table in schema.tables)
    return ()
