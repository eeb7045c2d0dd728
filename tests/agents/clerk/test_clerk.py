"""The agent that answers physicians without a model, over tools that give fixed results."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.cases import for_each
from wardround.agents.clerk.agent import Clerk
from wardround.agents.clerk.answers import identity_sentences
from wardround.agents.clerk.documents import excerpt
from wardround.agents.clerk.lookups import lookups
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.reading import read_question
from wardround.agents.clerk.results import Document, Measurement, read_result
from wardround.agents.clerk.session import open_session
from wardround.core.actions import Call, Observation, Say
from wardround.core.packaged_data import read_toml
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec

OPENING = """session_id: s1
Current date: 2150-03-06. The patient is 71 years old and female.
subject_id: 7
hadm_id: 20"""
READS = ("subject_id", "hadm_id")
WRITES = {"ward_order_medication", "ward_order_service", "ward_write_flag"}
TOOLS: Mapping[str, Sequence[str]] = {
    "search_observations": (*READS, "category", "code", "_count"),
    "search_orders": (*READS, "medication"),
    "search_diagnoses": READS,
    "search_plans": READS,
    "order_medication": (
        "subject_id", "medication", "dose", "route", "frequency", "indication", "duration_days",
    ),
    "order_service": ("subject_id", "service_type", "priority", "note", "target_date"),
    "write_flag": ("subject_id", "category", "code", "detail"),
    "ask_medication_adherence": ("subject_id", "session_id", "drug"),
    "ask_symptom_history": ("subject_id", "session_id", "query"),
    "prepare_answer": ("subject_id", "answer_type"),
}  # fmt: skip
POTASSIUM = """Observation: 2
Potassium: 5.9 mEq/L (Abnormal) [3.3-5.1] @ 2150-03-06T05:00:00-05:00
Potassium: 4.4 mEq/L [3.3-5.1] @ 2150-03-04T05:00:00-05:00"""
LIVER = """Observation: 3
INR(PT): 2.2 (Abnormal) [0.9-1.1] @ 2150-03-06T05:00:00-05:00
Bilirubin, Total: 3.1 mg/dL (Abnormal) [0-1.5] @ 2150-03-06T05:00:00-05:00
Creatinine: 1.4 mg/dL (Abnormal) [0.4-1.1] @ 2150-03-06T05:00:00-05:00"""
ORDERS = """MedicationRequest: 1
Furosemide: 40 mg PO/NG BID (active) @ 2150-03-05T09:00:00-05:00 to 2150-03-06T09:00:00-05:00"""
DIAGNOSES = "Condition: 1\n1. Unspecified cirrhosis of liver (K7460), active"
WORDS = '{"patient_response":"I stopped it a month ago."}'


def spec(role: str, arguments: Sequence[str]) -> ToolSpec:
    """A tool, named as no benchmark names it."""
    schema = {"type": "object", "properties": {name: {} for name in arguments}}
    return ToolSpec(f"ward_{role}", "", schema, role=role)


BRIEFING = Briefing("", tuple(spec(role, arguments) for role, arguments in TOOLS.items()))


def result(call: Call) -> str:
    """The result of a call, the same for all of a tool but for measurements."""
    if call.tool == "ward_search_observations":
        return POTASSIUM if call.arguments.get("code") == "potassium" else LIVER
    if call.tool.startswith("ward_ask_"):
        return WORDS
    fixed = {"ward_search_orders": ORDERS, "ward_search_diagnoses": DIAGNOSES}
    return fixed.get(call.tool, '{"resourceType":"MedicationRequest","id":"1"}')


def session(*questions: str) -> tuple[list[list[Call]], list[str]]:
    """The calls of each turn, and its answer."""
    return asyncio.run(_session(questions))


async def _session(questions: Sequence[str]) -> tuple[list[list[Call]], list[str]]:
    agent, turns, answers = Clerk(BRIEFING), list[list[Call]](), list[str]()
    for number, question in enumerate(questions):
        text = question if number else f"{OPENING}\n\n{question}"
        action = await agent.act(Observation(text, "physician"))
        turns.append([])
        while isinstance(action, Call):
            turns[-1].append(action)
            action = await agent.act(Observation(result(action), "tool"))
        assert isinstance(action, Say)
        answers.append(action.text)
    return turns, answers


def test_a_value_stands_with_its_level_range_time_and_course() -> None:
    ((call, prepared),), (answer,) = session("What is the latest potassium?")
    ids = {"subject_id": 7, "hadm_id": 20}
    wanted = {"category": "laboratory", "code": "potassium", "_count": 100}
    assert call == Call("ward_search_observations", ids | wanted)
    assert prepared == Call("ward_prepare_answer", {"subject_id": 7, "answer_type": "tool"})
    assert answer == (
        "The latest Potassium is 5.9 mEq/L, high at 2150-03-06 05:00, reference range 3.3 to 5.1, "
        "it rose from the first value 4.4 mEq/L at 2150-03-04 05:00."
    )


def test_answers_in_the_language_of_the_question() -> None:
    _, (answer,) = session("最近一次血钾是多少？")
    assert answer.startswith("最近一次血钾为5.9 mEq/L，偏高")


@pytest.mark.parametrize("second", ["Has it come down since?", "它的变化趋势？"])
def test_a_pronoun_means_the_test_of_the_turn_before(second: str) -> None:
    turns, _ = session("What is the latest potassium?", second)
    assert turns[1][0] == turns[0][0]


def test_a_fragment_is_a_question_about_its_term() -> None:
    turns, _ = session("What is the latest potassium?", "Furosemide dose?")
    assert turns[1][0].arguments["medication"] == "furosemide"


def test_a_summary_looks_up_what_earlier_turns_were_about() -> None:
    turns, _ = session("Latest potassium?", "Furosemide dose?", "Put together, where is she now?")
    tools = ["ward_search_diagnoses", "ward_search_observations", "ward_search_orders"]
    assert sorted({call.tool for call in turns[2][:-1]}) == tools


def test_a_score_stands_with_its_version_and_parts() -> None:
    _, (answer,) = session("What is her MELD score?")
    assert "MELD (UNOS 2002) is 23" in answer
    assert "bilirubin 0.4 points (3.1 mg/dL 2150-03-06 05:00)" in answer


@pytest.mark.parametrize(
    "question", ["Does she take her furosemide at home?", "她在家按时吃呋塞米吗？"]
)
def test_asks_the_patient_about_a_drug(question: str) -> None:
    ((call, _),), (answer,) = session(question)
    assert (call.tool, call.arguments["drug"]) == ("ward_ask_medication_adherence", "furosemide")
    assert "I stopped it a month ago" in answer


@pytest.mark.parametrize(
    ("question", "written"),
    [
        (
            "Please order lisinopril 5 mg by mouth once daily for 7 days.",
            {"medication": "lisinopril", "dose": "5 mg", "route": "oral"}
            | {"frequency": "once daily", "duration_days": 7},
        ),
        (
            "请开具赖诺普利5毫克，口服，每日一次。",
            {
                "medication": "lisinopril",
                "dose": "5 mg",
                "route": "oral",
                "frequency": "once daily",
            },
        ),
        (
            "Order an urgent echocardiogram.",
            {"service_type": "echocardiogram", "priority": "urgent"},
        ),
        (
            "Put a safety flag on the chart: hyperkalemia on spironolactone.",
            {"category": "safety", "code": "hyperkalemia spironolactone"}
            | {"detail": "hyperkalemia on spironolactone"},
        ),
    ],
)
def test_writes_an_order_that_is_given_in_full(question: str, written: dict[str, Any]) -> None:
    ((*_, order, _),), _ = session(question)
    assert order.tool in WRITES
    assert {
        name: order.arguments[name] for name in order.arguments if name != "subject_id"
    } == written


def test_an_order_takes_what_it_lacks_from_the_record() -> None:
    ((look, order, _),), _ = session("Restart furosemide at the same dose.")
    assert look.tool == "ward_search_orders"
    parts = [order.arguments[name] for name in ("dose", "route", "frequency")]
    assert parts == ["40 mg", "oral", "twice daily"]


@for_each(
    [
        ("Start lisinopril 5 mg.", "route, frequency"),
        ("Order an echocardiogram.", "priority"),
        ("开一个超声心动图", "优先级"),
        ("Prescribe something for the pain.", "medication"),
        ("Start lisinopril 5-10 mg by mouth daily.", "dose"),
        ("Start lisinopril 2,5 mg by mouth daily.", "dose"),
        ("Stop furosemide 40 mg by mouth twice daily.", "tool that ends orders"),
    ]
)
def test_writes_no_order_that_lacks_a_part(question: str, lacking: str) -> None:
    (calls,), (answer,) = session(question)
    assert not any(call.tool in WRITES for call in calls)
    assert lacking in answer


@pytest.mark.parametrize(
    "question",
    [
        "Do not start lisinopril 5 mg by mouth once daily.",
        "不要开赖诺普利5毫克口服每日一次。",
        "Is lisinopril 5 mg by mouth once daily right for her?",
    ],
)
def test_writes_nothing_that_is_declined_or_asked_about(question: str) -> None:
    (calls,), _ = session(question)
    assert not any(call.tool in WRITES for call in calls)


@pytest.mark.parametrize("question", ["Should we stop the furosemide?", "该不该停呋塞米？"])
def test_leaves_decisions_to_the_physician(question: str) -> None:
    (calls,), (answer,) = session(question)
    assert not any(call.tool in WRITES for call in calls)
    assert answer.endswith(("that decision is yours.", "请由您决定。"))


def test_says_that_it_cannot_answer() -> None:
    _, (answer,) = session("Who won the match yesterday?")
    assert answer == "I cannot answer this from the record or the patient."


def test_answers_at_once_where_calls_are_refused() -> None:
    agent = Clerk(BRIEFING)
    asyncio.run(agent.act(Observation(f"{OPENING}\n\nLatest potassium?", "physician")))
    action = asyncio.run(agent.act(Observation("No more calls.", "environment")))
    assert isinstance(action, Say)


def test_each_sentence_exists_in_both_languages() -> None:
    wordings = read_toml("wardround.agents.clerk", "wordings.toml")
    english, chinese = (
        {n for n, v in wordings[lang].items() if isinstance(v, str)} for lang in wordings
    )
    assert english == chinese


def test_a_question_of_several_clauses_is_read_clause_by_clause() -> None:
    turns, _ = session("Latest potassium?", "How far did it come down, and what are the diagnoses?")
    assert [call.tool for call in turns[1][:-1]] == [
        "ward_search_observations",
        "ward_search_diagnoses",
    ]


def test_advice_on_a_drug_shows_what_it_is_monitored_by() -> None:
    turns, (answer,) = session("Is spironolactone safe for her?")
    searched = [call.arguments.get("code") for call in turns[0]]
    assert {"potassium", "creatinine"} <= set(searched)
    assert "spironolactone has a known risk of" in answer


def test_asks_about_drugs_that_the_patient_left_out() -> None:
    ((*calls, _),), _ = session("What medications does she really take at home?")
    asked = [c.arguments.get("drug") for c in calls if c.tool.startswith("ward_ask_")]
    assert asked[0] is None
    assert "ibuprofen" in asked


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("Observation: 1\nBase Excess: -3 mEq/L [-2-3] @ 2150-03-06T05:00", 1),
        ('Patient: 1\n{"gender":', 1),
        ('{"error":"no such tool"}', 0),
        ("The patient has no such order.", 0),
        ("", 0),
    ],
)
def test_reads_results_that_are_cut_off_or_empty(text: str, entries: int) -> None:
    assert len(read_result(text)) == entries


def test_a_range_may_begin_below_zero() -> None:
    (found,) = read_result("Observation: 1\nBase Excess: 1 mEq/L [-2-3] @ 2150-03-06T05:00")
    assert isinstance(found, Measurement)
    assert (found.low, found.high, found.number) == (-2.0, 3.0, 1.0)


def test_a_symptom_that_no_clause_is_about_is_asked_about_in_the_whole_question() -> None:
    opened = open_session(BRIEFING, OPENING)
    (call,) = lookups(Question("Cough?", "en", ("symptoms",), (), {}), opened)
    assert call.arguments["query"] == "Cough?"


def test_a_report_without_headings_is_quoted_from_its_beginning() -> None:
    question = read_question("What did the CT show?")
    report = Document("DiagnosticReport", "CT HEAD", "2150-03-06T05:00", "No bleeding.")
    assert excerpt(question, report) == "No bleeding."


def test_names_a_gender_as_the_record_has_it() -> None:
    opened = open_session(BRIEFING, "")
    opened.results.append(
        (Call("ward_read_patient"), read_result('Patient: 1\n{"gender":"other"}'))
    )
    (said,) = identity_sentences(read_question("How old is the patient?"), opened, 0)
    assert "other" in said


def test_a_finding_that_no_code_settles_gives_bounds() -> None:
    _, (answer,) = session("What is her Child-Pugh score?")
    assert "cannot be settled" in answer
    assert "Missing for it: albumin" in answer
