"""A patient who speaks from a memory: withheld facts, languages, and the same words each time."""

import asyncio
import re
from typing import Any, Literal

import pytest

from wardround.people.patient.memory import PatientMemory
from wardround.people.patient.named_terms import named_diagnoses, topics
from wardround.people.patient.scripted import ScriptedPatient

MEMORY: dict[str, Any] = {
    "subject_id": 1,
    "medications": [
        {
            "drug": "Furosemide",
            "drug_patient_term": "water pill",
            "adherence": "poor",
            "current_status": "taking",
            "zh": {"drug_patient_term": "利尿药"},
        },
        {
            "drug": "Naproxen",
            "adherence": "good",
            "current_status": "taking",
            "critical_flag": True,
            "patient_explanation": "I take naproxen every day and told nobody.",
            "zh": {"patient_explanation": "我每天吃萘普生，谁也没告诉。"},
        },
    ],
    "symptom_log": [
        {
            "symptom": "knee pain",
            "onset": "two years ago",
            "severity": "6 out of 10",
            "patient_words": "My knee hurts.",
            "zh": {"onset": "两年前", "severity": "6 分", "patient_words": "膝盖疼。"},
        }
    ],
    "functional_status": "walks with a cane",
    "zh": {"functional_status": "我拄拐杖走路。"},
    "persona": {"anxiety_level": "high", "info_completeness": "critical_withheld"},
}
ADHERENCE = "medication_adherence"


def patient(
    language: Literal["en", "zh"] = "en",
    literacy: Literal["high", "medium", "low"] = "high",
    **persona: str,
) -> ScriptedPatient:
    memory = MEMORY | {"persona": MEMORY["persona"] | persona}
    return ScriptedPatient(PatientMemory.model_validate(memory), language, literacy)


def ask(who: ScriptedPatient, tool: str, **arguments: str) -> str:
    return asyncio.run(who.answer(tool, arguments)).text


def test_a_withheld_drug_is_told_once_it_is_asked_about_and_stays_told() -> None:
    who = patient()
    assert "naproxen" not in ask(who, ADHERENCE).lower()
    assert "every day" in ask(who, ADHERENCE, drug="Aleve")
    assert "naproxen" in ask(who, ADHERENCE)
    assert "naproxen" in ask(patient(info_completeness="full"), ADHERENCE)


def test_the_patient_speaks_the_language_of_the_session() -> None:
    who = patient("zh")
    for tool in ("medication_adherence", "pain_assessment", "functional_status"):
        said = ask(who, tool)
        assert re.search(r"[\u4e00-\u9fff]", said)
        assert not re.search(r"[A-Za-z]{3,}", said)
    assert ask(who, ADHERENCE, drug="naproxen").startswith("我每天吃萘普生")


@pytest.mark.parametrize("tool", ["pain_assessment", "symptom_history"])
def test_symptoms_are_told_with_onset_and_severity(tool: str) -> None:
    said = ask(patient(), tool)
    assert "two years ago" in said
    assert "6 out of 10" in said
    assert 2 <= said.count(".") <= 5


def test_literacy_changes_words_and_no_number() -> None:
    high, low = (ask(patient(literacy=each), ADHERENCE) for each in ("high", "low"))
    assert "furosemide" in high
    assert "water pill" in low
    tool = "pain_assessment"
    pains = [ask(patient(literacy=each), tool) for each in ("high", "low")]
    assert re.findall(r"\d+", pains[0]) == re.findall(r"\d+", pains[1]) == ["6", "10"]


def test_anxiety_and_unknown_drugs() -> None:
    assert "worries" in ask(patient(), ADHERENCE)
    assert "worries" not in ask(patient(anxiety_level="low"), ADHERENCE)
    unknown = asyncio.run(patient().answer(ADHERENCE, {"drug": "warfarin"}))
    assert unknown.outcome == "unknown"
    assert "warfarin" in unknown.text


