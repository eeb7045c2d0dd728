"""Checks as stored data."""

import pytest

from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Column,
    InRange,
    LeafCheck,
    Ordered,
    Sex,
    Window,
    read_check,
)
from wardround.core.errors import UserError

CHECKS: list[LeafCheck] = [
    Ordered(columns=(Column(names=("q1",)), Column(names=("q3",)))),
    Window(start="icu", hours=24),
    AllOf(checks=(Sex(value="F"), InRange(column=Column(names=("n",)), low=1))),
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.kind)
def test_a_stored_check_is_read_back(check: LeafCheck) -> None:
    assert read_check(check.stored(), "item.json") == check


@pytest.mark.parametrize("content", [None, {}, {"kind": "sex"}, {"kind": "other"}, [1]])
def test_another_form_is_an_error_of_the_file(content: object) -> None:
    with pytest.raises(UserError, match=r"item\.json holds a check of no known form"):
        read_check(content, "item.json")
