"""Checks stored beside items come before those of their sentences."""

from dataclasses import replace
from typing import Literal

import pytest

from tests.benchmarks.assist.checks.fixture_turns import turns
from tests.cases import for_each
from wardround.benchmarks.assist.checks.decider import (
    check_of,
    decide_items,
    read_check,
    stored_check,
)
from wardround.benchmarks.assist.checks.orders import OrderItem, Written, decide_order
from wardround.core.errors import UserError


def test_every_compiled_check_is_stored_and_read_again() -> None:
    for turn in turns():
        for number, item in enumerate(turn.gold.rubric[turn.language]):
            check = check_of(turn.gold, number, item, turn.language)
            assert check is not None
            stored = stored_check({turn.language: check})
            assert read_check(stored, item) == {turn.language: check}


def test_a_stored_check_comes_first() -> None:
    turn = turns()[0]
    stored = {"en": {"kind": "answer", "test": "language", "language": "zh"}}
    with_check = replace(turn, gold=replace(turn.gold, checks=(stored,)))
    assert [each.state for each in with_check.findings()] == ["failed", "passed", "passed"]


def test_an_unknown_form_is_one_sentence() -> None:
    with pytest.raises(UserError, match="stored check of no known form"):
        read_check({"en": {"kind": "telepathy"}}, "States it.")


@pytest.mark.parametrize(
    ("answer", "states"),
    [
        ("Stop ibuprofen.", ["passed", "passed"]),
        ("Stop ibuprofen. Raise the dose of warfarin.", ["passed", "failed"]),
        ("I do not know.", ["failed", "failed"]),
        ("The patient was born on 2090-01-01.", ["failed", "failed"]),
        ("Perhaps stop ibuprofen.", ["undecided", "undecided"]),
    ],
)
def test_an_answer_without_advice_earns_nothing_by_what_it_leaves_out(
    answer: str, states: list[str]
) -> None:
    turn = turns()[0]
    fact = {"kind": "fact", "aspect": "action"}
    stop = {**fact, "subject": {"kind": "drug", "name": "ibuprofen"}, "word": "stop"}
    more = {**fact, "subject": {"kind": "drug", "name": "warfarin"}, "word": "raise",
            "forbidden": True, "earned": True}  # fmt: skip
    gold = replace(
        turn.gold,
        rubric={"en": ("Stops it", "Does not raise it")},
        checks=({"en": stop}, {"en": more}),
    )
    assert [each.state for each in decide_items(gold, "en", answer, ())] == states


@for_each([("metformin", "passed"), ("glipizide", "failed"), ("glucofage", "undecided")])
def test_an_order_of_something_else_is_another(medication: str, state: str) -> None:
    turn = turns()[0]
    subject = {"kind": "order", "test": "subject", "names": ["metformin"]}
    dose = {"kind": "order", "test": "field", "field": "dose", "names": ["850 mg"]}
    single = {"kind": "order", "test": "single", "earned": True}
    gold = replace(
        turn.gold,
        rubric={"en": ("Orders metformin", "The dose is 850 mg", "Orders nothing else")},
        checks=({"en": subject}, {"en": dose}, {"en": single}),
    )
    written = Written("MedicationRequest.create", {"medication": medication, "dose": "850 mg"})
    findings = list(decide_items(gold, "en", "Ordered.", [written]))
    assert [each.state for each in findings] == [state, "passed", state]


@for_each(
    [
        ("heparin", "5000 units", "failed"),
        ("heparin", "0 units", "undecided"),
        ("heparin - discontinue", "", "undecided"),
        ("enoxaparin", "40 mg", "passed"),
    ]
)
def test_an_order_that_stops_a_drug_does_not_give_it(
    medication: str, dose: str, state: str
) -> None:
    written = Written("MedicationRequest.create", {"medication": medication, "dose": dose})
    item = OrderItem(test="none", names=("heparin",))
    assert decide_order(item, [written]).state == state


@pytest.mark.parametrize(
    ("dose", "state"),
    [("5 mg", "passed"), ("2.5 mg", "passed"), ("10 mg", "failed"), ("1 tablet", "undecided")],
)
def test_a_write_has_no_more_than_a_dose(dose: str, state: str) -> None:
    item = OrderItem(test="most", field="dose", names=("5 mg",))
    written = Written("MedicationRequest.create", {"medication": "warfarin", "dose": dose})
    assert decide_order(item, [written]).state == state
    assert decide_order(item, [Written("Flag.create", {})]).state == "failed"


@pytest.mark.parametrize(
    ("test", "name", "state"),
    [
        ("subject", "digoxin toxicity", "passed"),
        ("subject", "bleeding", "failed"),
        ("none", "digoxin", "passed"),
    ],
)
def test_a_flag_about_the_toxicity_of_a_drug_is_no_order_of_it(
    test: Literal["subject", "none"], name: str, state: str
) -> None:
    flag = Written("Flag.create", {"category": "safety", "code": "digoxin toxicity risk"})
    assert decide_order(OrderItem(test=test, names=(name,)), [flag]).state == state


def test_a_flag_names_its_risk_by_any_of_its_names() -> None:
    flag = Written("Flag.create", {"category": "safety", "code": "acute kidney injury risk"})
    item = OrderItem(test="subject", names=("acute kidney failure",))
    assert decide_order(item, [flag]).state == "passed"


@for_each(
    [
        ("code", "bleeding from warfarin", "bleeding", "passed"),
        ("code", "stroke, bleeding and acute kidney injury", "bleeding", "undecided"),
        ("code", "no risk of bleeding", "bleeding", "failed"),
        ("code", "stroke", "bleeding", "failed"),
        ("medication", "furosemide, digoxin, warfarin", "digoxin", "undecided"),
        ("medication", "digoxin tablet", "digoxin", "passed"),
        ("service_type", "creatinine, potassium, lactate", "creatinine", "undecided"),
        ("service_type", "repeat creatinine", "creatinine", "passed"),
    ]
)
def test_a_write_about_several_things_is_not_taken_for_one_of_them(
    field: str, subject: str, name: str, state: str
) -> None:
    written = Written("MedicationRequest.create", {field: subject})
    assert decide_order(OrderItem(test="subject", names=(name,)), [written]).state == state
