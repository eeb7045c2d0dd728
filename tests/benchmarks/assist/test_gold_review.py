"""Golds: recorded results come back in every grading, and facts have to be in a result."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import wardround
from tests.apps.commands import Cli
from tests.benchmarks.assist.played import opened, play
from wardround.benchmarks.assist.declaration import PAPER, STRICT
from wardround.benchmarks.assist.gold_review import differing_results
from wardround.benchmarks.assist.sessions import Session
from wardround.benchmarks.assist.tasks import session_lines, shipped_tasks
from wardround.core.actions import Action, Call, Say
from wardround.core.task import Defect
from wardround.runs.settings import RunSettings
from wardround.runs.validation import GoldCheck, validate_tasks

SESSIONS = shipped_tasks("hand_written").tasks
END: list[Action] = [Say(".")] * 4
Change = Callable[[dict[str, Any]], None]


def seen(task: Session, calls: list[Call], grading: str = STRICT) -> list[str]:
    """The results of calls in a session's first turn."""
    _, observed = play(opened(grading=grading), task, [*calls, *END])
    return [each.text for each in observed[1 : len(calls) + 1]]


@pytest.mark.parametrize("grading", [STRICT, PAPER])
def test_every_gold_read_returns_its_recorded_result(grading: str) -> None:
    benchmark, reads = opened(grading=grading), 0
    for task in SESSIONS:
        trajectory, _ = play(benchmark, task)
        assert list(differing_results(task, trajectory, grading)) == []  # type: ignore[arg-type]
        reads += sum(call.reads for turn in task.hidden.turns for call in turn.calls)
    assert reads > 130


def test_other_calls_get_the_record_s_own_results() -> None:
    task = SESSIONS[0]
    gold = task.hidden.turns[0].calls[0]
    recorded = gold.observations["en"]
    given = dict(gold.arguments)
    same = {("lab_test" if name == "code" else name): value for name, value in given.items()}
    calls = [
        {**same, "_count": 20, "date_from": ""},
        {**given, "_count": 1},
        {**given, "hadm_id": 1},
    ]
    results = seen(task, [Call(gold.tool, each) for each in calls], PAPER)
    assert results[0] == recorded
    # The published gate hides the session's day from calls that are not the gold's.
    assert recorded not in results[1:]
    assert recorded.splitlines()[2].startswith("Potassium: 5.4 mEq/L ")
    assert results[1].splitlines()[1].startswith("Potassium: 5.4 mEq/L ")
    assert "no stay" in results[2]


def test_a_resource_that_the_session_writes_is_found_by_a_gold_search() -> None:
    task, gold = next(
        (task, call)
        for task in SESSIONS
        for turn in task.hidden.turns
        for call in turn.calls
        if call.tool == "MedicationRequest.search"
    )
    ids = {name: gold.arguments[name] for name in ("subject_id",)}
    order = {"dose": "1 mg", "route": "oral", "frequency": "daily"}
    write = {**ids, "medication": gold.arguments["medication"], **order}
    search = Call(gold.tool, dict(gold.arguments))
    before, _, after = seen(task, [search, Call("MedicationRequest.create", write), search])
    assert before == gold.observations["en"]
    assert "1 mg oral daily" in after


def changed(folder: Path, change: Change, id: str = "", number: int = 0) -> Path:
    """A file with one shipped session, changed."""
    line = list(session_lines("hand_written"))[number]
    change(line)
    line["id"] = id or line["id"]
    path = folder / "sessions.jsonl"
    path.write_text(json.dumps(line) + "\n", "utf-8")
    return path


def validated(tasks: Path, grading: str = "", **options: Any) -> GoldCheck:
    chosen = {"sessions": "hand_written", **options}
    settings = RunSettings(benchmark="assist", agent="oracle", tasks=tasks, options=chosen)
    return validate_tasks(settings, grading)


def reasons(defects: tuple[Defect, ...]) -> list[str]:
    return [defect.reason for defect in defects]


def answer_of(line: dict[str, Any], turn: int) -> dict[str, Any]:
    step: dict[str, Any] = line["answer_list"][turn][-1]
    return step


