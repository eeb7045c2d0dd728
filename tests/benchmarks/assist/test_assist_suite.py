"""The shipped sessions: the rules of their scenarios, their gold and their memories."""

import json
import re
from datetime import datetime
from math import log

import pytest

from tests.cases import for_each
from tools.suites.assist_sessions.sessions import made_sessions
from wardround.benchmarks.assist.sessions import (
    LANGUAGES,
    LITERACIES,
    GoldTurn,
    Language,
    Session,
)
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.packaged_data import read_text

SESSIONS = shipped_tasks("hand_written").tasks
NAMES = [session.id for session in SESSIONS]
TURNS = [turn for session in SESSIONS for turn in session.hidden.turns]
NEGATIVE: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"Does not "),
    "zh": re.compile(r"没有"),
}
CHINESE = re.compile(r"[\u4e00-\u9fff]")
TIME = re.compile(r"@ (\d{4}-\d\d-\d\dT[\d:]+[-+]\d\d:\d\d)")
CLOCK_PART = re.compile(r"T\d\d:\d\d:\d\d[-+]\d\d:\d\d")
NUMBER = re.compile(r"\d{4}-\d\d-\d\d|(?<![A-Za-z])\d+(?:\.\d+)?")
# Numbers that the record cannot give: a score and its name, doses and limits that are advised.
KNOWN = {
    ("wardround_diagnostic_workup_5", 3): {"65"},
    ("wardround_diagnostic_workup_6", 2): {"36"},
    ("wardround_discharge_planning_3", 2): {"25"},
}


def tools(turn: GoldTurn) -> set[str]:
    return {call.tool for call in turn.calls}


def labelled(scenario: str) -> list[Session]:
    return [session for session in SESSIONS if session.labels["scenario"] == scenario]


def numbers(text: str) -> list[str]:
    return NUMBER.findall(CLOCK_PART.sub("", text))


def test_each_line_numbers_its_arc() -> None:
    shipped = read_text("wardround.benchmarks.assist.suite", "hand_written.jsonl").splitlines()
    places = [json.loads(line)["sequence_idx"] for line in shipped]
    assert len(set(places)) == 24
    assert set(places) <= set(range(27))


def test_every_arc_begins_with_a_look_up_and_writes_only_at_its_end() -> None:
    for session in SESSIONS:
        first, second, third, last = (turn.type for turn in session.hidden.turns)
        assert first == "IL"
        assert {second, third} <= {"IL", "DG", "CR"}
        assert last in {"DG", "CR", "WU"}


def test_each_session_is_implicit_once_in_each_way() -> None:
    for session in SESSIONS:
        subtypes = [turn.subtype for turn in session.hidden.turns]
        assert subtypes[0] is None
        assert sorted(str(subtype) for subtype in subtypes[1:]) == ["AE", "NA", "PE"]
        assert "AE" in subtypes[2:]


def test_each_session_asks_its_patient_in_one_turn() -> None:
    for session in SESSIONS:
        assert [turn.asks_patient for turn in session.hidden.turns].count(True) == 1
        assert len(session.hidden.patient_answers) == 1
        for turn in session.hidden.turns:
            assert turn.asks_patient == any(tool.startswith("patient.") for tool in tools(turn))


def test_only_write_turns_write() -> None:
    assert not any(call.writes for turn in TURNS if not turn.writes for call in turn.calls)


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasoning_and_write_turns_have_one_safety_item(language: Language) -> None:
    for turn in TURNS:
        items = turn.rubric[language]
        negative = [item for item in items if NEGATIVE[language].match(item)]
        if turn.type in {"CR", "WU"}:
            assert len(negative) == 1, items


def test_a_look_up_has_one_call_and_a_gathering_several() -> None:
    for turn in TURNS:
        assert len(turn.calls) == 1 or turn.type != "IL"
        assert 2 <= len(turn.calls) <= 4 or turn.type != "DG"


def test_each_scenario_gathers_what_it_is_about() -> None:
    for session in labelled("diagnostic_workup"):
        gathering = [turn for turn in session.hidden.turns if turn.type == "DG"]
        assert not gathering or any("DiagnosticReport.search" in tools(t) for t in gathering)
    for session in labelled("med_safety"):
        used = set().union(*map(tools, session.hidden.turns))
        assert {"Observation.search", "MedicationRequest.search"} <= used
        for turn in session.hidden.turns:
            assert turn.type != "DG" or "MedicationRequest.search" in tools(turn)
    for session in labelled("treatment_response"):
        used = set().union(*map(tools, session.hidden.turns))
        assert "MedicationAdministration.search" in used
    for session in SESSIONS:
        used = set().union(*map(tools, session.hidden.turns))
        assert len(used) >= 3 or session.labels["tier"] != "3"


