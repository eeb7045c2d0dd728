"""Builds, checks and tags a release: `python tools/release.py 0.2.0`.

It needs a clean working tree whose `pyproject.toml` and `CHANGELOG.md` name the version. It runs
all tests, builds the wheel and the source archive, installs the wheel in a new environment from
`locks/full.lock`, writes what is in it with licences to `dist/sbom.json` (CycloneDX), and makes a
tag, which it does not push.
"""

import argparse
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"


def main() -> None:
    """Makes the release, or ends with a sentence on what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version")
    version = parser.parse_args().version
    if problem := problem_of(version):
        sys.exit(f"No release: {problem}")
    _run("make", "test-all")
    _run(sys.executable, "-m", "hatchling", "build", "--directory", str(DIST))
    wheel = DIST / f"wardround-{version}-py3-none-any.whl"
    _check(wheel, version)
    _run("git", "tag", "--annotate", f"v{version}", "--message", f"wardround {version}")
    print(f"{wheel} and its SBOM are in {DIST}; push the tag v{version} to publish them.")


def problem_of(version: str) -> str:
    """Why there can be no release of this version; "" if there can."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    if project["version"] != version:
        return f"pyproject.toml has the version {project['version']}, not {version}."
    if f"\n## {version}" not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        return f"CHANGELOG.md has no section {version}; rename Unreleased."
    if _output("git", "status", "--porcelain"):
        return "the working tree has changes; commit them."
    if _output("git", "tag", "--list", f"v{version}"):
        return f"there is a tag v{version} already."
    return ""


def _check(wheel: Path, version: str) -> None:
    """Installs the wheel beside everything that is locked, starts it, and writes the SBOM."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / "bin" / "python")
        locked = ("--require-hashes", "--no-deps", "--requirement", str(ROOT / "locks/full.lock"))
        _run(python, "-m", "pip", "install", "--quiet", *locked)
        _run(python, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel))
        _run(python, "-m", "pip", "check")
        shown = _output(python, "-m", "wardround", "--version")
        if shown != f"wardround {version}":
            sys.exit(f"No release: the wheel says {shown!r}.")
        write_sbom(python, DIST / "sbom.json")


def write_sbom(python: str, to: Path) -> None:
    """Writes the packages of an environment, with their licences, as CycloneDX."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        own = str(Path(folder) / "bin" / "python")
        _run(own, "-m", "pip", "install", "--quiet", "cyclonedx-bom")
        _run(own, "-m", "cyclonedx_py", "environment", python, "--output-file", str(to))


def _run(*command: str) -> None:
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit(f"No release: {' '.join(command)} failed.")


def _output(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    main()
