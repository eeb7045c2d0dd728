"""The annotation sheet goes out and in: sampled sessions, changed questions, named faults."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from wardround.annotation.assist.declaration import RevisionOptions, SheetOptions
from wardround.annotation.assist.sheet import COLUMNS, revise, sample, write
from wardround.benchmarks.assist.tasks import (
    load_tasks,
    session_lines,
    shipped_tasks,
)
from wardround.benchmarks.kit.sheets import read_sheet, write_sheet
from wardround.core.errors import UserError
from wardround.core.work import WorkContext

CONTEXT = WorkContext(models=None)
SESSIONS = shipped_tasks().tasks
FIRST = SESSIONS[0]


def filled(path: Path, change: Callable[[dict[str, str]], None]) -> Path:
    """A sheet of all sessions whose row of the first session's second turn is changed."""
    write(SheetOptions(sheet=path, share=1), CONTEXT)
    rows = [dict(row.cells) for row in read_sheet(path, COLUMNS)]
    change(rows[1])
    path.unlink()
    write_sheet(path, COLUMNS, [[row[name] for name in COLUMNS] for row in rows])
    return path


def test_the_sheet_holds_each_turn_of_sampled_sessions(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    write(SheetOptions(sheet=path, share=1 / 9), CONTEXT)
    rows = read_sheet(path, COLUMNS)
    assert Counter((row.cells["Scenario"], row.cells["Difficulty"]) for row in rows) == Counter(
        dict.fromkeys(cells(), 4)
    )
    task = next(task for task in SESSIONS if task.id == rows[0].cells["Entry ID"])
    assert rows[2].cells["Turn"] == "2"
    assert rows[2].cells["Implicit ZH"] == task.public.questions["zh"][2]
    assert rows[2].cells["Rubric EN"].splitlines() == list(task.hidden.turns[2].rubric["en"])


def cells() -> set[tuple[str, str]]:
    return {(task.labels["scenario"], task.labels["tier"]) for task in SESSIONS}


def test_a_sample_is_spread_evenly_over_scenarios_and_tiers() -> None:
    for seed, (share, size) in enumerate(((0.25, 27), (0.25, 27), (0.5, 54), (0.6, 65), (1, 108))):
        drawn = sample(SESSIONS, share, seed)
        assert len(drawn) == size
        for label, values in (("scenario", 4), ("tier", 3)):
            counts = Counter(task.labels[label] for task in drawn)
            assert len(counts) == values
            assert max(counts.values()) - min(counts.values()) <= 1


def test_the_same_seed_draws_the_same_sample() -> None:
    drawn = [[task.id for task in sample(SESSIONS, 0.5, seed)] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_changed_questions_reach_new_sessions_and_nothing_else_changes(tmp_path: Path) -> None:
    def change(row: dict[str, str]) -> None:
        row.update(need_modify="yes", mod_implicit_zh="那超声呢？")

    sheet, to = filled(tmp_path / "sheet.csv", change), tmp_path / "revised.jsonl"
    result = revise(RevisionOptions(sheet=sheet, to=to), CONTEXT)
    assert result.values == {"sessions": len(SESSIONS), "changed": 1}
    revised = load_tasks(to).tasks
    questions = FIRST.public.questions["zh"]
    assert revised[0].public.questions["zh"] == (questions[0], "那超声呢？", *questions[2:])
    assert revised[0].public.explicit == FIRST.public.explicit
    assert [task.hidden for task in revised] == [task.hidden for task in SESSIONS]
    assert revised[1:] == SESSIONS[1:]
    with pytest.raises(UserError, match="exists already"):
        revise(RevisionOptions(sheet=sheet, to=to), CONTEXT)


def test_a_row_that_needs_no_change_changes_nothing(tmp_path: Path) -> None:
    def change(row: dict[str, str]) -> None:
        row.update(need_modify="no", mod_implicit_zh="那超声呢？")

    sheet, to = filled(tmp_path / "sheet.csv", change), tmp_path / "revised.jsonl"
    revise(RevisionOptions(sheet=sheet, to=to), CONTEXT)
    assert load_tasks(to).tasks == SESSIONS


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ({"need_modify": "perhaps"}, "line .*, need_modify: 'perhaps' is neither"),
        ({"mod_implicit_zh": "x"}, "need_modify: a question is changed; write yes or no"),
        ({"need_modify": "yes"}, "need_modify: a change is wanted; write it in"),
        ({"need_modify": "yes", "mod_explicit_zh": "x", "Turn": "4"}, "Turn: '4' is not a turn"),
        ({"need_modify": "yes", "mod_explicit_zh": "x", "Entry ID": "y"}, "'y' is not a session"),
    ],
)
def test_faults_of_a_sheet_are_named(cells: dict[str, str], complaint: str, tmp_path: Path) -> None:
    sheet = filled(tmp_path / "sheet.csv", lambda row: row.update(cells))
    with pytest.raises(UserError, match=complaint):
        revise(RevisionOptions(sheet=sheet, to=tmp_path / "new.jsonl"), CONTEXT)
    assert not (tmp_path / "new.jsonl").exists()


def test_a_turn_is_changed_by_one_row(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    row = {**dict.fromkeys(COLUMNS, ""), "Entry ID": FIRST.id, "Turn": "1", "need_modify": "yes"}
    rows = [row | {"mod_implicit_zh": text} for text in ("那超声呢？", "超声怎样？")]
    write_sheet(path, COLUMNS, [list(each.values()) for each in rows])
    with pytest.raises(UserError, match=r"\(row 3\), need_modify: an earlier row"):
        revise(RevisionOptions(sheet=path, to=tmp_path / "new.jsonl"), CONTEXT)


def test_published_messages_repeat_the_changed_question(tmp_path: Path) -> None:
    session = next(session_lines("suite"))
    session["messages_zh"] = [
        {"role": role, "content": f"前言\n{question}"}
        for question in session["tasks_zh"]
        for role in ("user", "assistant")
    ]
    published = tmp_path / "published.jsonl"
    published.write_bytes(orjson.dumps(session))
    sheet, to = tmp_path / "sheet.csv", tmp_path / "revised.jsonl"
    row = {**dict.fromkeys(COLUMNS, ""), "Entry ID": FIRST.id, "Turn": "1", "need_modify": "yes"}
    write_sheet(sheet, COLUMNS, [list((row | {"mod_implicit_zh": "那超声呢？"}).values())])
    revise(RevisionOptions(sheet=sheet, tasks=published, to=to), CONTEXT)
    (revised,) = session_lines(to)
    before, after = session["messages_zh"], revised["messages_zh"]
    assert after[2] == {"role": "user", "content": "前言\n那超声呢？"}
    assert [*after[:2], *after[3:]] == [*before[:2], *before[3:]]
