"""Tables that benchmarks need from a release."""

from collections.abc import Collection, Mapping, Sequence

from wardround.core.declaration import Layout
from wardround.ehr.schema import Schema


def missing_tables(
    schema: Schema, missing: Collection[str], layouts: Mapping[str, Sequence[Layout]]
) -> dict[str, tuple[str, ...]]:
    """The missing tables by benchmark, for benchmarks that need them.

    Args:
        schema: The release.
        missing: Its missing tables.
        layouts: The layouts of each benchmark, with the tables they need.

    >>> from wardround.ehr.schema import load_schema
    >>> prepared = Layout("prepared", {"eicu": ("lab", "patient")})
    >>> missing_tables(load_schema("eicu"), ["lab", "note"], {"triage": [prepared]})
    {'triage': ('lab',)}
    """
    missing_by_benchmark = {
        name: tuple(table for table in needed_tables(schema, needed) if table in missing)
        for name, needed in layouts.items()
    }
    return {name: tables for name, tables in missing_by_benchmark.items() if tables}


def needed_tables(schema: Schema, layouts: Sequence[Layout]) -> tuple[str, ...]:
    """The tables of a schema that a benchmark needs; empty if it does not use the schema."""
    for layout in layouts:
        if schema.name in layout.needs:
            return layout.needs[schema.name] or tuple(table.name for table in schema.tables)
        if schema.name == layout.name:
            return tuple(table.name for table in schema.tables)
    return ()
