"""Comparisons of results (Huo et al. 2025, F), by the cases of `soft_results.jsonl`."""

import json
from datetime import date, datetime
from decimal import Decimal
from math import isnan
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.scoring.soft_results import equal_as_published, equal_strictly

_FILE = Path(__file__).parent / "fixtures" / "soft_results.jsonl"
_CASES = [json.loads(line) for line in _FILE.read_text("utf-8").splitlines()]
_MADE: dict[str, Any] = {
    "numeric": Decimal,
    "date": date.fromisoformat,
    "time": datetime.fromisoformat,
}


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return [_cell(each) for each in value]
    kind, _, text = value.partition(":") if isinstance(value, str) else ("", "", "")
    return _MADE[kind](text) if kind in _MADE else value


def _rows(rows: list[list[Any]]) -> list[tuple[Any, ...]]:
    return [tuple(_cell(cell) for cell in row) for row in rows]


@for_each(_CASES)
def test_comparisons_match_the_file(case: dict[str, Any]) -> None:
    gold, result = _rows(case["gold"]), _rows(case["result"])
    conditions = {name: case[name] for name in ("order", "distinct", "decimals") if name in case}
    assert equal_as_published(gold, result, order=case.get("order", False)) is case["paper"]
    assert equal_strictly(gold, result, **conditions) is case["strict"]


_CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.decimals(),
    st.sampled_from(["a", "b", "2100-01-31", "1.0"]),
    st.dates(),
    st.datetimes(),
    st.binary(max_size=2),
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 1)),
    st.lists(st.integers(0, 1) | st.dates(), max_size=2),
)
_TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[_CELLS] * width), max_size=4)
)
_ASKED = st.fixed_dictionaries(
    {
        "order": st.booleans(),
        "distinct": st.booleans(),
        "decimals": st.none() | st.integers(0, 4),
    }
)


@given(first=_TABLES, second=_TABLES, asked=_ASKED)
def test_comparison_is_symmetric(first: Any, second: Any, asked: Any) -> None:
    order = asked["order"]
    soft, strict = (
        equal_as_published(first, second, order=order),
        equal_strictly(first, second, **asked),
    )
    assert soft == equal_as_published(second, first, order=order)
    assert strict == equal_strictly(second, first, **asked)


def _publishable(cell: Any) -> bool:
    """True for a value that the published comparison can round, write and find again."""
    match cell:
        case Decimal():
            return cell.is_finite() and cell.adjusted() < 25
        case float():
            return not isnan(cell)
        case list():
            return not any(isinstance(each, date) for each in cell)
    return True


@given(rows=_TABLES, asked=_ASKED)
def test_result_equals_itself_but_for_values_that_the_published_comparison_refuses(
    rows: Any, asked: Any
) -> None:
    publishable = all(_publishable(cell) for row in rows for cell in row)
    assert equal_as_published(rows, rows, order=asked["order"]) == (bool(rows) and publishable)
    assert equal_strictly(rows, rows, **asked) == bool(rows)


@given(data=st.data(), rows=_TABLES)
def test_order_counts_only_if_requested(data: Any, rows: Any) -> None:
    moved = data.draw(st.permutations(rows))
    publishable = all(_publishable(cell) for row in rows for cell in row)
    assert equal_as_published(rows, moved) == (bool(rows) and publishable)
    assert equal_strictly(rows, moved, distinct=True) == bool(rows)
    numbered = [(place,) for place in range(len(rows))]
    shuffled = data.draw(st.permutations(numbered))
    in_order = bool(numbered) and shuffled == numbered
    assert equal_as_published(numbered, shuffled, order=True) == in_order
    assert equal_strictly(numbered, shuffled, order=True) == in_order