def test_the_same_questions_get_the_same_answers() -> None:
    assert ask(patient(), ADHERENCE) == ask(patient(), ADHERENCE)
    who = patient()
    first = ask(who, ADHERENCE, drug="naproxen")
    assert ask(who, ADHERENCE, drug="naproxen") == f"As I said before: {first}"


LONG: dict[str, Any] = {
    "subject_id": 2,
    "medications": [
        {"drug": name, "adherence": "good", "current_status": "taking"}
        for name in (
            *("Amlodipine", "Apixaban", "Furosemide", "Glipizide", "Lisinopril", "Metformin"),
            *("Omeprazole", "Sertraline"),
        )
    ],
    "social_history": "Lives alone. Work: cook. Tobacco: never smoker. Alcohol: none. "
    "Drugs: denies.",
    "functional_status": "walks with a cane, independent in dressing and eating, "
    "needs help with bathing",
}


def long_patient(language: Literal["en", "zh"]) -> ScriptedPatient:
    return ScriptedPatient(PatientMemory.model_validate(LONG), language, "high")


def test_a_long_list_is_told_in_parts_until_it_ends() -> None:
    who = long_patient("en")
    first, second = ask(who, ADHERENCE), ask(who, ADHERENCE, query="Yes, please go on.")
    assert first.endswith("Shall I go on?")
    assert "sertraline" in second
    assert "amlodipine" not in second
    assert "go on?" not in second


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "alone cook never alcohol drugs"), ("zh", "一个人 厨师 从未吸过烟 不喝酒 不吸毒")],
)
def test_each_line_of_life_is_told_in_both_languages(
    language: Literal["en", "zh"], words: str
) -> None:
    said = ask(long_patient(language), "social_history")
    assert [word for word in words.split() if word not in said] == []


def test_function_is_told_in_chinese() -> None:
    said = ask(long_patient("zh"), "functional_status")
    assert "拐杖" in said
    assert "洗澡" in said


@pytest.mark.parametrize("drug", ["阿哌沙班片", "阿哌沙斑", "Eliquis 5 mg tablets", "apixban"])
def test_forms_brands_and_misspellings_are_understood(drug: str) -> None:
    said = asyncio.run(long_patient("zh").answer(ADHERENCE, {"drug": drug}))
    assert said.facts == ("drug:apixaban",)


def test_the_patient_asks_back_about_an_unknown_word() -> None:
    said = asyncio.run(long_patient("en").answer(ADHERENCE, {"drug": "hydroxalazine"}))
    assert "which medicine" in said.text
    assert not any("which medicine" in each for each in said.statements)
    assert said.facts == ("medications",)


def test_a_drug_that_is_not_understood_reveals_no_withheld_one() -> None:
    said = ask(patient(), ADHERENCE, drug="painkilling tablets")
    assert "which medicine" in said
    assert "furosemide" in said
    assert "naproxen" not in said.lower()


def test_a_question_between_two_topics_is_answered_on_both() -> None:
    near = topics("functional_status", "Who helps you at home?")
    assert set(near) >= {"function", "social"}
    said = ask(long_patient("en"), "functional_status", query="Who helps you at home?")
    assert "cane" in said
    assert "alone" in said


def test_a_diagnosis_that_the_question_names_comes_first() -> None:
    names = ("Hypertension", "Gout", "Asthma", "Anxiety", "Osteoarthritis", "Heart failure")
    many = [{"medical_term": name, "patient_term": name.lower()} for name in names]
    who = ScriptedPatient(PatientMemory(subject_id=3, diagnoses=many), "en", "high")
    said = ask(who, "symptom_history", query="Have you been diagnosed with heart failure?")
    assert "diagnosed with heart failure, hypertension" in said


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Do you get bad headaches, like migraines?", "migraine"),
        ("Are you on oxygen?", "home oxygen"),
        ("Have you ever had a heart attack?", "myocardial infarction"),
        ("Who is at home with you?", ""),
    ],
)
def test_a_diagnosis_is_named_by_a_word_of_its_name(question: str, named: str) -> None:
    names = ("gout", "migraine", "home oxygen", "myocardial infarction")
    diagnoses = [{"medical_term": name, "patient_term": name} for name in names]
    memory = PatientMemory.model_validate({"subject_id": 1, "diagnoses": diagnoses})
    found = [each.medical_term for each in named_diagnoses(question, memory)]
    assert found == ([named] if named else [])
    said = ask(ScriptedPatient(memory, "en", "high"), "symptom_history", query=question)
    assert f"diagnosed with {named}" in said or not named


