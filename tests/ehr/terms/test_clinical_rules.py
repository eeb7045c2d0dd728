"""The packaged clinical rules: complete, safe and named in both languages."""

from tests.cases import for_each
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.scores import FUNCTIONS
from wardround.ehr.terms.chinese import TermKind, chinese
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.clinical_rules import (
    ClinicalRule,
    clinical_rule,
    clinical_rules,
    is_of,
    tempting_drugs,
)
from wardround.ehr.terms.drugs import generics

RULES = clinical_rules()
SIGNS = ("heart rate", "respiratory rate", "systolic blood pressure", "temperature celsius",
         "o2 saturation pulseoxymetry")  # fmt: skip
TEMPTATIONS = list(read_rows("wardround.ehr.terms", "temptations.tsv"))


def test_names_are_unique() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))


@for_each(RULES)
def test_rule_is_whole_and_worded_in_both_languages(rule: ClinicalRule) -> None:
    assert all((rule.source, rule.risk, rule.recheck, rule.avoided))
    assert rule.days >= 0
    assert bool(rule.test) != (rule.sign in ("together", "bought"))
    assert [bool(each) for each in (rule.test, rule.beside, rule.age)].count(True) == 1
    assert rule.sign != "bought" or (rule.action, rule.object) == ("stop", "beside")
    object = "" if rule.object == "beside" else rule.object
    kinds: dict[str, tuple[TermKind, ...]] = {
        rule.risk: ("diagnosis",), rule.recheck: ("test",),
        **dict.fromkeys(rule.avoided, ("drug",)),
        **dict.fromkeys(rule.unless, ("diagnosis",)),
        object: ("service", "test") if rule.action == "order" else ("drug",),
    }  # fmt: skip
    if rule.test not in FUNCTIONS:
        kinds[rule.test] = ("test",)
    for name, allowed in kinds.items():
        assert not name or any(chinese(name, kind) for kind in allowed), name


def test_a_vital_sign_is_measured_again_today() -> None:
    assert {rule.days for rule in RULES if rule.recheck in SIGNS} == {0}
    assert len([rule for rule in RULES if rule.recheck in SIGNS]) > 20


def test_a_beta_blocker_that_is_not_taken_asks_for_an_electrocardiogram() -> None:
    rule = clinical_rule("beta_blocker_untaken")
    assert (rule.also, rule.recheck, rule.days) == ("monitor", "heart rate", 0)


def test_nobody_starts_a_drug_because_of_two_others() -> None:
    assert not [rule for rule in RULES if rule.beside and rule.action == "start"]


@for_each(RULES)
def test_no_rule_avoids_what_it_recommends(rule: ClinicalRule) -> None:
    assert rule.object not in rule.avoided
    gives = rule.action in ("raise", "resupply") or (rule.action, rule.object) == ("start", "")
    assert not (gives and any(is_of(each, rule.drug) for each in rule.avoided))


@for_each([rule for rule in RULES if rule.action in ("order", "start", "replace")])  # fmt: skip
def test_orders_and_starts_name_their_object(rule: ClinicalRule) -> None:
    assert rule.object not in ("", "beside")


def test_every_avoided_drug_can_be_tempting() -> None:
    known = {drug for drug, *_ in TEMPTATIONS}
    assert {drug for rule in RULES for drug in rule.avoided} <= known


@for_each(TEMPTATIONS)
def test_a_temptation_is_about_known_drugs(drug: str, ordered: str, ninth: str, tenth: str) -> None:
    names = {each.name for each in drug_classes()}
    groups = split_cell(ordered)
    assert all(group in names or generics(group) for group in (drug, *groups))
    assert groups or (ninth and tenth)


def test_a_drug_tempts_by_an_order_or_a_diagnosis() -> None:
    assert "ketorolac" in tempting_drugs(["morphine"], [])
    assert "glipizide" in tempting_drugs([], ["E1165"])
    assert not {"ketorolac", "glipizide"} & tempting_drugs(["metoprolol"], ["I10"])
