"""The review file: candidates come back as written, decisions survive, damaged lines are named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.authoring.findings import Finding
from wardround.authoring.review_file import (
    Candidate,
    Detail,
    append_review,
    begin_review,
    merged,
    read_review,
    write_review,
)
from wardround.core.errors import UserError


class Own(Detail):
    """Fields of this test's maker."""

    rank: int | None = None
    readings: tuple[str, ...] = ()


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
CANDIDATES = st.builds(
    Candidate[Own],
    decision=st.sampled_from(["open", "accept", "strike"]),
    id=TEXT,
    kind=TEXT,
    changes=TEXT,
    text=TEXT,
    checks=st.dictionaries(TEXT, TEXT, max_size=2),
    by=TEXT,
    note=TEXT,
    detail=st.builds(
        Own, rank=st.none() | st.integers(0, 9), readings=st.lists(TEXT, max_size=2).map(tuple)
    ),
)
LISTS = st.lists(CANDIDATES, max_size=4, unique_by=lambda candidate: candidate.id)


def candidate(id: str, **fields: object) -> Candidate[Own]:
    return Candidate[Own].model_validate(
        {"id": id, "kind": "wording", "changes": "t", "detail": {}} | fields
    )


@given(LISTS)
def test_candidates_round_trip(
    tmp_path_factory: pytest.TempPathFactory, candidates: list[Candidate[Own]]
) -> None:
    path = tmp_path_factory.mktemp("review") / "review.jsonl"
    write_review(path, candidates)
    assert list(read_review(path, Candidate[Own]).values()) == candidates
    assert [file.name for file in path.parent.iterdir()] == ["review.jsonl"]


@given(st.lists(CANDIDATES, max_size=6, unique_by=lambda candidate: candidate.id))
def test_appending_keeps_the_bytes_before(
    tmp_path_factory: pytest.TempPathFactory, candidates: list[Candidate[Own]]
) -> None:
    path = tmp_path_factory.mktemp("review") / "review.jsonl"
    assert begin_review(path, Candidate[Own]) == ()
    append_review(path, candidates[:3])
    before = path.read_bytes()
    append_review(path, candidates[3:])
    assert path.read_bytes().startswith(before)
    assert begin_review(path, Candidate[Own]) == tuple(candidates)


@given(LISTS, LISTS)
def test_decisions_survive_regeneration(
    old: list[Candidate[Own]], new: list[Candidate[Own]]
) -> None:
    result = merged(old, new, lambda candidate: True)
    after = {candidate.id: candidate for candidate in result}
    assert [candidate.id for candidate in result[: len(old)]] == [each.id for each in old]
    assert all(after[each.id] == each for each in old if each.decision != "open")
    assert set(after) == {each.id for each in (*old, *new)}
    assert merged(result, new, lambda candidate: True) == result


def test_open_candidate_is_replaced_by_its_new_version() -> None:
    old = [candidate("a"), candidate("b", decision="strike"), candidate("c", text="mine")]
    new = [candidate(id, text="new") for id in "abc"]
    result = merged(old, new, lambda candidate: not candidate.text)
    assert [each.text for each in result] == ["new", "", "mine"]


def test_edited_lines_tolerate_case_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    fields = '"id": "a", "kind": "w", "changes": "t", "detail": {}'
    path.write_bytes(f'\ufeff{{"decision": "Accept ", {fields}}}\r\n\r\n'.encode())
    assert read_review(path, Candidate[Own]) == {
        1: candidate("a", kind="w", decision="accept"),
    }
    path.write_text(f'{{"decision": "", {fields}}}')
    append_review(path, [candidate("b")])
    assert [each.decision for each in read_review(path, Candidate[Own]).values()] == ["open"] * 2


DAMAGED = {
    '{"id": ': "not valid JSON",
    '{"id": "b", "kind": "w", "changes": "t"}': "detail: Field required; fix the line",
    '{"id": "b", "kind": "w", "changes": "t", "detail": {"rnak": 1}}': "detail.rnak: Extra inputs",
    '{"id": "b", "kind": "w", "changes": "t", "desision": "", "detail": {}}': "desision: Extra",
    '{"id": "b", "kind": "w", "changes": "t", "detail": {}, "decision": "yes"}': "decision: Input",
    '{"id": "a", "kind": "w", "changes": "t", "detail": {}}': "has the id of line 1",
    "decision\ttemplate\twording": "not valid JSON",
}


@pytest.mark.parametrize(("line", "message"), DAMAGED.items())
def test_damaged_line_is_reported_and_kept(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "review.jsonl"
    write_review(path, [candidate("a", decision="strike")])
    content = path.read_bytes() + line.encode()
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        begin_review(path, Candidate[Own])
    assert str(raised.value).startswith(f"{path}, line 2: {message}")
    assert path.read_bytes() == content


def test_many_damaged_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    path.write_text("?\n" * 13)
    with pytest.raises(UserError, match=r"line 10: .*\nAnd 3 more lines\.$"):
        read_review(path, Candidate[Own])


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none.jsonl cannot be read \(No such file"):
        read_review(tmp_path / "none.jsonl", Candidate[Own])


def test_the_first_failed_check_is_the_finding() -> None:
    checks = {"form": "", "words": "adds: last", "meaning": "another"}
    failed = candidate("a", text="Sex?", checks=checks)
    assert failed.finding == Finding("t", "words", "Sex?", "adds: last", kind="wording")
    assert failed.fault == "words: adds: last"
    passed = candidate("a", checks={"form": ""})
    assert (passed.finding, passed.fault) == (None, "")


def test_line_that_fails_a_custom_check_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    write_review(path, [candidate("a"), candidate("b")])
    with pytest.raises(UserError, match=r"line 2: is b\.$"):
        begin_review(path, Candidate[Own], lambda each: "is b" if each.id == "b" else "")
