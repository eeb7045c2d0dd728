"""A new package installs, is found by its entry point, and passes its own tests."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps.commands import Cli


def install(folder: Path, name: str) -> None:
    """Writes beside the source what an installation writes: the name and the entry points."""
    lines = (folder / "pyproject.toml").read_text("utf-8").splitlines()
    [header] = [line for line in lines if line.startswith("[project.entry-points")]
    group = header.split('"')[1]
    entry = lines[lines.index(header) + 1].replace('"', "")
    info = folder / "src" / f"{name}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")


@pytest.mark.parametrize("kind", ["benchmark", "agent", "engine"])
def test_a_new_package_passes_its_tests(cli: Cli, tmp_path: Path, kind: str) -> None:
    name = f"my_{kind}"
    made = cli("new", kind, name, "--to", tmp_path / name)
    assert made.code == 0, made.err
    assert "$" not in (tmp_path / name / "pyproject.toml").read_text("utf-8")
    install(tmp_path / name, name)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=tmp_path / name,
        env={
            "PYTHONPATH": str(tmp_path / name / "src"),
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", ["My", "a-b", "1a", "../up"])
def test_a_name_that_is_no_module_is_refused(cli: Cli, tmp_path: Path, name: str) -> None:
    refused = cli("new", "agent", name, "--to", tmp_path / "new")
    assert refused.code == 2
    assert "is not a name of a module" in refused.err
    assert not (tmp_path / "new").exists()


def test_a_folder_is_never_written_over(cli: Cli, tmp_path: Path) -> None:
    refused = cli("new", "agent", "mine", "--to", tmp_path)
    assert refused.code == 2
    assert "exists already" in refused.err
