"""The review file: nothing of it is lost, and what is wrong in it is told; a model's wording."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask, read_clear
from wardround.authoring.interact.ambiguities.follow_ups import Following
from wardround.authoring.interact.ambiguities.model_wording import reworded
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.review_file import (
    Line,
    line_of,
    merged,
    read_review,
    write_review,
)
from wardround.core.errors import UserError
from wardround.models import Reply, scripted

TEXT = st.text(max_size=20)
LINES = st.builds(
    Line,
    decision=st.sampled_from(["", "accept", "strike"]),
    task=TEXT,
    type=TEXT,
    meaning=TEXT.map("m".__add__),
    fragment=TEXT.map("f".__add__),
    otherwise=st.lists(TEXT, max_size=3).map(tuple),
    critical=st.booleans(),
    knowledge=st.none() | st.integers(0, 9),
    gold=TEXT,
)
OLD = Proposal("semantic", "age > 16", "", ("age > 20",), term="age")
CLEAR = ClearTask("one", "hospital", "Count whoever passed sixteen years.", ("SELECT 1",))


@given(st.lists(LINES, max_size=5), st.lists(LINES, max_size=5))
def test_a_second_call_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, old: list[Line], new: list[Line]
) -> None:
    path = tmp_path_factory.mktemp("review") / "review.jsonl"
    write_review(path, merged(old, new))
    found = read_review(path)
    assert found[: len(old)] == tuple(old)
    assert {line.key for line in found} == {line.key for line in (*old, *new)}
    write_review(path, merged(found, new))
    assert read_review(path) == found


def test_a_line_without_words_gives_way_to_one_that_has_some() -> None:
    bare, struck = Line(task="t", type="x"), Line(task="t", type="y", decision="strike")
    worded = [Line(task="t", type="x", meaning="m"), Line(task="t", type="y", meaning="m")]
    assert merged([bare, struck], worded) == (worded[0], struck)


def test_lines_give_back_what_they_are_made_of() -> None:
    after = Following(
        "state-dependent", "And?", "SELECT 2", "BI", "CREATE TABLE a AS SELECT 1", "a"
    )
    assert line_of("one", after, "").following() == after
    worded = Proposal("null", "x", "Zero.", ("y",), "s", "b", "t", False, 3, "user-user")
    assert line_of("one", worded, "As it would be.").proposal() == worded


FAULTS = {
    "{": "line 1 is not valid JSON",
    '{"task": "a"}': "type: Field required",
    '{"task": "a", "type": "null", "decision": "yes"}': "decision: Input should be",
    '{"task": "a", "type": "null", "desision": ""}': "desision: Extra inputs",
    '{"task": "a", "type": "semantic", "fragment": "x", "decision": "accept"}': "without a meaning",
}


@pytest.mark.parametrize(("line", "said"), FAULTS.items())
def test_faults(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "review.jsonl"
    path.write_text(line)
    with pytest.raises(UserError, match=said):
        read_review(path)


CLEAR_FAULTS = {
    "": "holds no clear task",
    "[": "is not valid JSON",
    '{"query": "Count.", "sol_sql": "SELECT 1"}': "Field required",
    '{"instance_id": "a", "query": "Count.", "sol_sql": []}': "sol_sql",
    '{"id": "a", "query": "Q", "sol_sql": "S"}\n' * 2: "was used before",
}


@pytest.mark.parametrize(("content", "said"), CLEAR_FAULTS.items())
def test_faults_of_clear_tasks(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "clear.jsonl"
    path.write_text(content)
    with pytest.raises(UserError, match=said):
        read_clear(path, "hospital")


def test_clear_tasks_in_either_form(tmp_path: Path) -> None:
    path = tmp_path / "clear.json"
    path.write_text(
        '[{"id": "a", "question": "How many?", "query": "SELECT current_time"}, '
        '{"id": "b", "question": "Why?", "query": "nan", "is_impossible": true}]'
    )
    [one] = read_clear(path, "hospital")
    assert (one.request, one.database) == ("How many?", "hospital")
    assert one.gold == ("SELECT '2100-12-31 23:59:00'",)
    path.write_text(
        '{"instance_id": "a", "query": "How many?", "sol_sql": ["SELECT 1"], '
        '"selected_database": "b", "category": "Management", "external_knowledge": [3]}'
    )
    [one] = read_clear(path, "hospital")
    assert (one.database, one.category, one.knowledge) == ("b", "DM", (3,))


ANSWERS = {
    "good": ("passed sixteen years", "is no child any more", "Older than sixteen.", True),
    "leaks": ("passed sixteen years", "is above 16", "Older than sixteen.", False),
    "not in the request": ("passed 16 years", "is no child", "Older than sixteen.", False),
    "everything": ("Count whoever passed sixteen years.", "Count them.", "Older.", False),
    "without a meaning": ("passed sixteen years", "is no child", " ", False),
}


@pytest.mark.parametrize(("said", "becomes", "meaning", "taken"), ANSWERS.values(), ids=ANSWERS)
def test_a_models_words_are_checked(said: str, becomes: str, meaning: str, taken: bool) -> None:
    answer = f'{{"said": "{said}", "becomes": "{becomes}", "meaning": "{meaning}"}}'
    model = scripted(lambda messages, tools: Reply(answer)).bind("rewriter", lambda _: None, None)
    found = asyncio.run(reworded(CLEAR, OLD, model))
    assert (found != OLD) == taken
    assert not taken or (found.said, found.term, found.meaning) == (said, becomes, meaning)


def test_a_model_that_gives_no_words_changes_nothing() -> None:
    model = scripted(lambda messages, tools: Reply("Sure!")).bind("rewriter", lambda _: None, None)
    assert asyncio.run(reworded(CLEAR, OLD, model)) == OLD
