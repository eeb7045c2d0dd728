"""Seeds depend on all their parts and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from wardround.core.seeds import derive_seed

parts = st.tuples(st.integers(0, 99), st.text(max_size=8), st.integers(0, 9))


def test_seed_is_the_same_on_every_machine() -> None:
    assert derive_seed(0, "mimic_iv_star-incre-1", 0) == 3425206391711841527


@given(parts, parts)
def test_different_parts_give_different_seeds(
    one: tuple[int, str, int], two: tuple[int, str, int]
) -> None:
    assert (derive_seed(*one) == derive_seed(*two)) == (one == two)