def test_a_list_of_drugs_says_how_they_are_taken() -> None:
    assert "miss some doses of medicines" in ask(patient(), ADHERENCE)
    assert "药我有时会漏服" in ask(patient("zh"), ADHERENCE)


def test_a_withheld_drug_does_not_show_in_how_all_are_taken() -> None:
    told = ask(patient(info_completeness="full"), ADHERENCE)
    assert "miss some doses of medicines" not in told
    assert "naproxen" in told


def test_a_drug_of_the_social_history_is_no_unknown_medicine() -> None:
    memory = PatientMemory(subject_id=4, social_history="Lives alone. Drugs: cocaine.")
    who = ScriptedPatient(memory, "en", "high")
    said = ask(who, "social_history", query="Have you ever tried cocaine?")
    assert "I live alone. I use cocaine." in said


def test_a_medicine_that_the_social_history_names_too_is_told_as_one() -> None:
    memory = MEMORY | {"social_history": "Shares naproxen with a neighbour."}
    who = ScriptedPatient(PatientMemory.model_validate(memory), "en", "high")
    assert "told nobody" in ask(who, ADHERENCE, drug="naproxen")


@pytest.mark.parametrize(
    ("drug", "literacy", "words"),
    [
        ("Furosemide", "high", "呋塞米我一直遵医嘱规律服用。这药是用来治疗心力衰竭的。"),
        ("Furosemide", "low", "呋塞米？照医生说的吃着呢。治心衰的。"),
        ("Insulin glargine", "medium", "甘精胰岛素我照医生说的用。这药是治心衰的。"),
        ("Albuterol", "high", "沙丁胺醇我一直遵医嘱规律使用。这药是用来治疗心力衰竭的。"),
    ],
)
def test_a_chinese_patient_swallows_or_uses_a_drug_for_a_condition_in_usual_words(
    drug: str, literacy: Literal["high", "medium", "low"], words: str
) -> None:
    taken = {
        "drug": drug,
        "adherence": "good",
        "indication": "heart failure",
        "current_status": "taking",
    }
    memory = PatientMemory.model_validate({"subject_id": 1, "medications": [taken]})
    assert words in ask(ScriptedPatient(memory, "zh", literacy), ADHERENCE, drug=drug)


@pytest.mark.parametrize(
    ("literacy", "words"),
    [("high", "每天发作好几次"), ("medium", "一天发作好几次"), ("low", "一天犯好几回")],
)
def test_attacks_come_in_the_words_of_a_patients_literacy(
    literacy: Literal["high", "medium", "low"], words: str
) -> None:
    symptom = {"symptom": "palpitations", "zh": {"patient_words": "我心悸，每天发作数次。"}}
    memory = PatientMemory.model_validate({"subject_id": 1, "symptom_log": [symptom]})
    assert words in ask(ScriptedPatient(memory, "zh", literacy), "symptom_history")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("quit over 10 years ago", "烟不抽了，戒了10多年了"),
        ("quit recently", "烟不抽了，最近刚戒"),
    ],
)
def test_a_former_smoker_of_low_literacy_says_that_first(line: str, words: str) -> None:
    note = f"Tobacco: former smoker, {line}. Alcohol: none."
    memory = PatientMemory(subject_id=1, social_history=note)
    said = ask(ScriptedPatient(memory, "zh", "low"), "social_history")
    assert words in said
    assert "以前抽" not in said


