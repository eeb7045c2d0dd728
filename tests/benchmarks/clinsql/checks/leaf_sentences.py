"""Leaf sentences with the checks that they ask for, and a check as one line."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.benchmarks.clinsql.checks.columns import Header
from wardround.benchmarks.clinsql.checks.compiler import compile_leaf
from wardround.benchmarks.clinsql.items.checks import AllOf, Column, LeafCheck
from wardround.scoring.rubrics.tree import RubricNode

FIXTURES = Path(__file__).parents[1] / "fixtures"
COLUMNS = ("admission_count", "mean_los_days", "q1_los", "median_los", "q3_los")
HEADER = Header((*COLUMNS, "mortality_rate_pct", "sex"))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A leaf's sentence below a group, and its check as a line; "none" for no check."""

    tree: Any
    group: str
    text: str
    expected: str

    @property
    def form(self) -> str:
        """The kind of the check."""
        return self.expected.split()[0]

    def compiled(self) -> str:
        """The check that the compiler makes of it, as a line."""
        groups = (RubricNode("root", "Root"), RubricNode("group", self.group))
        check = compile_leaf(self.tree, RubricNode("leaf", self.text), groups, HEADER)
        return line(check) if check else "none"


def sentences(name: str) -> list[Sentence]:
    """The sentences of a file."""
    rows = (FIXTURES / name).read_text("utf-8").splitlines()
    return [Sentence(*row.split("\t")) for row in rows]


def line(check: LeafCheck) -> str:
    """A check as a line: its kind, then what has no default."""
    if isinstance(check, AllOf):
        return "all_of checks=" + "".join(f"({line(part)})" for part in check.checks)
    return " ".join([check.kind, *_fields(check)])


def _fields(check: Any) -> Iterator[str]:
    for name, field in type(check).model_fields.items():
        value = getattr(check, name)
        if name != "kind" and value != field.default:
            yield f"{name}={_text(value)}"


def _text(value: Any) -> str:
    if isinstance(value, Column):
        return HEADER.columns[value.position] if value.position is not None else value.names[0]
    if isinstance(value, tuple):
        return ",".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
