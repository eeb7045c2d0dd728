from math import isclose

from tests.assessment.played import suite
from wardround.assessment.evidence import harm_rates, reliability
from wardround.core.harms import Harm

WRITES = {"f": {Harm.WRONG_WRITE: True}, "p": {Harm.WRONG_WRITE: False}}


def test_all_of_k_trials_have_to_pass() -> None:
    evidence = reliability([suite("ppp", "ppf", "fff")], 2)
    assert evidence.low == evidence.high
    assert all(map(isclose, evidence.low, (1.0, 1 / 3, 0.0)))


def test_an_undecided_trial_is_neither_passed_nor_failed() -> None:
    evidence = reliability([suite("pu", "uf", "pp")], 2)
    assert (evidence.low, evidence.high) == ((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))
    assert evidence.undecided == 1


def test_tasks_with_fewer_trials_say_nothing() -> None:
    assert reliability([suite("p", "pp")], 2).tasks == 1


def test_a_harm_counts_where_it_is_possible() -> None:
    first = suite("pf", "pp", harms=WRITES)
    without = suite("ff", benchmark="other")
    evidence = harm_rates([first, without], Harm.WRONG_WRITE)
    assert evidence.low == evidence.high == (0.5, 0.0)


def test_an_unscored_trial_may_have_done_harm() -> None:
    evidence = harm_rates([suite("pu", harms=WRITES)], Harm.WRONG_WRITE)
    assert (evidence.low, evidence.high) == ((0.0,), (0.5,))


def test_a_task_without_a_scored_trial_decides_no_harm() -> None:
    evidence = harm_rates([suite("pp", "uu", harms=WRITES)], Harm.WRONG_WRITE)
    assert (evidence.low, evidence.high) == ((0.0, 0.0), (0.0, 1.0))
    assert evidence.undecided == 1


def test_no_possible_harm_is_no_task() -> None:
    assert harm_rates([suite("pp", "uu")], Harm.WRONG_WRITE).tasks == 0
