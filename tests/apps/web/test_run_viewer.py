"""The pages of `wardround view`, read over HTTP and in a browser."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

import wardround
from tests.apps.commands import Cli
from wardround.apps.web.run_viewer import make_viewer
from wardround.core.run_document import TRAJECTORIES

SITE = Path(__file__).parents[2] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"
SCRIPT = "<script>alert('heparin')</script>"


class Speaker:
    """Says a text that a browser must not run."""

    def __init__(self, briefing: wardround.Briefing, context: wardround.AgentContext) -> None:
        pass

    async def act(self, observation: wardround.Observation) -> wardround.Action:
        return wardround.Say(SCRIPT)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SITE))
        folder = tmp_path_factory.mktemp("runs")
        wardround.run(
            TRIAGE, agent=Speaker, trials=2, grading="strict", out=folder / "first" / "one"
        )
        wardround.run(TRIAGE, agent="oracle", trials=2, out=folder / "second")
        yield folder


@pytest.fixture
def runs(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "runs"))


@pytest.fixture
def client(runs: Path) -> TestClient:
    return TestClient(make_viewer(runs))


def rows(page: str) -> list[str]:
    """The linked names in the first column."""
    return re.findall(r'<th scope="row"><a [^>]*>([^<]*)</a>', page)


def test_all_runs_are_listed(client: TestClient) -> None:
    page = client.get("/").text
    assert sorted(rows(page)) == ["first~one", "second"]
    assert "triage_plugin.declaration:BENCHMARK: agent oracle" in page


def test_one_run_can_be_named(runs: Path) -> None:
    assert rows(TestClient(make_viewer(runs / "second")).get("/").text) == ["second"]


def test_trials_are_searched_and_read(client: TestClient) -> None:
    page = client.get("/runs/first~one").text
    assert len(rows(page)) == 4
    assert "0 of 2 tasks were right" in page
    assert rows(client.get("/runs/first~one?outcome=passed").text) == []
    assert len(rows(client.get("/runs/first~one?words=heparin&task=stroke").text)) == 2
    trial = client.get("/runs/first~one/trials/stroke/1").text
    assert "Which colour?" in trial
    assert 'aria-current="page"' in trial
    assert "alert(" in trial


def test_what_was_said_is_never_run(client: TestClient) -> None:
    for path in ("/runs/first~one/trials/stroke/0", "/runs/first~one?words=" + SCRIPT):
        answer = client.get(path)
        assert "<script" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "&lt;script&gt;" in client.get("/runs/first~one/trials/stroke/0").text


def test_gold_is_shown_on_demand(client: TestClient) -> None:
    assert "?gold=1" in client.get("/runs/second/trials/cough/0").text
    shown = client.get("/runs/second/trials/cough/0?gold=1")
    assert shown.status_code == 200
    assert "?gold=1" not in shown.text


def test_a_trajectory_is_downloaded(client: TestClient) -> None:
    answer = client.get("/runs/first~one/trials/stroke/0/trajectory.json")
    assert [e["text"] for e in answer.json()["events"]] == ["Which colour?", SCRIPT]
    assert "attachment" in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    "path",
    [
        "/runs/none",
        "/runs/%2e%2e%2fsecond",
        "/runs/first~..~second",
        "/runs/second/trials/none/0",
        "/runs/second/trials/cough/9",
        "/runs/second/trials/%2e%2e%2f%2e%2e%2ffirst~one/0",
        "/static/report.css",
    ],
)
def test_what_is_not_listed_does_not_exist(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/runs/second?start=-1", "/runs/second/trials/cough/x"])
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
    trial = client.get("/runs/first~one/trials/stroke/0")
    assert trial.status_code in (404, 422)


def test_a_run_that_goes_on_is_refreshed(runs: Path) -> None:
    lines = runs / "second" / "trials.jsonl"
    lines.write_bytes(b"".join(lines.read_bytes().splitlines(keepends=True)[:2]))
    client = TestClient(make_viewer(runs))
    assert "http-equiv" in client.get("/runs/second").text
    assert "http-equiv" not in client.get("/runs/first~one").text
    assert "2 of 4" in client.get("/").text


def test_a_folder_that_does_not_exist(cli: Cli, tmp_path: Path) -> None:
    ran = cli("view", tmp_path / "none")
    assert ran.code == 2
    assert "does not exist; name a folder of runs" in ran.err


def test_a_browser_shows_the_page(client: TestClient, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no browser here")
    page = tmp_path / "page.html"
    page.write_text(client.get("/runs/first~one").text, encoding="utf-8")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'user'}")
    shown = subprocess.run(
        [browser, *flags, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert "4 found, 1 to 4 shown." in shown
