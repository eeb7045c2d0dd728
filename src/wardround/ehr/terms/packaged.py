"""Readers of the packaged files: TSV with `#` comments and a header, and JSONL."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any


def lines(name: str) -> Iterator[str]:
    """Yield the lines of a packaged file without empty lines and `#` comments."""
    text = (files(__package__) / name).read_text("utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("#"))


def rows(name: str) -> Iterator[list[str]]:
    """Yield the rows of a packaged TSV file, without its header line."""
    table = lines(name)
    next(table)
    return (line.split("\t") for line in table)


def records(name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a packaged JSONL file."""
    return (json.loads(line) for line in lines(name))


def listed(cell: str) -> tuple[str, ...]:
    """The items of a cell, `a; b; c`."""
    return tuple(cell.split("; ")) if cell else ()
