"""Thresholds of the maximum entropy; these need no model."""

from collections.abc import Sequence
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.agents.t5.texts import escaped, unescaped
from wardround.agents.t5.thresholds import boundary, threshold_of
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
def test_clusters_are_the_best_there_are(values: list[float]) -> None:
    found = boundary(values)
    best = min(parted(values, at)[0] for at in range(1, len(values)))
    mine = [parted(values, at) for at in range(1, len(values))]
    assert any(
        off == pytest.approx(best, abs=1e-6) and mid == pytest.approx(found) for off, mid in mine
    )


def test_clusters_part_two_heaps() -> None:
    heaps = [0.01 * n for n in range(20)] + [3 + 0.01 * n for n in range(5)]
    assert 0.2 < boundary(heaps) < 3


def test_each_way_gives_its_threshold() -> None:
    entropies = [n / 100 for n in range(101)]
    found = [
        threshold_of(way, 67, entropies, HERE) for way in ("none", "percentile", "clustering", 0.2)
    ]
    assert found == [inf, pytest.approx(0.67), pytest.approx(0.5, abs=0.01), 0.2]


@pytest.mark.parametrize("entropies", [[], [0.5], [0.5, 0.5]])
def test_a_threshold_needs_entropies_that_differ(entropies: list[float]) -> None:
    with pytest.raises(UserError, match="--valid"):
        threshold_of("clustering", 67, entropies, HERE)
    assert threshold_of("none", 67, entropies, HERE) == inf


@given(st.text(st.sampled_from("ab<>{~ 1'"), max_size=20))
def test_what_is_written_out_is_read_back(text: str) -> None:
    plain = escaped(text, "ab 1'".__contains__)
    assert set(plain) <= set("ab 1'[u+0123456789cef]")
    assert unescaped(plain) == text
