"""Containers, the CI action, locks and releases say the same as the project."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import textwrap
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from wardround.apps.command_line.assess import command

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def test_a_container_runs_the_demo() -> None:
    [line] = [line for line in MAKEFILE.splitlines() if "wardround run" in line]
    words = shlex.split(line.partition("wardround ")[2])
    [command] = re.findall(r"^CMD (\[.*\])$", text("Containerfile"), re.MULTILINE)
    assert [Path(word).name if "/" in word else word for word in words] == json.loads(command)


def test_a_container_runs_as_a_user_without_rights() -> None:
    stages = re.split(r"^FROM ", text("Containerfile"), flags=re.MULTILINE)
    users = {
        re.findall(r" AS (\w+)", stage)[0]: re.findall(r"^USER (\d+)", stage, re.M)
        for stage in stages[1:]
    }
    assert users["base"][-1] == users["full"][-1] == "1000"


def test_every_extra_is_locked() -> None:
    [common] = re.findall(r"^EXTRAS := (.*)$", MAKEFILE, re.MULTILINE)
    [alone] = re.findall(r"for extra in (.*);", MAKEFILE)
    assert {*common.split(), *alone.split()} == PROJECT["optional-dependencies"].keys()
    for extra in alone.split():
        assert (ROOT / "locks" / f"{extra}.lock").is_file()


@pytest.mark.parametrize("path", sorted((ROOT / "locks").glob("*.lock")), ids=lambda p: p.stem)
def test_a_lock_has_a_hash_for_every_package(path: Path) -> None:
    packages = re.split(r"^(?=[a-z0-9])", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert packages
    assert all("--hash=sha256:" in package and "==" in package for package in packages)


def test_what_is_needed_has_one_version_in_all_locks() -> None:
    pins = {
        path.stem: dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", path.read_text("utf-8"), re.M))
        for path in [ROOT / "requirements.lock", ROOT / "locks/base.lock", ROOT / "locks/full.lock"]
    }
    for other in ("base", "full"):
        assert pins[other].items() <= pins["requirements"].items()


def test_the_action_knows_the_options_of_assess() -> None:
    action = text("action.yml")
    used = set(
        re.findall(r"(--[a-z]+)", action.partition('wardround assess "')[2].partition("|")[0])
    )
    assert used == {"--policy", "--out", "--agent", "--model"}
    known = {option for parameter in command.params for option in parameter.opts}
    assert used <= known


@pytest.mark.parametrize(
    ("code", "decision"), [(0, "pass"), (1, "fail"), (3, "undecided"), (2, "")]
)
def test_the_action_tells_the_decision(tmp_path: Path, code: int, decision: str) -> None:
    """Its script, with a command that prints its words and ends with a code."""
    [script] = re.findall(r"^      run: \|\n((?:        .*\n)+)", text("action.yml"), re.MULTILINE)
    stub = tmp_path / "wardround"
    stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@"\nexit {code}\n')
    stub.chmod(0o755)
    names = ("DATABASE", "POLICY", "AGENT", "MODEL", "OPTIONS")
    given = dict.fromkeys(names, "") | {"DATABASE": "my ward", "OPTIONS": "--tasks 100"}
    files = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        env={**os.environ, **given, **files, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code, ran.stderr
    words = ["assess", "my ward", "--policy", "", "--out", "assessment", "--tasks", "100"]
    assert ran.stdout.splitlines() == words
    if decision:
        assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"decision={decision}\n"
        assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text() == ran.stdout


@pytest.fixture
def release() -> ModuleType:
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools/release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_release_needs_its_version_everywhere(release: ModuleType) -> None:
    version = PROJECT["version"]
    assert release.problem_of("9.9.9").startswith(f"pyproject.toml has the version {version}")
    if f"## {version}" not in text("CHANGELOG.md"):
        assert "CHANGELOG.md has no section" in release.problem_of(version)


def test_the_citation_has_the_version() -> None:
    assert f"\nversion: {PROJECT['version']}\n" in text("CITATION.cff")
