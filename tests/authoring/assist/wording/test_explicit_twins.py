"""Explicit twins name what their questions mean, and answers and items name it too."""

import re
from dataclasses import replace
from datetime import date

from tests.authoring.assist.made_drafts import bound, lab, order, recorded, told
from tests.authoring.assist.wording import made_turns
from tests.cases import for_each
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.gates.chinese_twins import chinese_faults
from wardround.authoring.assist.gates.implicitness import names_entity, twin_faults
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.orders import order_drafts
from wardround.authoring.assist.planning.reading_turns import drafts
from wardround.authoring.assist.wording.questions import is_short, question_text
from wardround.authoring.assist.wording.turn_texts import TurnTexts, are_short
from wardround.authoring.assist.wording.wordings import value_words, wordings
from wardround.benchmarks.assist.checks.items import Statement
from wardround.benchmarks.assist.checks.orders import OrderItem
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.sessions import LANGUAGES, Subtype

FUROSEMIDE, DIGOXIN, STATIN = order("furosemide"), order("digoxin"), order("atorvastatin")
ASPIRIN, CLOPIDOGREL, SERTRALINE = order("aspirin"), order("clopidogrel"), order("sertraline")
CREATININE, HEMOGLOBIN = lab("creatinine", 2.5), lab("hemoglobin", 9.8)
POTASSIUM = lab("potassium", 4.0)
LISINOPRIL, KIDNEY = order("lisinopril"), bound("ace_inhibitor_loop", "lisinopril", "furosemide")
TOXICITY = bound("digoxin_creatinine", "digoxin")
BLEEDING = bound("xa_inhibitor_antiplatelet", "apixaban", "aspirin")
ACCOUNT = told("sertraline", "good")
BOUGHT = replace(
    ACCOUNT, kind="other_drug", slots={**ACCOUNT.slots, "other": recorded("drug", "ibuprofen")}
)
SSRI = bound("ssri_nsaid", "sertraline", "ibuprofen", is_told=True)

DAY = date(2148, 4, 3)


def turn(*findings: Finding, rule: BoundRule | None = None) -> Draft:
    """A turn that found something, and that reasoned if it has a rule."""
    return Draft("CR" if rule else "IL", None, "ehr", findings, rule)


def asked(history: list[Draft], found: list[Finding], rule: BoundRule) -> tuple[Draft, TurnTexts]:
    """The first abstract question about a rule, with its texts."""
    draft = next(iter(drafts("CR", "AE", history, found, [rule])))
    return draft, made_turns.texts([*history, draft])


def test_a_twin_names_the_drugs_that_its_answer_is_about() -> None:
    history = [turn(STATIN), turn(LISINOPRIL), turn(FUROSEMIDE)]
    draft, texts = asked(history, [CREATININE], KIDNEY)
    for language in LANGUAGES:
        for finding, is_named in ((STATIN, False), (LISINOPRIL, True), (FUROSEMIDE, True)):
            assert names_entity(texts.explicit[language], finding.entity) == is_named
            assert not names_entity(texts.question[language], finding.entity)
    assert not list(twin_faults(draft, texts))
    less = {lang: text.replace("lisinopril", "a drug") for lang, text in texts.explicit.items()}
    assert list(twin_faults(draft, replace(texts, explicit=less)))


def test_a_twin_names_the_result_of_an_earlier_turn() -> None:
    history = [turn(CREATININE), turn(DIGOXIN)]
    found = (replace(DIGOXIN, kind="given"),)
    for form in ("NA", "AE"):
        draft = Draft("CR", form, "ehr", found, TOXICITY, omitted=((CREATININE.entity, 0),))
        texts = made_turns.texts([*history, draft])
        assert "the latest creatinine" in texts.explicit["en"]
        assert "最新肌酐" in texts.explicit["zh"]
        assert "this creatinine" not in texts.explicit["en"]


def test_a_twin_names_the_results_that_its_items_demand() -> None:
    loop = bound("digoxin_loop", "digoxin", "furosemide")
    history = [turn(replace(DIGOXIN, kind="given"), CREATININE, rule=TOXICITY), turn(FUROSEMIDE)]
    texts = made_turns.texts([*history, Draft("CR", "AE", "ehr", (DIGOXIN,), loop)])
    items = [item.texts["en"] for item in texts.items]
    assert any("States the latest creatinine" in each for each in items)
    assert "the latest creatinine" in texts.explicit["en"]


