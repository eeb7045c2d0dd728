"""Refuses compiled checks whose parts stand nowhere: in no table, sentence, rubric or gold."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.columns import Header
from wardround.benchmarks.clinsql.checks.leaf_tokens import tokens
from wardround.benchmarks.clinsql.checks.results import decide_results
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Column,
    LeafCheck,
    Measure,
    ResultsCheck,
)
from wardround.benchmarks.clinsql.items.item import CohortGold
from wardround.benchmarks.clinsql.layouts import published_columns, published_tables

_KINDS = {
    "table": "table",
    "tables": "table",
    "names": "table",
    "column": "column",
    "columns": "column",
    "keys": "column",
    "patterns": "text",
    "ids": "number",
    "low": "number",
    "high": "number",
    "hours": "hours",
    "digits": "number",
    "argument": "number",
}
_MEASURES = {"length_of_stay", "duration", "count", "rate", "score", "rank", "change", "value"}
_STATISTICS = {
    *("", "mean", "median", "sd", "min", "max", "sum", "count", "iqr", "percentile", "ntile"),
    *("first", "last"),
}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Ground:
    """The places where the parts of a leaf's check have to stand.

    Attributes:
        text: the leaf's sentence and its headings.
        gold: the item's gold.
        header: the gold's columns with the names that the rubric offers.
    """

    text: str
    gold: CohortGold
    header: Header

    def refusal(self, check: LeafCheck) -> str:
        """The reason why a check cannot be used; "" if it can."""
        if isinstance(check, AllOf):
            return next(filter(None, map(self.refusal, check.checks)), "")
        missing = next((f"no {kind} {value}" for kind, value in self._missing(check)), "")
        return missing or self._failing_gold(check)

    def _missing(self, check: LeafCheck) -> Iterator[tuple[str, Any]]:
        for kind, value in _parts(check):
            if not self._stands(kind, value):
                yield kind, value
        if isinstance(check, Measure):
            if check.name not in _MEASURES:
                yield "measure", check.name
            if check.statistic not in _STATISTICS:
                yield "statistic", check.statistic

    def _stands(self, kind: str, value: Any) -> bool:
        match kind:
            case "table":
                return value in published_tables()
            case "column":
                return value in self._columns
            case "result column":
                return str(value).lower() in self._result_columns
            case "place":
                return bool(value < len(self.header.columns))
            case "number":
                return abs(value) in self._numbers
            case "hours":
                return abs(value) in self._numbers or abs(value) / 24 in self._days
        return bool(text := _plain(value)) and text in _plain(self._whole)

    def _failing_gold(self, check: LeafCheck) -> str:
        """A refusal of a check of results that the gold's result fails."""
        if not isinstance(check, ResultsCheck):
            return ""
        result = ResultFacts(self.gold.result.columns, self.gold.result.rows)
        finding = decide_results(check, result, result)
        return f"the gold fails it: {finding.reason}" if finding.state == "failed" else ""

    @property
    def _whole(self) -> str:
        return f"{self.text}\n{self.gold.sql}"

    @cached_property
    def _columns(self) -> set[str]:
        in_gold = (*_WORD.findall(self.gold.sql), *self.header.columns)
        return {*published_columns(), *(name.lower() for name in in_gold)}

    @cached_property
    def _result_columns(self) -> set[str]:
        offered = (name for names in self.header.aliases for name in names)
        return {name.lower() for name in (*self.header.columns, *offered)}

    @cached_property
    def _numbers(self) -> set[float]:
        return {0.0, *self._own_numbers, *map(float, _NUMBER.findall(self.gold.sql))}

    @cached_property
    def _days(self) -> set[float]:
        """The numbers of days that the sentence may mean, as in "the first day"."""
        return {1.0, *self._own_numbers} if "day" in self.text.lower() else set()

    @cached_property
    def _own_numbers(self) -> set[float]:
        return {abs(t.number) for t in tokens(self.text) if t.is_number and t.number is not None}


def _parts(check: BaseModel) -> Iterator[tuple[str, Any]]:
    """The parts of a check that have to stand somewhere, with their kind."""
    for field in type(check).model_fields:
        for value in _several(getattr(check, field)):
            if isinstance(value, Column):
                yield from (("result column", name) for name in value.names)
                if value.position is not None:
                    yield "place", value.position
            elif field in _KINDS and value not in (None, ""):
                yield _KINDS[field], value.lower() if isinstance(value, str) else value


def _several(value: Any) -> Iterable[Any]:
    return value if isinstance(value, tuple) else (value,)


def _plain(text: str) -> str:
    """A code or name without case, wildcards and dots."""
    return re.sub(r"[%._]", "", text).lower()
