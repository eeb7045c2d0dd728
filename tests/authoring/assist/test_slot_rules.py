"""The rules of a case: those of the chart and of the account, in time and in step."""

from dataclasses import replace

from tests.authoring.assist.made_drafts import bound, order
from wardround.authoring.assist.facts.discrepancies import Discrepancy
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.slots import SlotFiller, _rules

UNTAKEN = replace(bound("loop_untaken", "furosemide"), is_told=True)
PAIR = bound("ace_inhibitor_loop", "lisinopril", "furosemide")
LOOP, DIGOXIN = bound("loop_potassium", "furosemide"), bound("digoxin_creatinine", "digoxin")


def rules(
    filler: SlotFiller, *held: BoundRule, untaken: bool = False, leaves: bool = False
) -> list[BoundRule]:
    """The rules of a patient whose chart has some."""
    candidate = filler.candidates[0]
    patient = replace(
        filler.record.patient(candidate, candidate.discharge),
        rules=held,
        findings=[order("furosemide"), order("lisinopril")],
        courses={"potassium": [4.0, 2.4]},
        tempting=["ibuprofen", "naproxen"],
    )
    differs = Discrepancy("furosemide", "ran_out", UNTAKEN) if untaken else None
    return _rules(patient, differs, {"ibuprofen": 3}, leaves=leaves)


def test_no_rule_is_about_a_drug_that_the_patient_does_not_take(filler: SlotFiller) -> None:
    found = rules(filler, LOOP, DIGOXIN, untaken=True)
    assert [(each.rule.name, each.drug) for each in found] == [
        ("loop_untaken", "furosemide"), ("digoxin_creatinine", "digoxin"),
    ]  # fmt: skip


def test_a_rule_avoids_a_tempting_drug_that_few_sessions_avoid(filler: SlotFiller) -> None:
    assert [each.avoided for each in rules(filler, PAIR)] == ["naproxen"]


def test_tests_are_repeated_as_soon_as_results_ask_for_and_together(filler: SlotFiller) -> None:
    assert [each.days for each in rules(filler, PAIR)] == [2]
    assert [each.days for each in rules(filler, LOOP)] == [0]
    assert [each.days for each in rules(filler, PAIR, LOOP)] == [0, 0]


def test_who_leaves_has_rules_about_home_drugs_and_none_for_today(filler: SlotFiller) -> None:
    assert [each.rule for each in rules(filler, PAIR, DIGOXIN, leaves=True)] == [PAIR.rule]
    assert rules(filler, PAIR, LOOP, leaves=True) == []