def test_what_adds_to_a_risk_is_asked_for_said_and_graded() -> None:
    history = [turn(SERTRALINE), turn(BOUGHT), turn(ASPIRIN)]
    draft, texts = asked(history, [HEMOGLOBIN], SSRI)
    assert [each.drug for each in draft.adding] == ["aspirin"]
    assert "sertraline, aspirin and ibuprofen at home together with" in texts.explicit["en"]
    assert "考虑到在用舍曲林和阿司匹林，在家服用布洛芬，再结合" in texts.explicit["zh"]
    [item] = [item for item in texts.items if "adds" in item.texts["en"]]
    assert item.check
    for language in LANGUAGES:
        check = Statement.model_validate(item.check[language])
        sentence = {
            "en": " Aspirin adds to the risk of bleeding.",
            "zh": "阿司匹林也会增加出血风险。",
        }
        answer = texts.answer[language]
        assert decide_statement(check, answer, language).state == "passed"
        less = answer.replace(sentence[language], "")
        assert less != answer
        assert decide_statement(check, less, language).state != "passed"


def test_what_adds_nothing_is_not_said_to_add() -> None:
    history = [turn(STATIN), turn(LISINOPRIL), turn(FUROSEMIDE)]
    draft, texts = asked(history, [CREATININE], KIDNEY)
    assert not draft.adding
    assert "adds to" not in texts.answer["en"]


@for_each(["NA", "AE"])
def test_a_flag_names_every_drug_of_its_risk(form: Subtype) -> None:
    history = [turn(order("apixaban")), turn(CLOPIDOGREL), turn(ASPIRIN, HEMOGLOBIN, rule=BLEEDING)]
    [flag] = order_drafts(form, history, [BLEEDING], DAY, ["Flag.create"])
    texts = made_turns.texts([*history, flag])
    assert "from apixaban, aspirin and clopidogrel" in texts.explicit["en"]
    assert "from apixaban, aspirin and clopidogrel" in texts.answer["en"]
    assert "氯吡格雷" in texts.explicit["zh"]
    [item] = [e for e in texts.items if e.texts["en"] == "The detail names aspirin and clopidogrel"]
    assert item.check
    says = OrderItem.model_validate(item.check["en"]).says
    assert says is not None
    detail = str(flag.write.arguments["detail"])
    assert decide_statement(says, detail, "en").state == "passed"
    less = detail.replace(" and clopidogrel", "")
    assert decide_statement(says, less, "en").state == "failed"
    assert len(texts.items) <= 6


def test_a_flag_after_three_drugs_is_about_the_risk_of_the_question_before() -> None:
    history = [turn(SERTRALINE), turn(order("apixaban")), turn(ASPIRIN, HEMOGLOBIN, rule=BLEEDING)]
    [flag] = order_drafts("NA", history, [BLEEDING], DAY, ["Flag.create"])
    texts = made_turns.texts([*history, flag])
    assert "about that bleeding risk" in texts.question["en"]
    assert "上述出血风险" in texts.question["zh"]
    assert not list(order_drafts("NA", [*history, turn(STATIN)], [BLEEDING], DAY, ["Flag.create"]))


def test_a_flag_is_about_the_risk_of_those_drugs_if_no_other_was_told() -> None:
    history = [turn(order("apixaban")), turn(CLOPIDOGREL), turn(ASPIRIN), turn(HEMOGLOBIN)]
    [flag] = order_drafts("NA", history, [BLEEDING], DAY, ["Flag.create"])
    texts = made_turns.texts([*history, flag])
    assert "the bleeding risk of those drugs" in texts.question["en"]
    assert "这些药的出血风险" in texts.question["zh"]
    assert not list(order_drafts("NA", [turn(STATIN), *history], [BLEEDING], DAY, ["Flag.create"]))


def test_the_harm_of_a_drug_that_is_not_taken_rests_on_chart_and_account() -> None:
    untaken = bound("metformin_untaken", "metformin", is_told=True)
    draft = Draft("IL", "AE", "ehr", (lab("glucose", 207),), untaken)
    texts = made_turns.texts([turn(order("metformin")), turn(told("metformin")), draft])
    assert texts.question["en"].startswith("Given the chart and the patient's account, what did")
    assert texts.question["zh"].startswith("结合病历和患者自述，监测")
    assert "that drug" not in texts.question["en"]  # the account alone would tell the harm
    assert "order" not in texts.question["en"]
    assert "医嘱" not in texts.question["zh"]
    assert "with metformin not taken at home" in texts.explicit["en"]


def test_the_harm_of_two_drugs_follows_from_those_drugs() -> None:
    draft = Draft("IL", "AE", "ehr", (CREATININE,), KIDNEY)
    pair = made_turns.texts([turn(LISINOPRIL), turn(FUROSEMIDE), draft])
    assert "from those drugs" in pair.question["en"]
    assert "from lisinopril with furosemide" in pair.explicit["en"]


