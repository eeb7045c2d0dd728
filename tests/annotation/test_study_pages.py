"""The pages of figures and of submissions to judge."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.annotation.conftest import KIND
from wardround.annotation.server import make_app
from wardround.core import plugins

RUBRIC = {"id": "r", "sub_tasks": [{"id": "women", "requirements": "Only women are kept."}]}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """Ada's client, with an item of one leaf a rubric and a submission for it."""
    [name] = plugins.names(KIND)
    open_store = plugins.implementation(plugins.load(KIND, name).implementation)
    places = {"second": tmp_path / "second", "submissions": tmp_path / "inference"}
    store = open_store(tmp_path / "items", None, lambda: "now")
    id = store.create(store.form.groups[0], "easy", "Ada")
    [folder] = (tmp_path / "items").glob("*/*/*")
    submission = places["submissions"] / "alpha" / "test" / folder.relative_to(tmp_path / "items")
    for path in (folder, submission):
        path.mkdir(parents=True, exist_ok=True)
        (path / f"query_{id[-3:]}.txt").write_text("How many women are there?")
        (path / f"sql_{id[-3:]}.sql").write_text("SELECT COUNT(*) AS women FROM patients")
        (path / f"result_{id[-3:]}.csv").write_text("women\n3\n")
        for tree in ("sql", "results"):
            (path / f"{tree}_rubric_tree.json").write_text(json.dumps(RUBRIC))
    store = open_store(tmp_path / "items", None, lambda: "now", **places)
    with TestClient(make_app(store)) as opened:
        opened.post("/sign-in", data={"name": "Ada"})
        yield opened
    store.close()


def test_leaves_of_a_submission_are_judged(client: TestClient) -> None:
    assert "0 leaves judged by you" in client.get("/submissions").text
    page = client.get("/submission/1").text
    assert "SELECT COUNT(*) AS women" in page
    assert "alpha" not in page
    after = client.post("/submission/1", data={"sql:women": "met", "results:women": "not met"})
    assert "2 leaves judged by you" in after.text
    assert client.get("/submission/1").text.count(" checked") == 2


def test_figures_are_shown_before_there_are_any(client: TestClient) -> None:
    page = client.get("/figures").text
    assert "Accepted as it is" in page
    assert "0 items were annotated twice" in page


@pytest.mark.parametrize(("count", "status"), [("5", 400), ("0", 422), ("many", 422)])
def test_a_draw_that_cannot_be_is_refused(client: TestClient, count: str, status: int) -> None:
    answer = client.post("/second", data={"count": count})
    assert answer.status_code == status
    assert "<h1>That did not work</h1>" in answer.text
