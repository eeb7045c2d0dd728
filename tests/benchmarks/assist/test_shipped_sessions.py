"""Counts and constraints of the shipped sessions, as the paper has them."""

from collections import Counter
from pathlib import Path

import pytest

from tools.suites.assist_counts import crossed_tools, repeated_resources
from wardround.benchmarks.assist.sessions import LANGUAGES, SCENARIOS, WRITES
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.core.confinement import ORACLE
from wardround.runs import scoring
from wardround.runs.settings import RunSettings

SUITE = shipped_tasks("hand_written")
TASKS = SUITE.tasks
ITEMS = {"IL": (3, 3), "DG": (4, 5), "CR": (5, 6), "WU": (5, 6)}


def test_sessions_by_scenario_and_tier() -> None:
    assert not SUITE.defects
    cells = Counter((task.labels["scenario"], task.labels["tier"]) for task in TASKS)
    assert cells == {(scenario, tier): 2 for scenario in SCENARIOS for tier in "123"}
    arcs = {task.labels["arc"] for task in TASKS}
    assert len(arcs) == len(TASKS) == 24
    assert {arc[:2] for arc in arcs} == {"IL"}


def test_implicit_forms_and_patient_turns() -> None:
    forms = Counter(turn.subtype for task in TASKS for turn in task.hidden.turns)
    assert forms == {None: 24, "NA": 24, "PE": 24, "AE": 24}
    for task in TASKS:
        assert task.hidden.turns[0].subtype is None
        assert sum(turn.asks_patient for turn in task.hidden.turns) == 1
        assert task.hidden.turns[1].subtype != "AE"


def test_write_turns_use_every_tool_that_writes_once() -> None:
    writing = [turn for task in TASKS for turn in task.hidden.turns if turn.writes]
    assert len(writing) == 9
    assert {call.tool for turn in writing for call in turn.calls} == set(WRITES)
    assert all(len(turn.calls) == 1 for turn in writing)


def test_rubrics_have_the_counts_of_their_types() -> None:
    for task in TASKS:
        for turn in task.hidden.turns:
            low, high = (5, 6) if turn.source == "mixed" else ITEMS[turn.type]
            assert low <= len(turn.rubric["en"]) <= high, task.id
            assert len(turn.rubric["zh"]) == len(turn.rubric["en"])


def test_texts_are_there_in_both_languages_and_hold_no_placeholder() -> None:
    for task in TASKS:
        for language in LANGUAGES:
            asked = (*task.public.questions[language], *task.public.explicit[language])
            told = [turn.answers[language] for turn in task.hidden.turns]
            items = [item for turn in task.hidden.turns for item in turn.rubric[language]]
            assert len(asked) == 8
            assert all(text.strip() and "{" not in text for text in (*asked, *told, *items))


def test_gold_calls_keep_to_their_type_and_scenario() -> None:
    for task in TASKS:
        for turn in task.hidden.turns:
            tools = [call.tool for call in turn.calls]
            assert 2 <= len(tools) <= 4 if turn.type == "DG" else len(tools) >= 1
            assert len(tools) == 1 or turn.type not in ("IL", "WU")
            if task.labels["scenario"] == "diagnostic_workup":
                assert "MedicationAdministration.search" not in tools
            if task.labels["scenario"] == "treatment_response":
                assert "MedicationRequest.search" not in tools


def test_hand_written_sessions_use_no_tool_that_the_paper_crosses() -> None:
    assert crossed_tools(TASKS) == []


def test_hand_written_sessions_read_a_type_of_resource_in_two_turns_at_most() -> None:
    assert {task.id: repeated_resources(task) for task in TASKS} == {task.id: [] for task in TASKS}


def test_a_run_is_scored_by_the_sessions_that_it_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sets of sessions may have ids in common."""
    options = {"sessions": "hand_written"}
    settings = RunSettings(benchmark="assist", agent=ORACLE, options=options)
    monkeypatch.setattr(scoring, "settings_of", lambda folder: settings)
    assert scoring.tasks_of(tmp_path) == {task.id: task for task in TASKS}