@pytest.mark.parametrize(
    ("old", "new", "fact"),
    [
        ("4.5 mEq/L", "4.9 mEq/L", "4.9 mEq/L"),
        ("4.5 mEq/L", "4 mEq/L", "4 mEq/L"),
        ("on 2148-04-02", "on 2148-04-03", "2148-04-03"),
        ("normal.", "normal. The patient is on digoxin.", "digoxin"),
        ("normal.", "normal. Sodium is 4.5 mEq/L.", "sodium"),
    ],
)
def test_a_fact_in_no_result_is_a_defect(tmp_path: Path, old: str, new: str, fact: str) -> None:
    def change(line: dict[str, Any]) -> None:
        step = answer_of(line, 0)
        step["observation"] = step["observation"].replace(old, new)
        line["rubrics"][0] = ["Names potassium"]
        line["rubrics_zh"][0] = ["指出血钾"]
        line.pop("checks", None)

    found = reasons(validated(changed(tmp_path, change)).defects)
    assert any(f"in no result: {fact}" in reason for reason in found), found


def test_a_recorded_result_that_the_record_does_not_give_is_named(tmp_path: Path) -> None:
    def change(line: dict[str, Any]) -> None:
        step = line["answer_list"][0][0]
        step["observation"] = step["observation"].replace("5.6 mEq/L", "5.7 mEq/L")
        line["answer_list_zh"] = None

    found = reasons(validated(changed(tmp_path, change)).defects)
    assert any("the record has other values: Observation.search" in each for each in found)
    published = validated(changed(tmp_path, change, "physassistbench_LabInterp_x_1_L1"))
    known = [row[1] for row in published.summary.tables["known_defects"].rows]
    assert any("the record has other values" in str(reason) for reason in known)
    assert not any("other values" in reason for reason in reasons(published.defects))


def free(items: list[str]) -> Change:
    """Adds items to the second turn, and leaves out all that the published form does not have."""

    def change(line: dict[str, Any]) -> None:
        for own in ("clock", "memory", "checks", "answer_list_zh", "rubrics_zh"):
            line.pop(own, None)
        line["rubrics"][1] = [*line["rubrics"][1], *items]

    return change


@pytest.mark.parametrize("grading", ["strict", "paper"])
@pytest.mark.parametrize(
    "items",
    [
        [],
        ["States the sodium as 151 mEq/L"],
        ["States the sodium as 151 mEq/L"] * 9,
        ["Weighs the evidence with care"],
        ["Weighs the evidence with care"] * 9,
    ],
    ids=["all pass", "one fails", "most fail", "one open", "most open"],
)
def test_validation_and_a_run_of_the_oracle_agree(
    tmp_path: Path, items: list[str], grading: str
) -> None:
    tasks = changed(tmp_path, free(items), "physassistbench_LabInterp_x_1_L1")
    run = wardround.run(
        "assist",
        agent="oracle",
        tasks=tasks,
        grading=grading,
        out=tmp_path / "run",
        sessions="hand_written",
    )
    [trial] = run.trials()
    found = validated(tasks, grading)
    golds = found.summary.tables["golds"]
    assert golds.rows[-1] == ("all", 1, int(trial.outcome == "passed"))
    assert any("fails the" in each for each in reasons(found.defects)) == (
        trial.outcome == "failed"
    )
    assert ("1 golds undecided" in golds.note) == (trial.outcome == "unscored")
    assert golds.note.endswith(("golds undecided.", "known ones aside."))


def test_the_command_names_the_turn_and_takes_a_grading(cli: Cli, tmp_path: Path) -> None:
    def change(line: dict[str, Any]) -> None:
        step = answer_of(line, 0)
        step["observation"] += " Sodium is 151 mEq/L."

    tasks = changed(tmp_path, change)
    record = ("--sessions", "hand_written")
    ran = cli("tasks", "validate", "assist", "--tasks", tasks, "--grading", "paper", *record)
    assert ran.code == 1
    assert "a fact of its gold answer is in no result (2)" in ran.err
    assert "151 mEq/L, in turn 0" in ran.err
    other = cli("tasks", "validate", "assist", "--grading", "kind")
    assert (other.code, "no grading 'kind'" in other.err) == (2, True)
