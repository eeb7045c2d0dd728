"""Answers and writes of a hostile reader, who had not written the checks."""

import pytest

from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.facts.decisions import decide_fact
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.checks.items import Term, compile_statement
from wardround.benchmarks.assist.checks.orders import OrderItem, Written, decide_order
from wardround.benchmarks.assist.checks.sources import without_source
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.sessions import Language

PANEL = FactItem(
    aspect="action", subject=Term(kind="service", name="basic metabolic panel"), word="order"
)
TRANSFUSION = FactItem(
    aspect="action", subject=Term(kind="service", name="red cell transfusion"), word="order"
)
BLEEDING = OrderItem(test="subject", names=("bleeding",))
LABS = "Creatinine: 2.4 mg/dL\nBilirubin: 6.1 mg/dL\nINR: 2.1"


@pytest.mark.parametrize(
    ("answer", "language"),
    [
        ("Given the normal basic metabolic panel, nothing else is needed.", "en"),
        ("Giving basic metabolic panel is harmful.", "en"),
        ("使用基础代谢全套的结果。", "zh"),
        ("用昨天的基础代谢全套即可。", "zh"),
    ],
)
def test_a_used_result_is_no_order(answer: str, language: Language) -> None:
    assert decide_fact(PANEL, answer, language).state != "passed"


def test_a_transfusion_is_ordered_or_given() -> None:
    assert decide_fact(TRANSFUSION, "Give a red cell transfusion.", "en").state == "passed"


@pytest.mark.parametrize(
    ("item", "answer"),
    [
        ("Does not say that the potassium is high", "Potassium is _high_."),
        ("Does not say that the potassium is high", "Potassium is 5.6high."),
        ("Says that the potassium is low", "Potassium is _high_ and low."),
    ],
)
def test_emphasis_hides_no_word(item: str, answer: str) -> None:
    assert decide_statement(compile_statement(item, "en"), answer, "en").state != "passed"


@pytest.mark.parametrize(
    "answer",
    [
        "SOFA is 8. The lipase was 1996 yesterday.",
        "Hepatitis titre 1973; Child-Pugh C.",
        "MELD was computed. The lactate is 30 mL/min.",
    ],
)
def test_a_score_excuses_no_other_number(answer: str) -> None:
    assert without_source(answer, Evidence((LABS,)))


@pytest.mark.parametrize(
    ("item", "tool", "arguments", "state"),
    [
        (BLEEDING, "MedicationRequest.create", {"medication": "warfarin for bleeding"}, "failed"),
        (BLEEDING, "Flag.create", {"code": "bleeding from warfarin"}, "passed"),
        (BLEEDING, "Flag.create", {"code": "stop warfarin: bleeding"}, "undecided"),
        (
            OrderItem(test="subject", names=("creatinine",)),
            "ServiceRequest.create",
            {"service_type": "nephrology consult, creatinine, lactate, sepsis"},
            "undecided",
        ),
        (
            OrderItem(test="subject", names=("warfarin",)),
            "MedicationRequest.create",
            {"medication": "stop warfarin"},
            "undecided",
        ),
    ],
)
def test_a_write_is_about_what_it_names_alone(
    item: OrderItem, tool: str, arguments: dict[str, str], state: str
) -> None:
    assert decide_order(item, [Written(tool, arguments)]).state == state