@for_each([("lab_latest", "whether normal"), ("vital_latest", "against the reading before")])
def test_a_result_that_shows_a_harm_is_named_before_what_is_asked_of_it(
    case: tuple[str, str],
) -> None:
    kind, asked = case
    shown = wordings("en")["finding"][kind]["shown"]
    for key in ("implied", "named", "implied_whole", "named_whole"):
        assert shown[key].endswith(asked)
        assert "to watch for" in shown[key].removesuffix(asked)


@for_each(["adherence", "other_drug"])
def test_a_fragment_about_home_use_is_as_it_is_said(kind: str) -> None:
    text = wordings("en")["finding"][kind]["gathered"]["PE"]
    assert "by the patient's account" in text
    assert "(" not in text


@for_each(["phrase", "NA"])
def test_the_day_and_amount_of_a_first_dose_have_an_article(form: str) -> None:
    table = wordings("en")["finding"]["first_given"]
    assert all(table[key][form].startswith("the day") for key in ("gathered", "whole"))


@for_each(["given", "first_given"])
def test_which_dose_came_later_is_asked_by_time_and_not_by_day(kind: str) -> None:
    compared = wordings("zh")["finding"][kind]["compared"]
    for form in ("AE", "explicit"):
        assert all("什么时候" in text and "哪天" not in text for text in compared[form])


def test_when_and_how_often_a_symptom_comes_is_asked_for() -> None:
    table = wordings("zh")["finding"]["symptoms"]
    for text in (table["phrase"], *table["ask"]["explicit"]):
        assert "发作时间和频率" in text
    assert value_words("several times a day", "timing", "zh") == "每天发作数次"
    asked = wordings("en")["finding"]["symptoms"]["ask"]["explicit"]
    assert all("when and how often" in each for each in asked)


def test_a_dose_of_the_ward_is_given_to_the_patient() -> None:
    texts = wordings("zh")["finding"]["given"]["ask"]["explicit"]
    assert all("给患者用" in text or "给药是" in text for text in texts)


def test_how_long_an_order_has_been_unchanged_is_asked_as_people_say_it() -> None:
    asked = replace(STATIN, kind="order")
    questions = {
        form: made_turns.texts(
            [
                turn(replace(DIGOXIN, kind="given"), CREATININE, POTASSIUM),
                Draft(
                    "DG", form, "ehr", (asked, DIGOXIN),
                    named=(asked.entity,), omitted=((DIGOXIN.entity, 0),),
                ),
            ]
        ).question
        for form in ("NA", "PE")
    }  # fmt: skip
    assert "atorvastatin dose ordered and for how long unchanged" in questions["NA"]["en"]
    assert "atorvastatin dose ordered, unchanged for how long" in questions["PE"]["en"]
    assert " it " not in questions["PE"]["en"]
    table = wordings("zh")["finding"]["order"]
    for text in (table["phrase"], table["NA"], table["PE"], table["AE"]):
        assert "已多久未调整" in text


@for_each(["lab_latest", "lab_first"])
def test_a_result_has_a_value_and_no_amount(kind: str) -> None:
    asked = wordings("en")["finding"][kind]["ask"]
    texts = [text for form in ("explicit", "NA", "PE") for text in asked[form]]
    assert not any("how much" in text for text in texts)
    assert any("what value" in text for text in texts)


@for_each(["adherence", "other_drug"])
def test_how_a_drug_is_taken_at_home_is_asked_without_whether(kind: str) -> None:
    table = wordings("en")["finding"][kind]
    for form in ("phrase", "NA", "AE"):
        assert table[form].startswith(("how and for what", "how and why the drug"))
        assert table[form].endswith("is taken at home")


def test_a_repeat_is_of_the_tests_of_a_risk_and_a_change_is_asked_for_in_usual_chinese() -> None:
    table = wordings("zh")
    assert all("复查相关化验指标的检验单" in text for text in table["order"]["repeat"]["AE"])
    shown = table["finding"]["vital_latest"]["shown"]
    for form in ("account", "AE", "explicit"):
        assert all("较前一次有何变化" in text for text in shown[form])


@for_each(["high", "low"])
def test_a_chinese_level_is_no_change(level: str) -> None:
    assert value_words(level, "flag", "zh") == {"high": "偏高", "low": "偏低"}[level]


def test_a_new_risk_leans_on_no_other_turn() -> None:
    table = wordings("zh")["question"]
    texts = (*table["new_risk"], *table["whole"]["new_risk"])
    assert all("新的风险" in each and "已提到" not in each for each in texts)


