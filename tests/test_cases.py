"""One test of many cases: it fails with every case that does, and names them."""

import pytest

from tests.cases import for_each


def test_every_failing_case_is_named() -> None:
    seen = []

    @for_each([1, 2, 3])
    def check(number: int) -> None:
        seen.append(number)
        assert number == 2

    with pytest.raises(ExceptionGroup, match="2 of 3 cases fail") as raised:
        check()
    assert seen == [1, 2, 3]
    assert [each.__notes__ for each in raised.value.exceptions] == [["case: 1"], ["case: 3"]]


def test_a_case_of_several_values_is_spread() -> None:
    seen = []

    @for_each([("a", 1), ("b", 2)])
    def check(letter: str, number: int) -> None:
        seen.append((letter, number))

    check()
    assert seen == [("a", 1), ("b", 2)]


@pytest.fixture
def shared() -> list[int]:
    return []


@for_each([1, 2])
def test_cases_share_the_fixtures(number: int, *, shared: list[int]) -> None:
    shared.append(number)
    assert shared == list(range(1, number + 1))


def test_no_cases_are_no_test() -> None:
    with pytest.raises(AssertionError):
        for_each([])
