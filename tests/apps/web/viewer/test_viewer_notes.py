"""Notes and labels on trials: written, searched, taken back, exported, and never lost."""

import csv
import io
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.apps.web.viewer.conftest import SCRIPT
from wardround.apps.web.viewer.application import make_viewer
from wardround.core.errors import UserError
from wardround.core.run_check import check_run
from wardround.core.run_document import INDEX
from wardround.core.run_writer import new_run

TRIAL = "/runs/second/trial?task=cough&trial=0"


def note(client: TestClient, **fields: str) -> int:
    data = {"task": "cough", "trial": "0", "by": "Ada", **fields}
    return client.post("/runs/second/notes", data=data).status_code


def exported(client: TestClient) -> list[dict[str, object]]:
    lines = client.get("/runs/second/notes.jsonl").text.splitlines()
    return [json.loads(line) for line in lines]


def test_a_note_is_shown_found_and_exported(client: TestClient, runs: Path) -> None:
    assert note(client, text="Asks for the wrong drug.", labels="wrong drug,  harm , harm") == 200
    page = client.get(TRIAL).text
    assert "Asks for the wrong drug." in page
    assert 'value="Ada"' in page
    assert "cough:0" in client.get("/runs/second?mark=harm").text
    assert "0 found" in client.get("/runs/second?mark=other").text
    assert "1 found" in client.get("/runs/second?mark=*").text
    [line] = exported(client)
    assert line["labels"] == ["wrong drug", "harm"]
    table = list(csv.DictReader(io.StringIO(client.get("/runs/second/notes.csv").text)))
    assert table[0]["labels"] == "wrong drug, harm"
    assert not check_run(runs / "second").mismatches


def test_notes_outlive_the_index(client: TestClient, runs: Path) -> None:
    note(client, labels="harm")
    for path in (runs / "second").glob(f"{INDEX}*"):
        path.unlink()
    assert "cough:0" in TestClient(make_viewer(runs)).get("/runs/second?mark=harm").text


def test_a_note_is_taken_back(client: TestClient) -> None:
    note(client, text="First.", labels="harm")
    note(client, text="Second.")
    [first, second] = exported(client)
    assert (
        client.post("/runs/second/notes/remove", data={"note": str(first["id"])}).status_code == 200
    )
    assert exported(client) == [second]
    assert "0 found" in client.get("/runs/second?mark=harm").text
    again = client.post("/runs/second/notes/remove", data={"note": str(first["id"])})
    assert again.status_code == 404


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "The note is empty"),
        ({"text": "  ", "labels": " , "}, "The note is empty"),
        ({"text": "x" * 10_001}, "longer than 10,000 characters"),
        ({"labels": "y" * 61}, "at most 60 characters"),
        ({"labels": ",".join(map(str, range(30)))}, "at most 20 labels"),
    ],
)
def test_a_note_that_cannot_be_kept_is_refused(
    client: TestClient, fields: dict[str, str], sentence: str
) -> None:
    data = {"task": "cough", "trial": "0", **fields}
    answer = client.post("/runs/second/notes", data=data)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert exported(client) == []


def test_a_note_on_no_trial_is_refused(client: TestClient) -> None:
    data = {"task": "../../first/one", "trial": "0", "text": "A note."}
    assert client.post("/runs/second/notes", data=data).status_code == 404


def test_what_persons_write_is_never_run(client: TestClient) -> None:
    note(client, text=SCRIPT, labels=SCRIPT[:60], by='"><img src=x onerror=alert(1)>')
    for path in (TRIAL, "/runs/second", "/runs/second?mark=" + SCRIPT):
        page = client.get(path).text
        assert "<script>" not in page
        assert "<img" not in page


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_a_spreadsheet_computes_no_note(client: TestClient, text: str) -> None:
    note(client, text=text, labels=text.replace(",", ""))
    [row] = csv.DictReader(io.StringIO(client.get("/runs/second/notes.csv").text))
    assert row["text"] == "'" + text
    assert row["labels"].startswith("'")
    assert exported(client)[0]["text"] == text


def test_damaged_lines_are_left_out_and_counted(client: TestClient, runs: Path) -> None:
    note(client, text="First.")
    with (runs / "second" / "notes.jsonl").open("ab") as file:
        file.write(b'{"id": "torn')
    note(client, text="Second.")
    assert [line["text"] for line in exported(client)] == ["First.", "Second."]
    assert "1 damaged line is left out" in client.get("/runs/second").text


def test_notes_on_a_folder_that_is_read_only_are_kept_elsewhere(
    client: TestClient, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("wardround.report.trial_notes.access", lambda folder, mode: False)
    note(client, text="Elsewhere.")
    assert not (runs / "second" / "notes.jsonl").exists()
    assert [line["text"] for line in exported(client)] == ["Elsewhere."]


def test_a_run_with_notes_is_not_replaced(client: TestClient, runs: Path) -> None:
    note(client, text="Keep this.")
    with pytest.raises(UserError, match=r"notes\.jsonl"), new_run(runs / "second", {}, force=True):
        pass
    assert [line["text"] for line in exported(client)] == ["Keep this."]
