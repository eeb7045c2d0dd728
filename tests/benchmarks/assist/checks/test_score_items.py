"""Items about clinical scores: which are compiled, and answers in other words."""

import pytest

from tests.cases import for_each
from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.score_findings import decide_score
from wardround.benchmarks.assist.checks.score_items import ScoreItem, compile_score
from wardround.benchmarks.assist.sessions import LANGUAGES, GoldTurn, Language
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.core.actions import Call
from wardround.core.packaged_data import read_rows
from wardround.ehr.scores import FUNCTIONS

TURN = GoldTurn("CR", None, "ehr", None, (), {}, {})
RESULTS = """Observation: 3
Bilirubin, Total: 7.9 mg/dL (Abnormal) [0-1.5] @ 2150-03-06T05:54:00-05:00
INR(PT): 2.2 (Abnormal) [0.9-1.1] @ 2150-03-06T05:54:00-05:00
Creatinine: 3.7 mg/dL (Abnormal) [0.5-1.2] @ 2150-03-06T05:54:00-05:00"""
SEEN = Evidence(("The patient is 51 years old and male.", RESULTS), (), "2150-03-06")
NAMES = {"curb_65": "CURB-65", "meld": "MELD", "cha2ds2_vasc": "CHA2DS2-VASc"}


@for_each(
    [
        ("en", "Correctly calculates the patient's MELD score from the record", "total"),
        ("en", "Gives the CURB-65 score and its individual components", "components"),
        ("en", "Lists the points of each component of the SOFA score", "points"),
        ("en", "Identifies which CURB-65 variables could not be determined", "missing"),
        ("en", "Computes a MELD score of 36", None),
        ("en", "Computes the MELD-Na score", None),
        ("en", "Calculates the CHA2DS2-VASc score without errors", None),
        ("en", "Computes the SOFA score and notes that the GCS is missing", None),
        ("en", "Explains that the CHA2DS2-VASc score supports anticoagulation", None),
        ("en", "Recommends repeating the MELD score weekly", None),
        ("en", "Does not calculate the MELD score", None),
        ("en", "Lists the points of each component of the MELD score", None),
        ("zh", "正确计算患者的 MELD 评分", "total"),
        ("zh", "给出 CURB-65 评分及其组成", "components"),
        ("zh", "列出 SOFA 各组成部分的得分", "points"),
        ("zh", "指出 CURB-65 无法评估的项目", "missing"),
        ("zh", "计算 CURB-65 并说明风险高", None),
        ("zh", "没有计算 MELD 评分", None),
    ]
)
def test_only_items_that_a_program_can_compute_are_compiled(
    language: Language, item: str, test: str | None
) -> None:
    check = compile_score(item, language, TURN)
    assert (check.test if check else None) == test


@for_each(
    [
        ("That gives a MELD of 36.", "passed"),
        ("MELD 评分为３６分。", "passed"),
        ("His MELD is 36 and his MELD-Na is 38.", "passed"),
        ("His MELD is 35.", "failed"),
        ("He is very ill.", "failed"),
        ("The MELD was 30 on admission; the MELD is now 36.", "undecided"),
        ("I score him 36 by MELD.", "undecided"),
    ]
)
def test_a_total_in_other_words(answer: str, state: str) -> None:
    assert decide_score(ScoreItem(score="meld", test="total"), answer, SEEN).state == state


def test_without_results_a_total_stays_open() -> None:
    found = decide_score(ScoreItem(score="meld", test="total"), "A MELD of 36.", Evidence())
    assert found.state == "undecided"


def test_another_total_stays_open_where_the_answer_knows_a_missing_part() -> None:
    item, known = ScoreItem(score="child_pugh", test="total"), "Child-Pugh is 9"
    assert decide_score(item, f"{known}.", SEEN).state == "failed"
    assert decide_score(item, f"{known}, as he has moderate ascites.", SEEN).state == "undecided"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_scores_of_the_shipped_sessions_are_computed_again(language: Language) -> None:
    found = {}
    for session in shipped_tasks("hand_written").tasks:
        for number, turn in enumerate(session.hidden.turns):
            for name, shown in NAMES.items():
                if any(shown in item for item in turn.rubric[language]):
                    before = session.hidden.turns[: number + 1]
                    calls = [call for each in before for call in each.calls]
                    texts = [str(call.observations[language]) for call in calls]
                    made = tuple(Call(call.tool, dict(call.arguments)) for call in calls)
                    day = session.hidden.clock[:10]
                    seen = Evidence((session.public.opening, *texts), made, day)
                    item = ScoreItem(score=name, test="total")
                    found[name] = decide_score(item, turn.answers[language], seen).state
    assert found == dict.fromkeys(NAMES, "passed")


def test_every_score_and_part_has_names_in_both_languages() -> None:
    rows = list(read_rows("wardround.benchmarks.assist.checks", "score_names.tsv"))
    assert all(english and chinese for _, _, english, chinese in rows)
    named = {(score, part) for score, part, *_ in rows}
    for name, function in FUNCTIONS.items():
        assert {(name, part.name) for part in function().parts} <= named