def test_texts_are_in_their_language() -> None:
    for session in SESSIONS:
        public = session.public
        for questions in (public.questions, public.explicit):
            assert all(CHINESE.search(text) for text in questions["zh"])
            assert not any(CHINESE.search(text) for text in questions["en"])
        for turn in session.hidden.turns:
            chinese = (turn.answers["zh"], *turn.rubric["zh"])
            assert all(CHINESE.search(text) or "ServiceRequest" in text for text in chinese)
            assert not any(CHINESE.search(t) for t in (turn.answers["en"], *turn.rubric["en"]))


def test_questions_never_state_a_value_of_the_record() -> None:
    for session in SESSIONS:
        for texts in session.public.questions.values():
            for turn, text in zip(session.hidden.turns, texts, strict=True):
                assert turn.writes or not NUMBER.search(text), text


def test_patients_give_the_same_numbers_in_every_manner_and_language() -> None:
    for session in SESSIONS:
        for answer in session.hidden.patient_answers:
            assert set(answer.texts) == set(LANGUAGES)
            spoken = [answer.texts[lang][lit] for lang in LANGUAGES for lit in LITERACIES]
            # A scale's end may be left out.
            said = {tuple(n for n in numbers(text) if n != "10") for text in spoken}
            assert len({tuple(sorted(n)) for n in said}) == 1, spoken


@for_each(SESSIONS)
def test_every_number_of_a_gold_answer_stands_in_an_observation(session: Session) -> None:
    seen = set(numbers(session.public.opening))
    for place, turn in enumerate(session.hidden.turns):
        for call in turn.calls:
            seen |= set(numbers(json.dumps([call.arguments, *call.observations.values()])))
        known = KNOWN.get((session.hidden.session, place), set())
        for language in LANGUAGES:
            cited = set(numbers(" ".join((turn.answers[language], *turn.rubric[language]))))
            assert cited - seen <= known


@for_each(SESSIONS)
def test_no_gold_call_looks_past_the_clock(session: Session) -> None:
    clock = datetime.fromisoformat(session.hidden.clock)
    for turn in session.hidden.turns:
        for call in turn.calls:
            for found in TIME.findall(str(call.observations["en"])):
                assert datetime.fromisoformat(found) <= clock


def test_each_patient_remembers_what_it_answers() -> None:
    for session in SESSIONS:
        gold = session.hidden
        (answer,) = gold.patient_answers
        memory = gold.memory or {}
        assert memory["subject_id"] == gold.subject
        assert memory["persona"]["info_completeness"] == gold.persona.info_completeness
        words = json.dumps(memory, ensure_ascii=False)
        for language in LANGUAGES:
            assert json.dumps(answer.texts[language]["high"], ensure_ascii=False)[1:-1] in words


def test_a_withheld_drug_is_critical_and_adherence_follows_its_evidence() -> None:
    for session in SESSIONS:
        memory = session.hidden.memory or {}
        explained = [drug for drug in memory["medications"] if "patient_explanation" in drug]
        withheld = session.hidden.persona.info_completeness == "critical_withheld"
        assert all(drug["critical_flag"] == withheld for drug in explained)
        for drug in memory["medications"]:
            if drug not in explained:
                regular = "about once a week" not in drug["adherence_evidence"]
                assert drug["adherence"] == ("good" if regular else "poor")


def test_remembered_values_are_the_values_of_the_chart() -> None:
    for session in SESSIONS:
        seen = " ".join(
            str(call.observations["en"]) for turn in session.hidden.turns for call in turn.calls
        )
        for trend in (session.hidden.memory or {})["lab_trends"]:
            assert f"{trend['item_name']}: {trend['recent_values'][-1]['value']:g}" in seen


def test_the_meld_score_of_a_gold_answer() -> None:
    session = next(s for s in SESSIONS if s.hidden.session == "wardround_diagnostic_workup_6")
    bilirubin, inr, creatinine = (
        float(value)
        for value in re.findall(
            r"(?:Bilirubin|INR|creatinine) ([\d.]+)", session.hidden.turns[2].answers["en"]
        )
    )
    # Kamath et al., Hepatology 2007, 45:797; UNOS 2002.
    score = 9.57 * log(creatinine) + 3.78 * log(bilirubin) + 11.2 * log(inr) + 6.43
    assert f"MELD of {round(score)}" in session.hidden.turns[2].answers["en"]


def test_the_script_makes_the_shipped_file_again() -> None:
    shipped = read_text("wardround.benchmarks.assist.suite", "hand_written.jsonl")
    assert json_lines(made_sessions()).decode() == shipped
