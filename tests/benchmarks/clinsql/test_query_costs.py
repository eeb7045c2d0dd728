"""A run on BigQuery shows before its first trial what its queries would cost."""

from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.benchmarks.clinsql.item_samples import write_item

pytest.importorskip("google.cloud.bigquery", reason="BigQuery's client is missing")


def test_golds_are_priced_by_dry_runs_before_the_first_trial(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.ehr.database.bigquery.played import DATASETS, played_client

    write_item(tmp_path / "items", "A/easy/001", sql="SELECT subject_id, dod FROM patients")
    write_item(tmp_path / "items", "A/easy/002", sql="SELECT * FROM chartevents")
    with played_client() as client:
        opened = "wardround.ehr.database.bigquery.driver.open_client"
        monkeypatch.setattr(opened, lambda datasets: client)
        place = f"mimic_iv=bigquery://mine/{DATASETS}"
        options = ("--tasks", tmp_path / "items", "--database", place, "--agent", "oracle")
        ran = cli("run", "clinsql", *options, "--trials", "3", "--out", tmp_path / "run")
    cost, jobs = ran.err.splitlines()[:2]
    assert cost.startswith(
        "Queries like the golds of 3 of 6 trials would scan 7.2 kB by dry runs, $0.00 at list price"
    )
    assert "1 golds are refused, the first of A/easy/002: " in cost
    assert jobs.startswith("6 trials to run in")
