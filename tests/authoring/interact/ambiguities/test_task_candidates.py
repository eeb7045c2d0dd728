"""Candidates of ambiguous tasks, clear tasks, and a model's wording of an ambiguity."""

import asyncio
from pathlib import Path

import pytest

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask, read_clear
from wardround.authoring.interact.ambiguities.follow_ups import FollowUp
from wardround.authoring.interact.ambiguities.model_words import with_model_words
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.suite import (
    AmbiguityDetail,
    begin_candidates,
    candidate_of,
    follow_ups_of,
    proposals_of,
)
from wardround.authoring.review_file import merged, write_review
from wardround.benchmarks.interact.tasks import Subtask
from wardround.core.errors import UserError
from wardround.models import Reply, scripted

OLD = Proposal("semantic", "age > 16", "", ("age > 20",), term="age")
FIRST = Subtask("Count whoever passed sixteen years.", "BI", ("SELECT 1",))
CLEAR = ClearTask("one", "hospital", FIRST)


def test_candidates_round_trip_to_proposals_and_follow_ups() -> None:
    follow_up = FollowUp(
        "state-dependent", "And?", "SELECT 2", "BI", "CREATE TABLE a AS SELECT 1", "a", "(1, 'd')"
    )
    assert follow_ups_of([candidate_of("one", follow_up)]) == [follow_up]
    worded = Proposal("null", "x", "Zero.", ("y",), "s", "b", "t", False, 3, "user-user")
    candidate = candidate_of("one", worded, "As it would be.")
    assert (proposals_of([candidate]), candidate.text) == ([worded], "As it would be.")
    assert follow_ups_of([candidate]) == []
    assert proposals_of([candidate_of("one", follow_up)]) == []


def test_edited_candidate_keeps_its_id(tmp_path: Path) -> None:
    candidate = candidate_of("one", OLD, "Count.")
    edited = candidate.model_copy(
        update={"decision": "accept", "detail": AmbiguityDetail(fragment="age > 17", meaning="m")}
    )
    write_review(tmp_path / "review.jsonl", [edited])
    assert merged(begin_candidates(tmp_path / "review.jsonl"), [candidate]) == (edited,)


FAULTS = {
    '{"id": "a", "kind": "null", "changes": "t", "detail": {}}': "fragment: Field required",
    '{"id": "a", "kind": "x", "changes": "t", "detail": {"gold": "", "said": ""}}': "said: Extra",
    '{"id": "a", "kind": "x", "changes": "t", "decision": "accept", "detail": {"fragment": "x"}}': (
        "line 1: accepted without a meaning"
    ),
}


@pytest.mark.parametrize(("line", "message"), FAULTS.items())
def test_a_damaged_candidate_is_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "review.jsonl"
    path.write_text(line)
    with pytest.raises(UserError, match=message):
        begin_candidates(path)


CLEAR_FAULTS = {
    "": "contains no clear task",
    "[": "is not valid JSON",
    '{"query": "Count.", "sol_sql": "SELECT 1"}': "Field required",
    '{"instance_id": "a", "query": "Count.", "sol_sql": []}': "sol_sql",
    '{"id": "a", "query": "Q", "sol_sql": "S"}\n' * 2: "duplicate id a",
}


@pytest.mark.parametrize(("content", "message"), CLEAR_FAULTS.items())
def test_a_damaged_file_of_clear_tasks_is_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "clear.jsonl"
    path.write_text(content)
    with pytest.raises(UserError, match=message):
        read_clear(path, "hospital")


def test_clear_tasks_load_in_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "clear.json"
    path.write_text(
        '[{"id": "a", "question": "How many?", "query": "SELECT current_time"}, '
        '{"id": "b", "question": "Why?", "query": "nan", "is_impossible": true}]'
    )
    [task] = read_clear(path, "hospital")
    assert (task.first.request, task.database) == ("How many?", "hospital")
    assert task.first.gold == ("SELECT '2100-12-31 23:59:00'",)
    path.write_text(
        '{"instance_id": "a", "query": "How many?", "sol_sql": ["SELECT 1"], '
        '"selected_database": "b", "category": "Management", "external_knowledge": [3]}'
    )
    [task] = read_clear(path, "hospital")
    assert (task.database, task.first.category, task.first.knowledge) == ("b", "DM", (3,))


ANSWERS = {
    "good": ("passed sixteen years", "is no child any more", "Older than sixteen.", ""),
    "leaks": ("passed sixteen years", "is above 16", "Older than sixteen.", "hidden"),
    "not in the request": ("passed 16 years", "is no child", "Older than sixteen.", "place"),
    "everything": ("Count whoever passed sixteen years.", "Count them.", "Older.", "place"),
    "without a meaning": ("passed sixteen years", "is no child", " ", "form"),
}


@pytest.mark.parametrize(("said", "becomes", "meaning", "failed"), ANSWERS.values(), ids=ANSWERS)
def test_a_models_words_are_checked(said: str, becomes: str, meaning: str, failed: str) -> None:
    answer = f'{{"said": "{said}", "becomes": "{becomes}", "meaning": "{meaning}"}}'
    model = scripted(lambda messages, tools: Reply(answer)).bind("rewriter", lambda _: None, None)
    proposal, checks = asyncio.run(with_model_words(CLEAR, OLD, model))
    assert [name for name, fault in checks.items() if fault] == ([failed] if failed else [])
    assert (proposal == OLD) == bool(failed)
    assert failed or (proposal.said, proposal.term, proposal.meaning) == (said, becomes, meaning)


def test_malformed_model_answer_leaves_the_proposal_unchanged() -> None:
    model = scripted(lambda messages, tools: Reply("Sure!")).bind("rewriter", lambda _: None, None)
    proposal, checks = asyncio.run(with_model_words(CLEAR, OLD, model))
    assert (proposal, checks) == (OLD, {"form": "the model gave no words"})
