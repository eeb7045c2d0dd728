"""SciPy's exact test of a rate, imported by the tests that compare with it: it takes a second."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

ExactTest: TypeAlias = Callable[..., Any]


@pytest.fixture(scope="session")
def binomtest() -> ExactTest:
    from scipy.stats import binomtest

    exact: ExactTest = binomtest
    return exact
