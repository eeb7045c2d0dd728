"""Thresholds of the maximum entropy, and escaping; these need no model."""

from collections.abc import Sequence
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.agents.t5.agents import cluster_boundary, find_threshold
from wardround.agents.t5.texts import escape, unescape
from wardround.core.errors import UserError

HERE = Path("trained")
ENTROPIES = st.lists(st.integers(0, 1000).map(lambda n: n / 100), min_size=2, max_size=30)


def parted(values: Sequence[float], at: int) -> tuple[float, float]:
    """The squared distances to the two means when sorted values part here, and their midpoint."""
    parts = sorted(values)[:at], sorted(values)[at:]
    means = [sum(part) / len(part) for part in parts]
    off = sum((v - mean) ** 2 for part, mean in zip(parts, means, strict=True) for v in part)
    return off, sum(means) / 2


@given(ENTROPIES)
def test_boundary_is_the_best_split(values: list[float]) -> None:
    found = cluster_boundary(values)
    best = min(parted(values, at)[0] for at in range(1, len(values)))
    mine = [parted(values, at) for at in range(1, len(values))]
    assert any(
        off == pytest.approx(best, abs=1e-6) and mid == pytest.approx(found) for off, mid in mine
    )


def test_boundary_separates_two_clusters() -> None:
    heaps = [0.01 * n for n in range(20)] + [3 + 0.01 * n for n in range(5)]
    assert 0.2 < cluster_boundary(heaps) < 3


def test_each_method_gives_its_threshold() -> None:
    entropies = [n / 100 for n in range(101)]
    found = [
        find_threshold(way, 67, entropies, HERE)
        for way in ("none", "percentile", "clustering", 0.2)
    ]
    assert found == [inf, pytest.approx(0.67), pytest.approx(0.5, abs=0.01), 0.2]


@pytest.mark.parametrize("entropies", [[], [0.5], [0.5, 0.5]])
def test_threshold_needs_different_entropies(entropies: list[float]) -> None:
    with pytest.raises(UserError, match="--valid"):
        find_threshold("clustering", 67, entropies, HERE)
    assert find_threshold("none", 67, entropies, HERE) == inf


@given(st.text(st.sampled_from("ab<>{~ 1'"), max_size=20))
def test_unescape_is_the_inverse_of_escape(text: str) -> None:
    plain = escape(text, "ab 1'".__contains__)
    assert set(plain) <= set("ab 1'[u+0123456789cef]")
    assert unescape(plain) == text
