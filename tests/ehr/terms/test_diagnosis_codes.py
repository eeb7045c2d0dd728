"""The codes of diagnoses that rules warn of, and the drugs that a diagnosis forbids."""

import re

import pytest

from tests.cases import for_each
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.clinical_rules import (
    clinical_rule,
    clinical_rules,
    held_groups,
    is_of_any,
)
from wardround.ehr.terms.diagnosis_codes import code_beginnings, coded_diagnoses
from wardround.ehr.terms.drugs import generics

CONTRAINDICATIONS = list(read_rows("wardround.ehr.terms", "contraindications.tsv"))


def test_every_risk_of_a_rule_has_codes() -> None:
    assert {rule.risk for rule in clinical_rules()} <= code_beginnings().keys()


def test_codes_are_beginnings_without_dots() -> None:
    for name, beginnings in code_beginnings().items():
        assert beginnings, name
        assert all(re.fullmatch(r"[A-Z]?[0-9][0-9A-Z]*|[A-Z]", each) for each in beginnings), name


@pytest.mark.parametrize(
    ("code", "diagnosis"),
    [
        ("2767", "hyperkalemia"),
        ("E875", "hyperkalemia"),
        ("5789", "bleeding"),
        ("K922", "gastrointestinal hemorrhage"),
        ("5849", "acute kidney failure"),
        ("I5033", "heart failure"),
    ],
)
def test_a_code_says_a_diagnosis(code: str, diagnosis: str) -> None:
    assert diagnosis in coded_diagnoses([code])


def test_epilepsy_is_no_seizure_and_a_tumour_no_infection() -> None:
    assert coded_diagnoses(["34590", "G40909", "1628"]) == frozenset()


@for_each(CONTRAINDICATIONS)
def test_a_contraindication_is_about_known_drugs_and_diagnoses(
    drug: str, diagnosis: str, source: str
) -> None:
    assert drug in {each.name for each in drug_classes()} or generics(drug)
    assert diagnosis in code_beginnings()
    assert source


def test_a_drug_is_held_for_its_result_or_a_diagnosis() -> None:
    low = [clinical_rule("heparin_low_platelets"), clinical_rule("warfarin_aspirin")]
    assert is_of_any("enoxaparin", held_groups(low, ()))
    assert not is_of_any("warfarin", held_groups(low, ()))
    assert is_of_any("clopidogrel", held_groups([], ["bleeding"]))
    assert held_groups([], ()) == frozenset()
