"""What is kept, against a plain list of what was used last."""

from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.kit.bounded_cache import BoundedCache


@given(used=st.lists(st.tuples(st.booleans(), st.integers(0, 6))), most=st.integers(1, 4))
def test_least_recently_used_values_are_dropped(used: list[tuple[bool, int]], most: int) -> None:
    kept = BoundedCache[int, str](most)
    last: list[int] = []
    for keeps, key in used:
        if keeps:
            kept.keep(key, str(key))
        else:
            assert kept.get(key) == (str(key) if key in last else None)
        if keeps or key in last:
            last = [*(each for each in last if each != key), key][-most:]
