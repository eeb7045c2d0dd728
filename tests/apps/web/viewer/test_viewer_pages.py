"""The pages of `wardround view`, read over HTTP."""

import re
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.apps.commands import Cli
from tests.apps.web.viewer.conftest import SCRIPT, TRIAGE
from wardround.apps.web.viewer import runs as viewed_runs
from wardround.apps.web.viewer.application import make_viewer
from wardround.apps.web.viewer.follower import Follower
from wardround.assistant.served_record import opened_record
from wardround.core.capabilities import Explanation
from wardround.core.conversation import RubricPart
from wardround.core.declared import benchmark_class
from wardround.core.record import VerdictRecord
from wardround.core.run_document import OF_PEOPLE, TRAJECTORIES
from wardround.core.run_reader import read_settings, read_trials
from wardround.core.run_writer import RunWriter
from wardround.core.trajectory import Said, Trajectory
from wardround.core.verdict import Verdict
from wardround.report.trial_index.search import TrialIndex

FIRST = "/runs/first~1one"
STROKE = f"{FIRST}/trial?task=stroke&trial="


def rows(page: str) -> list[str]:
    """The linked names in the first column."""
    return re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>', page)


def test_all_runs_are_listed(client: TestClient) -> None:
    page = client.get("/").text
    assert sorted(rows(page)) == ["first/one", "second"]
    assert "triage_plugin.declaration:BENCHMARK: agent oracle" in page


def test_one_run_can_be_named(runs: Path) -> None:
    assert rows(TestClient(make_viewer(runs / "second")).get("/").text) == ["second"]


def test_trials_are_searched_and_read(client: TestClient) -> None:
    page = client.get("/runs/first~1one").text
    assert len(rows(page)) == 4
    assert "0 of 2 tasks were right" in page
    assert rows(client.get("/runs/first~1one?outcome=passed").text) == []
    assert len(rows(client.get("/runs/first~1one?words=heparin&task=stroke").text)) == 2
    trial = client.get("/runs/first~1one/trial?task=stroke&trial=1").text
    assert "Which colour?" in trial
    assert 'aria-current="page"' in trial
    assert "alert(" in trial


def test_what_was_said_is_never_run(client: TestClient) -> None:
    for path in ("/runs/first~1one/trial?task=stroke&trial=0", "/runs/first~1one?words=" + SCRIPT):
        answer = client.get(path)
        assert "<script>" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "&lt;script&gt;" in client.get("/runs/first~1one/trial?task=stroke&trial=0").text


def test_gold_is_shown_on_demand(client: TestClient) -> None:
    assert "gold=1" in client.get("/runs/second/trial?task=cough&trial=0").text
    shown = client.get("/runs/second/trial?task=cough&trial=0&gold=1")
    assert shown.status_code == 200
    assert "gold=1" not in shown.text
    assert "Hide the gold" in shown.text


