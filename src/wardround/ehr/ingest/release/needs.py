"""Tells which benchmarks a partial release cannot serve."""

import tomllib
from collections.abc import Collection
from functools import cache
from importlib.resources import files

from wardround.ehr.schema import Schema


def ruled_out(schema: Schema, missing: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The benchmarks that lack tables, each with those that it lacks.

    Args:
        schema: The release.
        missing: Its tables that are not there.

    >>> from wardround.ehr.schema import load_schema
    >>> ruled_out(load_schema("eicu"), ["lab", "note"])
    {'ehrsql': ('lab',), 'chatqa': ('lab',)}
    """
    lacks = {
        benchmark: tuple(table for table in tables if table in missing)
        for benchmark, tables in _needed(schema).items()
    }
    return {benchmark: tables for benchmark, tables in lacks.items() if tables}


def _needed(schema: Schema) -> dict[str, list[str]]:
    every = [table.name for table in schema.tables]
    needs = _needs().get(schema.name, {})
    return {
        benchmark: every if tables == "all" else tables.split()
        for benchmark, tables in needs.items()
    }


@cache
def _needs() -> dict[str, dict[str, str]]:
    file = files("wardround.ehr.ingest.release").joinpath("needs.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
