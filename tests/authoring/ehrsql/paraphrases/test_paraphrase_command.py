"""`wardround tasks paraphrase`: requests to a server, decisions, and the use of the wordings."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.json_server import completion, json_handler, listening
from tests.apps.commands import Cli
from tests.authoring.ehrsql.questions.conftest import chosen_templates
from tests.hospitals import hospital_file
from wardround.authoring.ehrsql.paraphrases.candidates import Paraphrase, Rank, accepted_wordings
from wardround.authoring.ehrsql.questions.suite import make_ehrsql
from wardround.authoring.review_file import write_review

WORDINGS = [f"On list {name}, which sex has patient 10027?" for name in ("Elm", "Oak", "Ash")]


def written_or_judged(body: bytes) -> tuple[int, dict[str, Any]]:
    """Answers a paraphraser with wordings, and a judge with a good rating."""
    writes = "`same`" not in json.loads(body)["messages"][0]["content"]
    answer: Any = {"questions": WORDINGS} if writes else {"same": True, "natural": 4}
    return 200, completion({"role": "assistant", "content": json.dumps(answer)}, 10, 5)


@pytest.fixture
def server() -> Iterator[str]:
    with listening(json_handler(written_or_judged)) as address:
        yield f"{address}/v1"


ASK = ("tasks", "paraphrase", "ehrsql", "--model", "openai:m")
GENDER = ("--template", "gender")


def test_replayed_recording_gives_the_same_file(cli: Cli, server: str, tmp_path: Path) -> None:
    path, record = tmp_path / "review.jsonl", tmp_path / "record.jsonl"
    ask = (*ASK, "--base-url", server, *GENDER, "--distance", "0.01")
    first = cli(*ask, "--to", path, "--record", record)
    assert first.code == 0, first.err
    assert "1 templates asked, 3 candidates: 3 left to be reviewed." in first.out
    assert "4 requests: 40 tokens read, 20 written." in first.out
    content = path.read_bytes()
    assert b"On list Elm, which sex has patient {patient_id}?" in content
    repeated = cli(*ask, "--to", path)
    assert "0 templates asked" in repeated.out
    assert path.read_bytes() == content
    replayed_path = tmp_path / "other.jsonl"
    assert cli(*ask, "--to", replayed_path, "--replay", record).code == 0
    assert replayed_path.read_bytes() == content


def test_pruned_wordings_are_counted_by_reason(cli: Cli, server: str, tmp_path: Path) -> None:
    to = tmp_path / "review.jsonl"
    ran = cli(*ASK, "--base-url", server, *GENDER, "--distance", "0.99", "--to", to, "--json")
    assert ran.code == 0, ran.err
    rows = json.loads(ran.out)["tables"]["left_out"]["rows"]
    assert rows == [{"kind": "wording", "reason": "distance", "count": 3, "of": "gender (3)"}]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--template", "gendre"), "There is no template 'gendre' (is it gender?)."),
        (("--role-model", "user=openai:m"), "with a role of paraphraser, judge"),
        (("--replay", "none.jsonl"), "The recording none.jsonl cannot be read"),
        (("--to", "none/r.jsonl"), "none/r.jsonl cannot be written (No such file or directory)"),
        (("--to", "."), "The review file . cannot be read (Is a directory)"),
    ],
)
def test_error_is_one_sentence(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    error: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    local = ("--base-url", "http://127.0.0.1:9/v1")
    ran = cli(*ASK, *local, "--to", "review.jsonl", *GENDER, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.strip().startswith("Error: ")
    assert error in ran.err


def test_missing_model_is_named(cli: Cli, tmp_path: Path) -> None:
    ran = cli(*ASK[:3], *GENDER, "--to", tmp_path / "review.jsonl")
    assert ran.code == 2
    assert "The paraphraser has no language model; name one with --model" in ran.err
    judge_missing = cli(
        "tasks", "paraphrase", "chatqa", "--model", "openai:m", "--to", tmp_path / "r.jsonl"
    )
    assert (
        "There is no 'chatqa' for paraphrase; installed are: clinsql, ehrsql." in judge_missing.err
    )


def accepted(template: str, wording: str) -> Paraphrase:
    return Paraphrase(
        decision="accept",
        id=wording,
        kind="wording",
        changes=template,
        text=wording,
        detail=Rank(),
    )


def test_accepted_wordings_are_used_and_invalid_ones_stop_making(cli: Cli, tmp_path: Path) -> None:
    path, folder = tmp_path / "review.jsonl", tmp_path / "q"
    names = ["Elm", "Oak", "Ash", "Fir", "Yew", "Box", "Bay", "Fig", "Lime", "Pine", "Rose", "Rue"]
    lines = [accepted("gender", f"On list {name}, which sex has {{patient_id}}?") for name in names]
    write_review(path, [*lines, accepted("birth", "When?")])
    hospital = str(hospital_file("mimic_iv_star", 12, ending="sqlite"))
    make = ("tasks", "make", "ehrsql", "--database", hospital, "--to", folder)
    ran = cli(*make, "--paraphrases", path)
    assert ran.code == 2
    assert f"{path}, line 13: the wording lacks {{patient_id}}; mend or strike it." in ran.err
    assert not folder.exists()
    write_review(path, lines)
    with chosen_templates(6):
        make_ehrsql(hospital, folder, seed=1, size=0.001, more=accepted_wordings(path))
    kinds = set[str]()
    for split in ("train", "valid", "test"):
        entries = json.loads((folder / "ehrsql-1.5" / f"{split}.json").read_text("utf-8"))
        for entry in entries:
            kinds.add(entry["para_type"])
            assert (entry["para_type"] == "machine") is ("On list" in entry["question"])
    assert kinds == {"template", "human", "machine"}