def test_the_gold_of_a_passed_trial_is_shown_without_a_difference(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    explained = Explanation("Which colour?", "the gold is red", "red", "nothing is returned")
    benchmark = benchmark_class(TRIAGE)
    members = {"explain": staticmethod(lambda *parts: explained)}
    told = type("Explained", (benchmark,), members)
    monkeypatch.setattr("wardround.runs.scoring.benchmark_class", lambda name: told)
    passed, failed = (
        client.get(f"{trial}&gold=1").text
        for trial in ("/runs/second/trial?task=cough&trial=0", f"{STROKE}0")
    )
    assert "the gold is red" in passed
    assert "nothing is returned" not in passed
    assert "nothing is returned" in failed


def test_a_rubric_is_shown_as_a_tree_with_its_verdicts(
    runs: Path, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = [
        Verdict("named", "program:words", "passed", reason="it is there"),
        Verdict("asked", "program:words", "failed", reason="it is not"),
    ]
    with RunWriter(runs / "second") as writer:
        [record] = [r for r in read_trials(runs / "second") if r.key == ("cough", 0)]
        writer.add_verdicts(
            VerdictRecord(*record.key, record.trajectory, verdict) for verdict in verdicts
        )
    leaves = (RubricPart("Names it", "named"), RubricPart("Asks", "asked"), RubricPart("Ends", "x"))
    tree = RubricPart("Triage", remark="weight 2", parts=(RubricPart("Colour", parts=leaves),))
    members = {"rubrics": staticmethod(lambda task: [tree])}
    told = type("Graded", (benchmark_class(TRIAGE),), members)
    monkeypatch.setattr("wardround.runs.scoring.benchmark_class", lambda name: told)
    page = client.get("/runs/second/trial?task=cough&trial=0&gold=1").text
    [rubrics] = re.findall(r'<ul class="rubrics">.*?</section>', page, re.DOTALL)
    words = " ".join(re.sub(r"<[^>]*>", " ", rubrics.partition("<p>")[0]).split())
    assert words == (
        "Triage weight 2 Colour ✓ passed Names it program:words: it is there "
        "✕ failed Asks program:words: it is not ? undecided Ends"
    )
    assert rubrics.count("<ul") == 3


def test_a_trajectory_is_downloaded(client: TestClient) -> None:
    answer = client.get("/runs/first~1one/trajectory.json?task=stroke&trial=0")
    assert [e["text"] for e in answer.json()["events"]] == ["Which colour?", SCRIPT]
    assert "attachment" in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    "path",
    [
        "/runs/none",
        "/runs/%2e%2e%2fsecond",
        "/runs/first~1..~1second",
        "/runs/second/trial?task=none&trial=0",
        "/runs/second/trial?task=cough&trial=9",
        "/runs/second/trial?task=../../first/one&trial=0",
        "/runs/second/trajectory.json?task=none&trial=0",
        "/runs/none/notes.csv",
        "/compare?first=second&second=none",
        "/compare/trials?first=second&second=second&task=none",
        "/vendored/../../../run.json",
        "/vendored/%2e%2e/access.py",
        "/static/report.css",
        "/openapi.json",
    ],
)
def test_what_is_not_listed_does_not_exist(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/runs/second?start=-1",
        f"/runs/second?start={10**30}",
        "/runs/second/trial?task=cough&trial=x",
        "/runs/second/trial?task=cough&trial=-1",
        "/runs/second/trial",
        "/compare",
    ],
)
def test_a_wrong_number_is_refused(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 422


def test_only_this_machine_is_answered(runs: Path) -> None:
    viewer = make_viewer(runs)
    assert TestClient(viewer, base_url="http://evil.example").get("/").status_code == 403
    assert TestClient(viewer, base_url="http://127.0.0.1:8766").get("/").status_code == 200


def test_damaged_runs_are_named_with_their_problem(runs: Path) -> None:
    (runs / "second" / "run.json").write_text("{")
    (runs / "first" / "one" / TRAJECTORIES).unlink()
    client = TestClient(make_viewer(runs))
    page = client.get("/")
    assert page.status_code == 200
    assert "second" in page.text
    damaged = client.get("/runs/second")
    assert damaged.status_code == 422
    assert "Traceback" not in damaged.text
    assert "is not valid JSON" in damaged.text
    assert "is not valid JSON" in page.text
    trial = client.get(f"{STROKE}0")
    assert trial.status_code == 200
    assert "has no trajectory at byte" in trial.text
    download = client.get(f"{FIRST}/trajectory.json?task=stroke&trial=0")
    assert download.status_code == 422


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b'{"format": 3}',
        b'{"format": 3, "settings": []}',
        b'{"format": 3, "settings": {"trials": {}}, "tasks": {"count": 1}}',
        b'{"format": 3, "settings": {"trials": 1, "benchmark": "no_such"}, "started": "soon"}',
        b'{"format": 99, "settings": {}}',
        b"\xff\xfe",
    ],
)
def test_a_foreign_run_is_one_sentence(runs: Path, content: bytes) -> None:
    (runs / "second" / "run.json").write_bytes(content)
    client = TestClient(make_viewer(runs))
    assert client.get("/").status_code == client.get(FIRST).status_code == 200
    answer = client.get("/runs/second")
    assert answer.status_code == 422
    [sentence] = re.findall(r"<p>([^<]*)</p>", answer.text)
    assert "run.json" in sentence
    assert sentence.endswith(".")


def test_a_benchmark_that_is_not_installed_is_one_sentence(runs: Path) -> None:
    described = (runs / "second" / "run.json").read_text()
    (runs / "second" / "run.json").write_text(described.replace("triage_plugin", "gone_plugin"))
    page = TestClient(make_viewer(runs)).get("/runs/second")
    assert page.status_code == 200
    assert 'role="alert"' in page.text
    assert "Traceback" not in page.text


def test_a_line_that_is_no_trial_is_named(runs: Path) -> None:
    described = runs / "second" / "run.json"
    described.write_text(re.sub(r'"key": ?"[^"]*"', '"key": "other"', described.read_text()))
    with (runs / "second" / "trials.jsonl").open("ab") as file:
        file.write(b'{"task": 5}\n')
    page = TestClient(make_viewer(runs)).get("/runs/second")
    assert page.status_code == 200
    assert "remove that line" in page.text


def test_a_large_run_is_read_beside_its_page(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewed_runs, "_AT_ONCE", 0)
    monkeypatch.setattr(viewed_runs, "_GROWTH", 0.0)
    is_seen, make = Event(), Follower.make_results

    def make_when_seen(follower: Follower, index: TrialIndex) -> None:
        assert is_seen.wait(60)
        make(follower, index)

    monkeypatch.setattr(Follower, "make_results", make_when_seen)
    client = TestClient(make_viewer(runs))
    assert "The results are being computed." in client.get(FIRST).text
    is_seen.set()
    ends = time.monotonic() + 60
    while "0 of 2 tasks were right" not in (page := client.get(FIRST).text):
        assert time.monotonic() < ends
        time.sleep(0.05)
    assert len(rows(page)) == 4


