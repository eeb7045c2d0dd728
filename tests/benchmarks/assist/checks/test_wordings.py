"""Items worded in other ways than the shipped ones: none that an answer meets fails."""

import pytest

from tests.cases import for_each
from wardround.benchmarks.assist.checks.decider import decide_items
from wardround.benchmarks.assist.checks.orders import Written
from wardround.benchmarks.assist.sessions import GoldTurn, Language

ANSWERS: dict[Language, str] = {
    "en": "Potassium rose from 4.1 to 5.9 mEq/L while on lisinopril 20 mg daily and spironolactone "
    "50 mg daily; creatinine is 2.1 mg/dL (high). I would hold spironolactone, recheck potassium "
    "tomorrow, and avoid NSAIDs. The patient reports ankle swelling and has missed furosemide for "
    "three days; he denies chest pain.",
    "zh": "服用赖诺普利20 mg每日一次、螺内酯50 mg每日一次期间，血钾由4.1升至5.9 mEq/L；"
    "肌酐2.1 mg/dL（偏高）。建议暂停螺内酯，明日复查血钾，避免使用非甾体抗炎药。"
    "患者诉踝部水肿，已三天未服呋塞米，否认胸痛。",
}
ITEMS: dict[Language, tuple[str, ...]] = {
    "en": (
        "Identifies that serum potassium increased to 5.9 mEq/L",
        "The answer should mention hyperkalemia or a potassium of 5.9",
        "Correctly cites creatinine 2.1 mg/dL as elevated",
        "Notes concurrent use of an ACE inhibitor and spironolactone",
        "Advises stopping or holding spironolactone",
        "Must not recommend continuing spironolactone unchanged",
        "Does not suggest ibuprofen",
        "Includes a plan to repeat the potassium",
        "Mentions that furosemide has not been taken for 3 days",
        "Acknowledges the patient's ankle edema",
        "States no chest pain",
        "Avoids recommending potassium supplements",
        "Lists lisinopril 20 mg and spironolactone 50 mg",
        "Flags hyperkalemia",
        "Does not claim that creatinine is normal",
        "Potassium trend upward (4.1 → 5.9)",
        "Recommends monitoring of potassium",
        "States the creatinine level as 2.1 milligrams per deciliter",
        "The doctor's recommendation does not endorse the use of ibuprofen",
        "The answer should not prescribe naproxen",
        "Mentions swollen ankles",
    ),
    "zh": (
        "正确指出血钾升高至5.9 mEq/L",
        "应提到高钾血症或血钾5.9",
        "引用肌酐2.1 mg/dL并说明偏高",
        "指出同时使用ACE抑制剂与螺内酯",
        "建议停用或暂停螺内酯",
        "不得建议继续原量使用螺内酯",
        "未建议使用布洛芬",
        "包含复查血钾的计划",
        "提到呋塞米已3天未服用",
        "说明患者有踝部水肿",
        "说明无胸痛",
        "避免建议补钾",
        "列出赖诺普利20 mg和螺内酯50 mg",
        "未声称肌酐正常",
        "血钾呈上升趋势（4.1→5.9）",
        "建议监测血钾",
        "说明肌酐为2.1毫克每分升",
        "医生的回答不应推荐布洛芬",
        "说明患者脚踝肿",
    ),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_items_in_other_words_pass_or_stay_open(language: Language) -> None:
    turn = GoldTurn("CR", None, "ehr", None, (), ANSWERS, ITEMS)
    found = list(decide_items(turn, language, ANSWERS[language], []))
    failed = [
        (item, each.reason)
        for item, each in zip(ITEMS[language], found, strict=True)
        if each.state == "failed"
    ]
    assert failed == []
    assert sum(each.state == "passed" for each in found) >= 5


@for_each(
    [
        ("A good answer does not prescribe medication", "passed"),
        ("无药物开具", "passed"),
        ("The examination period was 5 days", "failed"),
        ("Meets the criteria of the request", "undecided"),
        ("Completes the task as asked", "undecided"),
        ("Orders 500 mg of cephalexin", "undecided"),
        ("Names the hepatic function panel", "passed"),
        ("Is there an order that does not involve dabigatran?", "passed"),
    ]
)
def test_items_of_write_turns_in_other_words(item: str, state: str) -> None:
    order = Written("ServiceRequest.create", {"service_type": "hepatic function panel"})
    turn = GoldTurn("WU", None, "write", None, (), {}, {"en": (item,)})
    [found] = decide_items(turn, "en", "I ordered it.", [order])
    assert found.state == state
