from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from wardround.scoring.agreement import agreement, cohens_kappa

ratings = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40)


@given(ratings)
def test_kappa_is_symmetric(pairs: list[tuple[bool, bool]]) -> None:
    assert cohens_kappa(pairs) == cohens_kappa([(b, a) for a, b in pairs])


@given(ratings)
def test_kappa_ignores_order_and_the_names_of_decisions(pairs: list[tuple[bool, bool]]) -> None:
    assert cohens_kappa(pairs) == cohens_kappa(pairs[::-1])
    assert cohens_kappa(pairs) == cohens_kappa([(not a, not b) for a, b in pairs])


@given(ratings)
def test_kappa_lies_between_minus_1_and_the_agreement(pairs: list[tuple[bool, bool]]) -> None:
    kappa = cohens_kappa(pairs)
    if kappa is not None:
        share = sum(a == b for a, b in pairs) / len(pairs)
        assert -1 <= kappa <= share


@given(st.lists(st.booleans(), min_size=1))
def test_a_rater_agrees_with_itself(decisions: list[bool]) -> None:
    rated = dict(enumerate(decisions))
    found = agreement(rated, rated)
    assert found.share == 1
    assert found.kappa == (1.0 if len(set(decisions)) == 2 else None)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 30), st.integers(1, 30))
def test_kappa_of_a_table_follows_the_formula(a: int, b: int, c: int, d: int) -> None:
    pairs = [(True, True)] * a + [(True, False)] * b + [(False, True)] * c + [(False, False)] * d
    n = a + b + c + d
    chance = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
    kappa = cohens_kappa(pairs)
    assert kappa is not None
    assert isclose(kappa, ((a + d) / n - chance) / (1 - chance), abs_tol=1e-9)


def test_items_of_one_rater_alone_do_not_count() -> None:
    assert agreement({"a": True}, {"b": True}).share is None
