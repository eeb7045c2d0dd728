"""A trial on SQLite imports only what it uses."""

from pathlib import Path

from tests.apps.imports import HEAVY, imported

# Modules that a run of EHR-ChatQA without a model must not import.
UNUSED = tuple(
    f"wardround.{name}"
    for name in (
        *("agents", "authoring", "benchmarks.ehrsql", "benchmarks.interact"),
        *("ehr.hospital.build", "ehr.ingest", "ehr.database.postgres.driver"),
        *("models.client", "models.provider", "runs.workers", "sandbox.lockdown"),
    )
)


def test_sqlite_trial_imports_only_what_it_uses(tmp_path: Path) -> None:
    run = ("run", "chatqa", "--agent", "oracle", "--limit", "1", "--json", "--out")
    imported(*run, str(tmp_path / "first"))  # the first run may build the hospital and its indexes
    modules = imported(*run, str(tmp_path / "second"))
    # Strict grading reads the agent's query.
    assert not modules & (HEAVY - {"jinja2", "sqlglot"} | {"psycopg"})
    own_modules = [name for name in modules if name.startswith("wardround.")]
    assert not [name for name in own_modules if name.startswith(UNUSED)]
    # 266 before lazy imports; a few small modules more are no reason to look.
    assert len(own_modules) <= 240
