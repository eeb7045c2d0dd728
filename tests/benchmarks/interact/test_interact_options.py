"""Errors in the benchmark's own options are one sentence."""

from pathlib import Path

import pytest

from tests.apps.commands import Cli

WRONG = [
    ("--graft .", "no run.json"),
    ("--agent oracle --user ghost", "'model-free', 'function-driven', 'baseline'"),
    ("--agent oracle --user baseline", "user has no language model; name one with"),
]


@pytest.mark.parametrize(("options", "complaint"), WRONG, ids=[options for options, _ in WRONG])
def test_errors_are_one_sentence(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli("run", "interact", *options.split())
    assert ran.code == 2
    assert complaint in ran.err
    assert len([line for line in ran.err.splitlines() if line.startswith("Error: ")]) == 1
    assert not (tmp_path / "runs").exists()
