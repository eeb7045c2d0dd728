"""The package for verifiers, which has an environment of its own."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "integrations/verifiers"
PYTHON = PACKAGE / ".venv/bin/python"


def test_verifiers_has_one_version_that_is_locked() -> None:
    [needed] = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]["dependencies"]
    assert needed.startswith("verifiers==")
    locked = (PACKAGE / "requirements.lock").read_text().splitlines()
    assert f"{needed} \\" in locked
    assert not [line for line in locked if line.startswith("wardround")]


@pytest.mark.slow
def test_verifiers_evaluates_a_benchmark() -> None:
    if not PYTHON.exists():
        pytest.skip("verifiers is not installed: `make verifiers` installs it and runs its tests")
    ran = subprocess.run(
        [str(PYTHON), "-m", "pytest", "-q"],
        cwd=PACKAGE,
        env={**os.environ, "WARDROUND": str(Path(sys.executable).parent / "wardround")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