def test_a_twin_names_drugs_of_the_advice_that_its_answer_repeats() -> None:
    level = bound("vancomycin_creatinine", "vancomycin")
    first = turn(order("vancomycin"), STATIN, rule=level)
    draft, _ = asked([first, turn(LISINOPRIL), turn(FUROSEMIDE)], [CREATININE], KIDNEY)
    assert draft.meant_drugs == ("vancomycin", "lisinopril", "furosemide")


def test_an_answer_says_in_both_languages_that_a_level_is_missing() -> None:
    history = [turn(DIGOXIN), turn(POTASSIUM)]
    draft = next(iter(drafts("CR", "NA", history, [CREATININE], [TOXICITY])))
    answer = made_turns.texts([*history, draft]).answer
    assert "This stay has no digoxin level yet." in answer["en"]
    assert "本次住院尚无地高辛血药浓度结果。" in answer["zh"]
    assert not list(chinese_faults(answer))


def test_a_question_means_what_its_twin_names() -> None:
    drugs = [turn(LISINOPRIL), turn(FUROSEMIDE)]
    _, texts = asked(drugs, [CREATININE], KIDNEY)
    assert texts.question["en"].startswith("All those drugs together with the latest creatinine")
    assert texts.question["zh"].startswith("综合以上用药")
    sodium = [turn(lab("sodium", 131)), turn(DIGOXIN), turn(CREATININE)]
    draft, texts = asked(sodium, [replace(DIGOXIN, kind="given")], TOXICITY)
    assert texts.question["en"].startswith("All of that together with")
    assert "the latest creatinine" in texts.explicit["en"]
    assert "sodium" not in texts.explicit["en"]
    assert not list(twin_faults(draft, texts))
    less = {lang: text.replace("creatinine", "test") for lang, text in texts.explicit.items()}
    assert list(twin_faults(draft, replace(texts, explicit=less)))


def test_a_drug_looked_up_after_its_result_carries_the_risk_in_both_twins() -> None:
    draft = next(iter(drafts("CR", "NA", [turn(CREATININE)], [DIGOXIN], [TOXICITY])))
    texts = made_turns.texts([turn(CREATININE), draft])
    words = "what risk does digoxin carry"
    assert texts.question["en"].startswith("Looking at that test's latest value and")
    assert words in texts.question["en"]
    assert texts.question["zh"].startswith("结合该指标的最新值和最近一次地高辛医嘱")
    assert "来看" not in texts.question["zh"]
    assert words in texts.explicit["en"]


@for_each(
    [
        ("NA", "that test's latest value", "该指标的最新值"),
        ("PE", "the latest value", "该指标最新结果"),
    ]
)
def test_a_question_means_the_result_that_its_twin_names(
    case: tuple[Subtype, str, str],
) -> None:
    form, english, chinese = case
    magnesium, pantoprazole = lab("magnesium", 1.4), order("pantoprazole")
    rule = bound("ppi_magnesium", "pantoprazole")
    history = [turn(magnesium, replace(pantoprazole, kind="given"))]
    draft = next(iter(drafts("CR", form, history, [pantoprazole], [rule])))
    texts = made_turns.texts([*history, draft])
    assert "the latest magnesium" in texts.explicit["en"]
    assert english in texts.question["en"]
    assert chinese in texts.question["zh"]


def test_the_prescribed_drug_is_not_the_one_that_the_patient_bought() -> None:
    draft = Draft("CR", "NA", "ehr", (HEMOGLOBIN,), SSRI, omitted=((BOUGHT.entity, 0),))
    texts = made_turns.texts([turn(BOUGHT), draft])
    assert "what else is taken at home" in texts.question["en"]
    assert "that prescribed drug" in texts.question["en"]
    assert "该处方药" in texts.question["zh"]


def test_the_twin_of_a_score_asks_for_its_value() -> None:
    scores = [(label, e) for label, e in made_turns.reasonings() if e[-1].bound.is_score]
    explicit = [made_turns.texts(each).explicit["en"] for _, each in scores]
    assert any("clearance" in each for each in explicit)
    assert all(re.search(r"\bwhat (?:\S+ ){1,3}?(?:clearance|score)\b", e, re.I) for e in explicit)


