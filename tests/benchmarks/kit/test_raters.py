"""Decisions of raters are merged, counted and refused if one rater is alone."""

from collections.abc import Callable

import pytest

from wardround.benchmarks.kit.raters import check_two, merged, pair_agreements, raters_table
from wardround.core.errors import UserError


def test_the_later_source_counts_and_empty_raters_are_left_out() -> None:
    sources = [{"judge": {"a": True, "b": False}, "nobody": {}}, {"judge": {"b": True}}]
    assert merged(sources) == {"judge": {"a": True, "b": True}}


def test_raters_are_counted() -> None:
    table = raters_table({"judge": {"a": True, "b": False}}, "Leaves", "Passed")
    assert (table.columns, table.rows) == (("Rater", "Leaves", "Passed"), (("judge", 2, 50.0),))


@pytest.mark.parametrize(("names", "named"), [([], "none"), (["judge"], "judge")])
def test_fewer_than_two_raters_are_refused(names: list[str], named: str) -> None:
    with pytest.raises(UserError, match=f"there is {named}; name another source\\."):
        check_two({name: {"a": True} for name in names}, "name another source")
    check_two({"one": {"a": True}, "two": {"a": True}}, "name another source")


def test_raters_agree_by_group_on_the_items_that_both_decided() -> None:
    raters = {
        "judge": {"a1": True, "a2": False, "b1": True},
        "ann": {"a1": True, "a2": True},
        "bob": {"c1": True},
    }
    groups: dict[str, Callable[[str], bool]] = {
        "a": lambda item: item.startswith("a"),
        "b": lambda item: item.startswith("b"),
    }
    [(first, second, agreements)] = pair_agreements(raters, groups)
    assert (first, second) == ("judge", "ann")
    assert {name: (each.items, each.agreed) for name, each in agreements.items()} == {
        "a": (2, 1),
        "b": (0, 0),
    }