def test_names_of_runs_are_kept_apart(runs: Path) -> None:
    (runs / "first~one").mkdir()
    shutil.copytree(runs / "second", runs / "first~one", dirs_exist_ok=True)
    client = TestClient(make_viewer(runs))
    assert sorted(rows(client.get("/").text)) == ["first/one", "first~one", "second"]
    links = re.findall(r'<th scope="row"><a [^>]*href="([^"]*)"', client.get("/").text)
    titles = {re.findall("<h1>(.*)</h1>", client.get(unescape(link)).text)[0] for link in links}
    assert len(links) == 3
    assert len(titles) == 2


def test_an_empty_folder_says_how_a_run_is_made(tmp_path: Path) -> None:
    assert "wardround run NAME" in TestClient(make_viewer(tmp_path)).get("/").text


def test_a_run_that_goes_on_is_refreshed(runs: Path) -> None:
    lines = runs / "second" / "trials.jsonl"
    lines.write_bytes(b"".join(lines.read_bytes().splitlines(keepends=True)[:2]))
    client = TestClient(make_viewer(runs))
    assert "http-equiv" in client.get("/runs/second").text
    assert "http-equiv" not in client.get("/runs/first~1one").text
    assert "2 of 4" in client.get("/").text


def test_a_folder_that_does_not_exist(cli: Cli, tmp_path: Path) -> None:
    ran = cli("view", tmp_path / "none")
    assert ran.code == 2
    assert "does not exist; name a folder of runs" in ran.err


def test_a_large_trial_comes_in_pages_and_is_downloaded_whole(runs: Path) -> None:
    with RunWriter(runs / "second") as writer:
        [record] = [r for r in read_trials(runs / "second") if r.key == ("cough", 0)]
        events = [Said("agent", f"message {number} {'x' * 60_000}") for number in range(150)]
        where = writer.add_trajectory(Trajectory([*events]))
        writer.add_trial(replace(record, trajectory=where))
    client = TestClient(make_viewer(runs))
    address, numbers = "/runs/second/trial?task=cough&trial=0", list[int]()
    while address:
        page = client.get(address).text
        assert len(page) < 2_000_000
        numbers += [int(each) for each in re.findall(r"<pre>message (\d+) ", page)]
        later = re.findall(r'<a href="([^"]*)" rel="next">', page)
        address = unescape(later[0]) if later else ""
    assert numbers == list(range(150))
    whole = client.get("/runs/second/trajectory.json?task=cough&trial=0")
    assert len(whole.content) > 9_000_000


def test_a_run_is_read_while_it_is_written_to(runs: Path) -> None:
    with RunWriter(runs / "second") as writer:
        [record] = [r for r in read_trials(runs / "second") if r.key == ("cough", 0)]
        client, more = TestClient(make_viewer(runs)), 40

        def write() -> None:
            for number in range(more):
                where = writer.add_trajectory(Trajectory([Said("agent", f"Answer {number}.")]))
                writer.add_trial(replace(record, trial=number + 2, trajectory=where))

        thread = Thread(target=write)
        thread.start()
        pages = [client.get("/runs/second?words=answer") for _ in range(8)]
        thread.join()
    assert {page.status_code for page in pages} == {200}
    assert "40 found" in client.get("/runs/second?words=answer").text


def page_of_people(folder: Path, settings: Mapping[str, Any], source: str) -> TestClient:
    """A record with a conversation of two questions, whose tasks are from a source."""
    described = {**settings, "tasks": {"source": source, "count": 0}}
    with opened_record(folder, described, has_values=True) as record:
        for n, question in enumerate(("How many beds are there?", "And wards?")):
            record.add("20990101-ab", n, "ann", [Said("user", question)], 1.0)
    return TestClient(make_viewer(folder))


def test_conversations_of_people_are_named_by_their_first_question(
    runs: Path, tmp_path: Path
) -> None:
    played = read_settings(runs / "second")
    settings = {name: played[name] for name in ("settings", "versions", "databases")}
    people = page_of_people(tmp_path / "people", settings, OF_PEOPLE)
    asked = "How many beds are there? (question "
    assert rows(people.get("/runs/001").text) == [f"{asked}1)", f"{asked}2)"]
    trial = "/runs/001/trial?task=20990101-ab&trial=1"
    assert f"{asked}2)" in people.get(trial).text
    assert "gold" not in people.get(trial).text.lower()
    suite = page_of_people(tmp_path / "suite", settings, "a suite")
    assert "Show the instruction and the gold" in suite.get(trial).text
    assert rows(suite.get("/runs/001").text)[0] == "20990101-ab:0"
