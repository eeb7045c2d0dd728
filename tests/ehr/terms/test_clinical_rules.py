"""The packaged clinical rules: complete, safe and named in both languages."""

import pytest

from tests.cases import for_each
from wardround.ehr.scores import FUNCTIONS
from wardround.ehr.terms.chinese import TermKind, chinese
from wardround.ehr.terms.clinical_rules import ClinicalRule, clinical_rules, is_of

RULES = clinical_rules()


def test_names_are_unique() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))


@for_each(RULES)
def test_rule_is_whole_and_worded_in_both_languages(rule: ClinicalRule) -> None:
    assert all((rule.source, rule.risk, rule.recheck, rule.avoided))
    assert rule.days >= 0
    assert bool(rule.test) != (rule.sign in ("together", "bought"))
    assert bool(rule.test) != bool(rule.beside)
    assert rule.sign != "bought" or (rule.action, rule.object) == ("stop", "beside")
    object = "" if rule.object == "beside" else rule.object
    kinds: dict[str, tuple[TermKind, ...]] = {
        rule.risk: ("diagnosis",), rule.recheck: ("test",), rule.avoided: ("drug",),
        object: ("service", "test") if rule.action == "order" else ("drug",),
    }  # fmt: skip
    if rule.test not in FUNCTIONS:
        kinds[rule.test] = ("test",)
    for name, allowed in kinds.items():
        assert not name or any(chinese(name, kind) for kind in allowed), name


@for_each(RULES)
def test_no_rule_avoids_what_it_recommends(rule: ClinicalRule) -> None:
    assert rule.avoided != rule.object
    gives = rule.action in ("raise", "resupply") or (rule.action, rule.object) == ("start", "")
    assert not (gives and is_of(rule.avoided, rule.drug))


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if rule.action in ("order", "start", "replace")],
    ids=lambda rule: rule.name,
)  # fmt: skip
def test_orders_and_starts_name_their_object(rule: ClinicalRule) -> None:
    assert rule.object not in ("", "beside")
