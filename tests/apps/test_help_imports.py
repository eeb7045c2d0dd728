"""Commands import little: help neither Pydantic nor a benchmark, a trial only what it uses."""

import subprocess
import sys
from pathlib import Path

import pytest

from wardround.core import plugins

NAMES = plugins.names(plugins.BENCHMARKS)
HEAVY = {"pydantic_ai", "numpy", "openai", "jinja2", "duckdb", "sqlglot", "rich", "httpx2"}

# What a run of EHR-ChatQA without a model has no use for.
UNUSED = tuple(
    f"wardround.{name}"
    for name in (
        *("agents", "authoring", "benchmarks.ehrsql", "benchmarks.interact"),
        *("ehr.hospital.build", "ehr.ingest", "ehr.database.postgres.driver"),
        *("models.client", "models.provider", "runs.workers", "sandbox.lockdown"),
    )
)


def imported(*words: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    program = (
        "import sys\n"
        "from wardround.apps.command_line import main\n"
        f"sys.argv = ['wardround', *{list(words)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('MODULES', *sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(ran.stdout.partition("MODULES")[2].split())


def test_help_imports_neither_pydantic_nor_a_benchmark() -> None:
    found = imported("--help")
    assert not found & (HEAVY | {"pydantic", "importlib.metadata"})
    assert not [name for name in found if name.startswith("wardround.benchmarks")]


@pytest.mark.parametrize(("name", "other"), [(NAMES[0], NAMES[-1]), (NAMES[-1], NAMES[0])])
def test_help_of_a_run_imports_its_declaration_alone(name: str, other: str) -> None:
    found = imported("run", name, "--help")
    assert not found & HEAVY
    assert f"wardround.benchmarks.{name}.declaration" in found
    assert f"wardround.benchmarks.{name}.benchmark" not in found
    assert f"wardround.benchmarks.{other}.declaration" not in found
    assert not [module for module in found if module.startswith("wardround.runs")]


def test_a_trial_on_sqlite_imports_what_it_uses(tmp_path: Path) -> None:
    run = ("run", "chatqa", "--agent", "oracle", "--limit", "1", "--json", "--out")
    imported(*run, str(tmp_path / "first"))  # it may have to build the hospital and its indexes
    found = imported(*run, str(tmp_path / "second"))
    assert not found & (HEAVY - {"jinja2"} | {"psycopg"})
    own = [name for name in found if name.startswith("wardround.")]
    assert not [name for name in own if name.startswith(UNUSED)]
    # 266 before modules were imported on first use.
    assert len(own) <= 175