@for_each(["NA", "PE"])
def test_two_orders_are_told_apart_where_the_one_that_is_left_out_comes_last(form: Subtype) -> None:
    both = Draft(
        "CR", form, "ehr", (CREATININE, LISINOPRIL, FUROSEMIDE), KIDNEY,
        named=(LISINOPRIL.entity,), omitted=((FUROSEMIDE.entity, 0),),
    )  # fmt: skip
    question = made_turns.texts([turn(replace(FUROSEMIDE, kind="given")), both]).question["en"]
    words = {
        "NA": "the earlier drug's latest order",
        "PE": "the latest orders of lisinopril and the earlier drug:",
    }
    assert words[form] in question
    assert " its " not in question


@for_each(["order", "given"])
def test_what_is_left_out_is_not_read_as_the_other_drug_of_a_question(kind: str) -> None:
    pair = bound("digoxin_beta_blocker", "digoxin", "metoprolol")
    other = replace(order("metoprolol"), kind="given" if kind == "order" else "order")
    found = (replace(DIGOXIN, kind=kind), other)
    words: tuple[tuple[Subtype, str, str], ...] = (
        ("AE", "the earlier drug's", "前面那种药"),
        ("PE", "the other drug's", "另一种药"),
    )
    for form, english, chinese in words:
        draft = Draft("CR", form, "ehr", found, pair, omitted=((DIGOXIN.entity, 0),))
        question = made_turns.texts([turn(told("digoxin")), draft]).question
        assert english in question["en"]
        assert chinese in question["zh"]
        assert form != "PE" or question["en"].index("metoprolol") < question["en"].index(english)
        assert form != "PE" or question["zh"].index("美托洛尔") < question["zh"].index(chinese)


def test_a_fragment_has_its_result_first_and_says_both_orders_as_one() -> None:
    potassium, rule = lab("potassium", 3.2), bound("digoxin_loop", "digoxin", "furosemide")
    draft = Draft(
        "CR", "PE", "ehr", (DIGOXIN, FUROSEMIDE), rule, named=(DIGOXIN.entity,),
        omitted=((FUROSEMIDE.entity, 0), (potassium.entity, 0)),
    )  # fmt: skip
    question = made_turns.texts([turn(potassium, FUROSEMIDE), draft]).question
    start = (
        "Given the latest value, and the latest orders of digoxin and the earlier drug: what risk"
    )
    assert question["en"].startswith(start)
    assert question["zh"].startswith(
        "结合该指标最新结果，以及地高辛和前面提到的药各自最近一次的医嘱，两药合用有什么风险"
    )


@for_each(["lab_latest", "lab_first", "lab_course", "vital_latest"])
def test_a_question_after_a_drug_says_that_it_means_the_result(kind: str) -> None:
    table = wordings("en")["finding"][kind]
    for text in (*table["ask"]["NA"], table["NA"]):
        assert "that test" in text or "that result" in text or "that measurement" in text


def test_a_first_value_is_of_a_told_result_and_not_of_a_test_just_ordered() -> None:
    table = wordings("en")["finding"]["lab_first"]
    for text in (
        *table["ask"]["NA"],
        table["NA"],
        *(table[e]["NA"] for e in ("gathered", "whole")),
    ):
        assert "that result" in text
        assert "result's" not in text


def test_a_question_names_its_new_drug_beside_a_result() -> None:
    found = (lab("potassium", 3.2), order("methylprednisolone"))
    steroid = bound("loop_steroid", "furosemide", "methylprednisolone")
    draft = next(iter(drafts("CR", "NA", [turn(FUROSEMIDE)], found, [steroid])))
    question = made_turns.texts([turn(FUROSEMIDE), draft]).question
    assert (
        "what risk does methylprednisolone carry together with the earlier drug" in question["en"]
    )
    assert "甲泼尼龙与前面提到的药合用" in question["zh"]


def test_a_question_has_its_shorter_wording_where_the_longer_one_has_too_many_words() -> None:
    history = [turn(LISINOPRIL), turn(FUROSEMIDE)]
    draft, _ = asked(history, [CREATININE], KIDNEY)
    long, short = (text.partition(": ")[2] for text in wordings("en")["question"]["whole"]["risk"])
    ends = []
    for count in range(2, 15):
        many = replace(draft, meant_drugs=tuple(f"drug{n}" for n in range(count)))
        text = question_text(many, "explicit", "en", 0.0)
        ends.append((text.partition(": ")[2], is_short(text, "en")))
    assert list(dict.fromkeys(ends)) == [(long, True), (short, True), (long, False)]


def test_a_session_of_too_long_questions_is_not_short() -> None:
    history = [turn(LISINOPRIL), turn(FUROSEMIDE)]
    draft, _ = asked(history, [CREATININE], KIDNEY)
    assert are_short([*history, draft])
    names = tuple(f"drug{number}" for number in range(20))
    assert not are_short([*history, replace(draft, meant_drugs=names)])
