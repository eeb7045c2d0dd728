"""Numbers and dates of answers, and where they come from."""

import pytest

from tests.cases import for_each
from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.sources import later_dates, without_source

SEEN = Evidence(
    (
        "What is the creatinine, and what is a MELD?",
        "Creatinine: 1.2 mg/dL @ 2150-03-01; 2.4 mg/dL @ 2150-03-04",
        '{"value": 141, "unit": "mEq/L"}',
        "spironolactone 50 mg once daily; follow-up on 2150-03-20, not 2150-02-31",
    ),
    (),
    "2150-03-06",
)


@for_each(
    [
        "Creatinine 2.4 mg/dL.",
        "肌酐\uff12\uff0e\uff14 mg/dL。",
        "Creatinine 212 umol/L.",
        "肌酐为212微摩尔/升。",
        "It doubled: a ratio of 2, up by 1.2 mg/dL, or 100%.",
        "Sodium 141 mEq/L, above the lower end of 136 and below 145.",
        "血钠141 mEq/L，参考范围136-145。",
        "MELD 36 points.",
        "Reduce spironolactone to 25 mg for three days.",
        "Follow-up 16 days after the first creatinine.",
        "16 天后复诊。",
        "Follow-up in two weeks, on 2150-03-20.",
    ]
)
def test_a_number_with_a_source_is_accounted_for(answer: str) -> None:
    assert without_source(answer, SEEN) == []


@pytest.mark.parametrize(
    ("answer", "unknown"),
    [
        ("Creatinine 2.9 mg/dL.", ["2.9 mg/dL"]),
        ("肌酐为2.9 mg/dL，血小板87 K/uL。", ["2.9 mg/dL", "87 K/uL"]),
        ("Creatinine 300 umol/L.", ["300 umol/L"]),
        ("Give spironolactone 37 mg.", ["37 mg"]),
        ("Follow-up in 17 days.", ["17 day"]),
        ("Spironolactone 16 mg.", ["16 mg"]),
    ],
)
def test_a_number_without_a_source_is_listed(answer: str, unknown: list[str]) -> None:
    assert without_source(answer, SEEN) == unknown


@pytest.mark.parametrize(
    ("answer", "later"),
    [
        ("Creatinine on 2150-03-04, clinic on 2150-03-20.", []),
        ("肌酐（2150年3月9日）正常。", ["2150-03-09"]),
        ("Potassium was normal on March 10, 2150.", ["2150-03-10"]),
    ],
)
def test_only_planned_dates_may_be_later_than_the_session(answer: str, later: list[str]) -> None:
    assert later_dates(answer, SEEN) == later


@pytest.mark.parametrize("sign", [",", ""])
def test_the_year_of_a_score_is_part_of_its_name(sign: str) -> None:
    seen = Evidence(
        ("Observation: 1\nBilirubin, Total: 2.8 mg/dL [0-1.5] @ 2151-12-03T05:22:00-05:00",),
        (),
        "2151-12-03",
    )
    answer = f"Child-Pugh (Pugh 1973{sign} INR for prothrombin time) cannot be settled."
    assert without_source(answer, seen) == []
    assert without_source(answer.replace("1973", "1937"), seen) == ["1937"]


def test_the_time_of_a_result_is_no_plan() -> None:
    leak = Evidence(("Potassium: 4 mmol/L @ 2150-03-09",), (), "2150-03-06")
    assert later_dates("Potassium 4 on 2150-03-09", leak) == ["2150-03-09"]


@for_each(
    [
        ("Cockcroft-Gault (Cockcroft 1976) is 37.7 mL/min.", []),
        ("Cockcroft-Gault（Cockcroft 1976）为37.7 mL/min。", []),
        ("The creatinine clearance is about 38 mL/min.", []),
        ("肌酐清除率为52.4 mL/min。", ["52.4 mL/min"]),
        ("Sodium is 37.7 mEq/L.", ["37.7 mEq/L"]),
        ("The Cockcroft-Gault clearance was 37.7 mL/min in 1984.", ["1984"]),
        ("First described in 1976.", ["1976"]),
    ]
)
def test_a_clearance_is_what_the_evidence_gives(answer: str, unknown: list[str]) -> None:
    seen = Evidence(
        (
            "Current date: 2151-12-03. The patient is 84 years old and male.",
            "Observation: 1\nDaily Weight: 82.5 kg @ 2151-12-01T11:00:00-05:00",
            "Observation: 1\nCreatinine: 1.7 mg/dL [0.5-1.2] @ 2151-12-03T05:22:00-05:00",
        ),
        (),
        "2151-12-03",
    )
    assert without_source(answer, seen) == unknown
