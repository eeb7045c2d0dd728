"""Both languages have the same wordings with the same values."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import Formatter
from typing import Any, get_args

from tests.authoring.assist.made_drafts import bound, lab, order, recorded, told
from tests.authoring.assist.wording import made_turns
from tests.cases import for_each
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.told_words import Part, told_lines, told_words
from wardround.authoring.assist.planning import reading_turns
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.item_checks import state_check
from wardround.authoring.assist.wording.stated_words import rule_words, stated_words
from wardround.authoring.assist.wording.wordings import wordings
from wardround.ehr.terms.clinical_rules import clinical_rules

# Entries whose words need no value that the other language needs, as Chinese has no pronoun.
# A Chinese question about the result that shows a harm begins with the harm.
SHOWN = ("implied", "named", "implied_whole", "named_whole")
FREE = ("ask", "NA", "PE", "AE", "phrase", "kind", *SHOWN)

VITAL_SIGNS = ("heart rate", "systolic blood pressure", "temperature celsius", "respiratory rate")


def entries(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The texts of the wordings by their paths."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from entries(value, f"{path}{name}.")
        else:
            yield path + name, value


ENGLISH, CHINESE = dict(entries(wordings("en"))), dict(entries(wordings("zh")))


def slots(text: str) -> set[str]:
    """The values that a text needs."""
    return {name.casefold() for _, name, _, _ in Formatter().parse(text) if name}


def test_both_languages_have_the_same_entries() -> None:
    assert ENGLISH.keys() == CHINESE.keys()


@for_each([path for path in ENGLISH if path.split(".")[-1] not in FREE])
def test_texts_of_an_entry_need_the_same_values(path: str) -> None:
    both = ENGLISH[path], CHINESE[path]
    texts = [each if isinstance(each, list) else [each] for each in both]
    if "question" not in path:
        assert [slots(text) for text in texts[0]] == [slots(text) for text in texts[1]]
    assert len(texts[0]) == len(texts[1])


def test_every_action_and_order_has_words() -> None:
    assert {rule.action for rule in clinical_rules()} <= set(wordings("en")["action"])


@for_each([part for part in get_args(Part) if part != "work"])
def test_what_patients_tell_is_worded_in_both_languages(part: Part) -> None:
    assert told_lines(part)
    for line in told_lines(part):
        assert told_words(line, part, "en")
        assert told_words(line, part, "zh")


@for_each([("furosemide", "患者有时漏服呋塞米。"), ("insulin", "患者有时漏用胰岛素。")])
def test_a_missed_drug_has_the_chinese_word_for_how_it_is_taken(drug: str, said: str) -> None:
    findings = [made_turns.finding("adherence", drug, number) for number in range(5)]
    assert said in [stated_words(each, "zh")["told"] for each in findings]


def test_a_chinese_flag_says_whether_its_risk_is_of_one_drug_or_of_two_together() -> None:
    writes = [drafts for _, drafts in made_turns.orders() if drafts[-1].form == "NA"]
    flags = [drafts for drafts in writes if drafts[-1].write.tool == "Flag.create"]
    for drafts in flags:
        answer = made_turns.texts(drafts).answer["zh"]
        assert ("合用的" if drafts[-1].bound.beside else "：使用") in answer, answer
    assert {bool(drafts[-1].bound.beside) for drafts in flags} == {True, False}


@for_each([each for each in made_turns.bound_rules() if each.rule.recheck])
def test_a_vital_sign_is_measured_again_and_a_test_is_repeated(each: BoundRule) -> None:
    verb = "复测" if each.rule.recheck in VITAL_SIGNS else "复查"
    assert rule_words(each, "zh")["recheck"].startswith(verb)
    assert "复" not in rule_words(each, "en")["recheck"]


def told_of_two() -> list[Draft]:
    """Turns about a prescribed drug, beside which the patient bought another."""
    account = told("sertraline", "good")
    other = {**account.slots, "other": recorded("drug", "ibuprofen")}
    told_too = replace(account, kind="other_drug", slots=other)
    ordered = Draft("IL", None, "ehr", (order("sertraline"),))
    return [ordered, Draft("IL", "NA", "patient", (told_too,))]


def test_a_prescribed_drug_beside_a_bought_one_is_graded_as_taken() -> None:
    checks = [each.check for each in made_turns.texts(told_of_two()).items]
    assert state_check("sertraline", "good") in checks


def test_bought_and_prescribed_drugs_are_both_taken_at_home() -> None:
    history = told_of_two()
    rule = bound("ssri_nsaid", "sertraline", "ibuprofen", is_told=True)
    draft = next(iter(reading_turns.drafts("CR", "AE", history, [lab("hemoglobin", 9.8)], [rule])))
    twin = made_turns.texts([*history, draft]).explicit
    assert "Considering sertraline and ibuprofen at home" in twin["en"]
    assert "考虑到患者在家服用舍曲林和布洛芬，再结合" in twin["zh"]


def test_a_result_that_matters_by_its_course_is_told_with_one_of_the_days_before() -> None:
    for number, is_told in ((0, False), (1, True)):
        found = made_turns.finding("lab_latest", "hemoglobin", number)
        texts = made_turns.texts([Draft("IL", None, "ehr", (found,), named=(found.entity,))])
        assert texts.answer["en"].endswith("It was 6.9 K/uL on 2148-03-31.") == is_told
        assert texts.answer["zh"].endswith("此前为 6.9 K/uL（2148-03-31）。") == is_told
