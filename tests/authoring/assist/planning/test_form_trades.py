"""Trades of implicit forms: those of each task type stay equally frequent."""

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from wardround.authoring.assist.planning.cells import Cell, cells, usual_forms
from wardround.authoring.assist.planning.form_trades import FormPlan, forms_of

SCENARIO = "med_safety"
SUITE = {n: each for n, each in enumerate(cells("suite")) if each.scenario == SCENARIO}


def frequencies(planned: dict[int, Cell]) -> Counter[tuple[str, str]]:
    """The forms of each task type."""
    return Counter(
        pair for each in planned.values() for pair in zip(each.arc[1:], each.forms, strict=True)
    )


@given(st.randoms(use_true_random=False))
def test_sessions_of_offered_orders_keep_the_forms_of_each_type(random: Random) -> None:
    plan = FormPlan(dict(SUITE))
    taken = {}
    for number in random.sample([*SUITE], len(SUITE)):
        offers = plan.offers(number)
        assert offers[0] == plan.cells[number]
        assert all(each.arc == SUITE[number].arc and each.forms[0] != "AE" for each in offers)
        taken[number] = random.choice(offers)
        plan.take(number, taken[number].forms)
        assert frequencies(plan.cells) == frequencies(SUITE)
    assert plan.cells == taken


def test_most_cells_may_have_other_orders_while_others_are_empty() -> None:
    plan = FormPlan(dict(SUITE))
    offered = [plan.offers(number) for number in SUITE]
    assert sum(len(each) > 1 for each in offered) > len(SUITE) / 2


def test_most_empty_cells_change_to_usual_orders() -> None:
    usual = Counter[bool]()
    for number in SUITE:
        for offer in FormPlan(dict(SUITE)).offers(number)[1:]:
            plan = FormPlan(dict(SUITE))
            plan.take(number, offer.forms)
            changed = [plan.cells[n] for n in SUITE if n != number and plan.cells[n] != SUITE[n]]
            usual.update(each.forms in usual_forms(each.arc) for each in changed)
    assert usual[True] > usual[False]


def test_the_last_cell_has_the_forms_that_are_left() -> None:
    *others, last = SUITE
    plan = FormPlan(dict(SUITE))
    for number in others:
        plan.take(number, SUITE[number].forms)
    same = [e for e in plan.offers(last) if frequencies({**SUITE, last: e}) == frequencies(SUITE)]
    assert plan.offers(last) == same


def test_cells_do_not_make_up_for_forms_that_no_order_has() -> None:
    number = next(n for n, each in SUITE.items() if each.arc == ("IL", "DG", "CR", "WU"))
    alone = FormPlan({number: replace(SUITE[number], forms=("NA", "PE", "AE"))})
    assert len(alone.offers(number)) == 1


def test_the_forms_of_a_session_are_those_of_its_implicit_turns() -> None:
    assert forms_of({"turn_subtypes": [None, "NA", "PE", "AE"]}) == ("NA", "PE", "AE")
