"""The review file: lines come back as written, nothing is overwritten, wrong lines are named."""

import tomllib
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wardround.authoring.ehrsql.paraphrases import accepted_wordings, all_asked, read_review
from wardround.authoring.ehrsql.paraphrases.review_file import (
    COLUMNS,
    DECISIONS,
    Line,
    add_to_review,
    begin_review,
)
from wardround.core.errors import UserError

HEAD = "\t".join(COLUMNS) + "\n"
CASES = tomllib.loads((Path(__file__).parent / "wrong_reviews.toml").read_text("utf-8"))["case"]
text = st.text(st.characters(codec="utf-8", exclude_characters="\ufeff\r")).map(str.strip)
lines = st.builds(
    Line, st.sampled_from(DECISIONS), st.sampled_from(sorted(all_asked())), *[text] * 5
)


@settings(max_examples=30)
@given(st.lists(lines, max_size=3), st.lists(lines, max_size=3))
def test_lines_come_back_in_order_after_what_was_there(
    tmp_path_factory: pytest.TempPathFactory, first: list[Line], then: list[Line]
) -> None:
    path = tmp_path_factory.mktemp("review") / "review.tsv"
    assert begin_review(path) == []
    add_to_review(path, first)
    before = path.read_bytes()
    add_to_review(path, then)
    assert path.read_bytes().startswith(before)
    assert list(read_review(path).values()) == [*first, *then]
    assert begin_review(path) == [*first, *then]
    assert [file.name for file in path.parent.iterdir()] == ["review.tsv"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_wrong_lines_are_named(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    path.write_text(case.get("whole", HEAD + case.get("read", "").lstrip("\r")), "utf-8")
    with pytest.raises(UserError) as told:
        accepted_wordings(path)
    assert str(told.value).splitlines() == [
        line.replace("{path}", str(path)) for line in case["said"]
    ]


def test_many_wrong_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    path.write_text(HEAD + "accept\tgender\tWhich sex?\n" * 13)
    with pytest.raises(UserError, match=r"line 11: .*\nAnd 3 more lines\.$"):
        accepted_wordings(path)


def test_no_file_and_no_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none.tsv cannot be read \(No such file"):
        accepted_wordings(tmp_path / "none.tsv")
    (tmp_path / "other.tsv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="is not text in UTF-8"):
        accepted_wordings(tmp_path / "other.tsv")


def test_a_file_that_a_spreadsheet_saved_is_read(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    rows = 'Accept\tgender\t"Sex, of ""patient"" {patient_id}?"\t1\r\n\t\t\t\r\n'
    path.write_bytes(("\ufeff" + HEAD.replace("\n", "\r\n") + rows).encode())
    found = Line("accept", "gender", 'Sex, of "patient" {patient_id}?', "1")
    assert read_review(path) == {2: found}
    assert accepted_wordings(path) == {"gender": [found.wording]}
    add_to_review(path, [replace(found, decision="")])
    assert read_review(path) == {2: found, 4: replace(found, decision="")}


def test_only_accepted_lines_count_and_a_person_outweighs_a_pruning(tmp_path: Path) -> None:
    path = tmp_path / "review.tsv"
    begin_review(path)
    wordings = ("Sex of {patient_id}?", "Sex for {patient_id}?", "Sex, {patient_id}?")
    decided = ("accept", "strike", "")
    reason = "distance: too much like one before it"
    add_to_review(
        path,
        [
            Line(decision, "gender", wording, reason=reason)
            for decision, wording in zip(decided, wordings, strict=True)
        ],
    )
    assert accepted_wordings(path) == {"gender": [wordings[0]]}


def test_a_line_has_as_many_cells_as_there_are_columns() -> None:
    assert len(astuple(Line("", "gender", "Who?"))) == len(COLUMNS)
