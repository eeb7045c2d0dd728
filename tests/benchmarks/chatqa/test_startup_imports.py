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


def test_a_trial_on_sqlite_imports_what_it_uses(tmp_path: Path) -> None:
    run = ("run", "chatqa", "--agent", "oracle", "--limit", "1", "--json", "--out")
    imported(*run, str(tmp_path / "first"))  # it may have to build the hospital and its indexes
    found = imported(*run, str(tmp_path / "second"))
    assert not found & (HEAVY - {"jinja2"} | {"psycopg"})
    own = [name for name in found if name.startswith("wardround.")]
    assert not [name for name in own if name.startswith(UNUSED)]
    # 266 before modules were imported on first use.
    assert len(own) <= 175
