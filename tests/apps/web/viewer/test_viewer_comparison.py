"""Two runs, and two trials of a task, beside each other."""

import re
from pathlib import Path

from fastapi.testclient import TestClient

from wardround.apps.web.viewer.application import make_viewer

RUNS = "/compare?first=first~1one&second=second"
TRIALS = "/compare/trials?first=first~1one&second=second&task=stroke"


def test_two_runs_are_compared_by_tasks(client: TestClient) -> None:
    page = client.get(RUNS).text
    assert (
        "On the 2 tasks that both have, the first passes 0.0% of trials and the second 100.0%: "
        "100.0 points more (95% interval 100.0 to 100.0"
    ) in page
    assert "Tasks in which the second is better: 2, worse: 0, equal: 0." in page
    assert "The runs also differ in grading, which may explain a difference." in page
    assert re.findall(r'<th scope="row">(agent|grading)</th>', page) == ["grading", "agent"]
    assert re.findall(r">(\d of 2)<", page) == ["0 of 2", "2 of 2"] * 2


def test_a_run_beside_itself_does_not_differ(client: TestClient) -> None:
    page = client.get("/compare?first=second&second=second").text
    assert "the second 100.0%: the same (95% interval 0.0 to 0.0" in page
    assert "better: 0, worse: 0, equal: 2" in page
    assert "Tasks that differ" not in page
    assert "Settings that differ" not in page


def test_runs_of_different_benchmarks_are_refused(runs: Path) -> None:
    described = (runs / "second" / "run.json").read_text()
    (runs / "second" / "run.json").write_text(described.replace("triage_plugin", "other_plugin"))
    answer = TestClient(make_viewer(runs)).get(RUNS)
    assert answer.status_code == 422
    assert "are of different benchmarks" in answer.text


def test_two_trials_are_marked_where_they_differ_first(client: TestClient) -> None:
    page = client.get(TRIALS).text
    assert "The first 1 event is the same" in page
    assert page.count("Here they differ first") == page.count('class="difference"') == 1
    difference = page.partition('class="difference"')[2]
    assert "alert(" in difference
    assert "<script>" not in page
    assert "Which colour?" not in difference


def test_two_trials_that_are_the_same(client: TestClient) -> None:
    address = "/compare/trials?first=second&second=second&task=stroke&second_trial=1"
    page = client.get(address).text
    assert "Both trials have the same events." in page
    assert "Here they differ first" not in page


def test_a_trial_leads_to_its_sister(client: TestClient) -> None:
    page = client.get("/runs/second/trial?task=stroke&trial=1").text
    assert "Compare with trial 0" in page
