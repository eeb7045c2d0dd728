"""Runs of a small benchmark, and the application over them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

import wardround
from wardround.apps.web.viewer import runs as viewed_runs
from wardround.apps.web.viewer.application import make_viewer

SITE = Path(__file__).parents[3] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"
SCRIPT = "<script>alert('heparin')</script>"


class Speaker:
    """Says a text that a browser must not run."""

    def __init__(self, briefing: wardround.Briefing, context: wardround.AgentContext) -> None:
        pass

    async def act(self, observation: wardround.Observation) -> wardround.Action:
        return wardround.Say(SCRIPT)


@pytest.fixture(autouse=True)
def whole_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are read whole before a page is shown, however slow the machine is."""
    monkeypatch.setattr(viewed_runs, "_GROWTH", 60.0)
    monkeypatch.setattr(viewed_runs, "_LIST_GROWTH", 60.0)


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
