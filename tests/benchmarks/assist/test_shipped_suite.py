"""The shipped suite: its counts as the paper has them, its published fields, and its oracle."""

import re
from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from tests.benchmarks.assist.played import graded, opened, play
from tests.cases import for_each
from tools.suites.assist_counts import (
    arcs,
    cells,
    crossed_tools,
    forms,
    patient_turns,
    read_shares,
    repeated_resources,
    unused_tools,
)
from wardround.benchmarks.assist.sessions import (
    LANGUAGES,
    LITERACIES,
    SCENARIOS,
    Language,
    Session,
)
from wardround.benchmarks.assist.tasks import session_lines, shipped_tasks

SUITE = shipped_tasks()
TASKS = SUITE.tasks
LINES = list(session_lines("suite"))
FORMS = {"IL": 24, "DG": 36, "CR": 36, "WU": 12}  # turns of each implicit form


def test_every_sequence_of_tasks_is_in_each_scenario_once_and_nine_are_in_a_cell() -> None:
    assert not SUITE.defects
    assert len({task.id for task in TASKS}) == 108
    assert cells(TASKS) == {(scenario, tier): 9 for scenario in SCENARIOS for tier in "123"}
    assert len(arcs(TASKS)) == 4 * 27
    assert set(arcs(TASKS).values()) == {1}


def test_types_and_implicit_forms_are_balanced() -> None:
    found = forms(TASKS)
    assert {key: count for key, count in found.items() if key[1]} == {
        (type, form): count for type, count in FORMS.items() for form in ("NA", "PE", "AE")
    }
    totals = Counter[str]()
    for (type, _), count in found.items():
        totals[type] += count
    assert totals == {"IL": 180, "DG": 108, "CR": 108, "WU": 36}


def test_each_session_asks_its_patient_in_one_turn() -> None:
    assert patient_turns(TASKS) == {1: 108}


def test_tools_are_those_of_the_scenario_and_none_rules() -> None:
    assert crossed_tools(TASKS) == []
    assert unused_tools(TASKS) == []
    assert max(read_shares(TASKS).values()) <= 0.4
    assert [task.id for task in TASKS if repeated_resources(task)] == []


def test_rich_sessions_use_three_types_of_resource() -> None:
    for task in TASKS:
        tools = {call.tool for turn in task.hidden.turns for call in turn.calls}
        types = {tool.partition(".")[0] for tool in tools if not tool.startswith("patient.")}
        assert len(types) >= (3 if task.labels["tier"] == "3" else 2), task.id


@for_each(LINES)
def test_a_session_has_every_published_field(line: dict[str, Any]) -> None:
    named = {tool["function"]["name"] for tool in line["tools"]}
    assert {step["action"]["name"] for turn in line["answer_list"] for step in turn} <= named
    for messages in (line["messages"], line["messages_zh"]):
        said = [each["content"] for each in messages if isinstance(each, dict)]
        assert len(said) == 8
    targets = {edge["tgt"] for edge in line["dep_graph"]["edges"]}
    assert targets == {1, 2, 3}
    assert len(line["session_plan"]["turns"]) == 4
    writes = [each["tool"] for each in line["write_gold_params"]]
    assert len(writes) == line["task_types"].count("Write/Update")
    assert line["generated_at"]
    for turn, subtype in enumerate(line["turn_subtypes"]):
        sources = {edge["src"] for edge in line["dep_graph"]["edges"] if edge["tgt"] == turn}
        assert len(sources) >= (2 if subtype == "AE" else 0)


@for_each(LINES)
def test_a_session_has_another_day_on_the_ward_unless_the_patient_leaves(
    line: dict[str, Any],
) -> None:
    renews = any(each["tool"] == "MedicationRequest.create" for each in line["write_gold_params"])
    leaves = line["clinical_scenario"] == "discharge_planning" or renews
    clock = datetime.fromisoformat(line["clock"])
    assert leaves or (clock.minute == 0 and 8 <= clock.hour < 18)


@for_each(LINES)
def test_what_must_not_be_said_or_written_is_earned_by_another_item(line: dict[str, Any]) -> None:
    for checks in line["checks"]:
        english = [check["en"] for check in checks if check]
        denied = [e for e in english if e.get("forbidden") or e.get("test") in ("none", "most")]
        assert all(check["earned"] for check in denied)
        assert len(denied) < len(checks)


@for_each(LINES)
def test_an_abstract_question_asks_for_what_it_leaves_out(line: dict[str, Any]) -> None:
    nodes, edges = line["dep_graph"]["nodes"], line["dep_graph"]["edges"]
    for turn, form in enumerate(line["turn_subtypes"]):
        if form == "AE" and line["task_types"][turn] != "Write/Update":
            left_out = [each for each in edges if each["tgt"] == turn]
            entities = set(nodes[str(turn)]["entities"])
            excluded = [each for each in left_out if each["antecedent"] not in entities]
            assert len(excluded) < len(left_out)
            assert len({each["src"] for each in left_out}) > 1
            # It asks for a risk beyond those that earlier turns asked for.
            for each in excluded:
                assert line["task_types"][each["src"]] == "Clinical Reasoning"
                assert "new risk" in line["tasks"][turn]


def test_texts_are_there_in_both_languages_and_hold_no_placeholder() -> None:
    for task in TASKS:
        for language in LANGUAGES:
            asked = (*task.public.questions[language], *task.public.explicit[language])
            told = [turn.answers[language] for turn in task.hidden.turns]
            items = [item for turn in task.hidden.turns for item in turn.rubric[language]]
            assert len(asked) == 8
            assert all(text.strip() and "{" not in text for text in (*asked, *told, *items))


def test_each_literacy_has_words_and_no_number_of_its_own() -> None:
    told = [answer.texts[language] for task in TASKS for answer in task.hidden.patient_answers
            for language in LANGUAGES]  # fmt: skip
    assert len(told) == 216
    for texts in told:
        assert len(set(texts.values())) == len(LITERACIES), texts
        assert len({tuple(re.findall(r"\d+", text)) for text in texts.values()}) == 1, texts


def test_no_question_asks_for_what_the_opening_says() -> None:
    for task in TASKS:
        for question in (*task.public.questions["en"], *task.public.explicit["en"]):
            assert not re.search(r"\b(?:sex|gender|age)\b", question), task.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_oracle_passes_every_session(language: Language) -> None:
    benchmark = opened(sessions="suite", language=language)

    def passes(task: Session) -> bool:
        trajectory, _ = play(benchmark, task)
        return graded(benchmark, task, trajectory).passed == {"strict": True, "paper": True}

    assert [task.id for task in TASKS if not passes(task)] == []