@pytest.mark.parametrize(
    ("literacy", "complaint", "reason"),
    [
        (
            "high",
            "我呼吸困难、胸痛，每天好几次。如果10分是最严重，我觉得是6分。",
            "因是觉得没有必要服用。",
        ),
        ("medium", "我气短、胸痛，一天好几次。10分算最严重的话，大概6分。", "因为觉得没必要吃。"),
        ("low", "我喘不上气、胸口疼，一天好几回。10分最难受的话，大概6分吧。", "觉得用不着吃嘛。"),
    ],
)
def test_complaints_and_reasons_are_in_the_words_of_a_patients_literacy(
    literacy: Literal["high", "medium", "low"], complaint: str, reason: str
) -> None:
    symptom = {
        "symptom": "shortness of breath, chest pain",
        "severity": "6 out of 10",
        "zh": {"severity": "6分（满分10分）", "patient_words": "我呼吸困难、胸痛，每天数次。"},
    }
    drug = {
        "drug": "Furosemide",
        "adherence": "self_discontinued",
        "untaken_because": "I saw no need for it",
        "zh": {"untaken_because": "觉得没有必要用"},
    }
    memory = {"subject_id": 1, "symptom_log": [symptom], "medications": [drug]}
    who = ScriptedPatient(PatientMemory.model_validate(memory), "zh", literacy)
    assert ask(who, "symptom_history").startswith(complaint)
    assert reason in ask(who, ADHERENCE, drug="furosemide")


@pytest.mark.parametrize(
    ("literacy", "words"),
    [
        ("high", "我放过冠状动脉支架，这药是因为支架才用的。"),
        ("medium", "我放了心脏支架，所以用这药。"),
        ("low", "心脏放了支架，得用这个。"),
    ],
)
def test_a_drug_after_an_operation_is_not_to_treat_it(
    literacy: Literal["high", "medium", "low"], words: str
) -> None:
    taken = {"drug": "clopidogrel", "adherence": "ran_out", "indication": "coronary stent"}
    who = ScriptedPatient(
        PatientMemory.model_validate({"subject_id": 1, "medications": [taken]}), "zh", literacy
    )
    answer = ask(who, ADHERENCE, drug="clopidogrel")
    assert words in answer
    assert "再" not in answer
    assert "术后" not in answer


def test_a_word_within_a_longer_one_stays_as_it_is() -> None:
    symptom = {"symptom": "retrosternal chest pain", "zh": {"symptom": "胸骨后胸痛"}}
    memory = PatientMemory.model_validate({"subject_id": 1, "symptom_log": [symptom]})
    assert "胸骨后胸痛" in ask(ScriptedPatient(memory, "zh", "low"), "symptom_history")


def test_a_drug_is_for_a_stent_with_its_article() -> None:
    taken = {"drug": "clopidogrel", "adherence": "good", "indication": "coronary stent"}
    who = ScriptedPatient(
        PatientMemory.model_validate({"subject_id": 1, "medications": [taken]}), "en", "high"
    )
    assert "It is for a coronary stent." in ask(who, ADHERENCE, drug="clopidogrel")


@pytest.mark.parametrize(
    ("literacy", "words"),
    [
        ("high", "症状在夜间会加重。"),
        ("medium", "我发现晚上更厉害。"),
        ("low", "嗯，晚上厉害些。"),
    ],
)
def test_what_changes_a_symptom_is_said_as_people_say_it(
    literacy: Literal["high", "medium", "low"], words: str
) -> None:
    symptom = {"symptom": "chest pain", "zh": {"symptom": "胸痛", "provocation": "夜间加重"}}
    memory = PatientMemory.model_validate({"subject_id": 1, "symptom_log": [symptom]})
    assert words in ask(ScriptedPatient(memory, "zh", literacy), "pain_assessment")
