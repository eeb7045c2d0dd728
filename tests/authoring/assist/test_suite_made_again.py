"""The shipped suite is made again with the same bytes."""

from tools.suites.assist import SUITE, suite_bytes


def test_the_suite_is_what_the_maker_makes() -> None:
    assert suite_bytes() == SUITE.read_bytes()
