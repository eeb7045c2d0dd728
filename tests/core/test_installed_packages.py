"""Entry points and versions agree with `importlib.metadata`."""

import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from wardround.core.confinement import ORACLE
from wardround.core.errors import UserError
from wardround.core.installed_packages import (
    EntryPoint,
    installed_entry_points,
    installed_version,
)
from wardround.core.plugins import BENCHMARKS, names
from wardround.models.roles import UnusedModels
from wardround.runs.components import open_benchmark
from wardround.runs.settings import RunSettings


def test_entry_points_are_those_of_importlib() -> None:
    theirs = [point for package in metadata.distributions() for point in package.entry_points]
    theirs = [point for point in theirs if point.group.startswith("wardround.")]
    expected = {(p.name, re.split(r"[ \[]", p.value)[0], p.group) for p in theirs}
    assert {(p.name, p.value, p.group) for p in installed_entry_points()} == expected


def test_versions_are_those_of_importlib() -> None:
    for package in ("wardround", "pydantic-ai-slim", "pydantic_ai_slim", "Typer"):
        assert installed_version(package) == metadata.version(package)
    with pytest.raises(KeyError):
        installed_version("no-such-package")


def test_first_of_two_installations_of_a_package_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [
        "[wardround.mine]\n# a comment\nmine = ward.agents : AGENT [extra]\n",
        "[wardround.mine]\nold=a:b",
    ]
    for number, text in enumerate(texts):
        folder = tmp_path / str(number) / f"my_ward-{2 - number}.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "entry_points.txt").write_text(text)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "0"), str(tmp_path / "1"), *sys.path])
    result = [point for point in installed_entry_points() if point.group == "wardround.mine"]
    assert result == [EntryPoint("mine", "ward.agents:AGENT", "wardround.mine")]
    assert installed_version("my-ward") == "2.0"


def test_folders_that_cannot_be_read_hold_no_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "archive.zip").touch()
    missing = [str(tmp_path / "none"), str(tmp_path / "archive.zip"), f"{tmp_path}/archive.zip/x"]
    before = installed_entry_points()
    monkeypatch.setattr(sys, "path", [*missing, *sys.path])
    assert installed_entry_points() == before


def test_compiled_sqlglot_is_refused_by_commands_and_by_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    settings = RunSettings(benchmark=names(BENCHMARKS)[0], agent=ORACLE)
    assert cli("list").code == 0
    (tmp_path / "sqlglotc-30.30.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    refused = cli("list")
    assert refused.code == 2
    assert "run `pip uninstall sqlglotc`" in refused.err
    with pytest.raises(UserError, match=r"\(sqlglotc\) is installed"):
        open_benchmark(settings, UnusedModels())
