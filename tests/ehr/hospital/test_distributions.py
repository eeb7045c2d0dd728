"""Comparison of a generated hospital with the MIMIC-IV demo."""

from functools import cache
from pathlib import Path

import pytest

from tests.cases import for_each
from tools.published_statistics import published_samples, standard_errors
from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.demo_comparison import Comparison, as_table, compare
from wardround.ehr.hospital.summary_statistics import statistic, summary_statistics

PAGE = Path(__file__).parents[3] / "docs" / "synthetic-hospital.md"
DEMO = Path(__file__).parents[4] / "shared" / "data" / "mimic-iv-demo"
MEASURES = toml("mimic_iv_demo")["measures"]


@cache
def comparison() -> dict[str, Comparison]:
    return {row.measure: row for row in compare(350, seed=0)}


@for_each(MEASURES)
def test_hospital_matches_the_demo(measure: str) -> None:
    row = comparison()[measure]
    assert row.ok, f"{row.hospital:.4g}, in the demo {row.demo:.4g} within {row.tolerance:.2g}"


def test_every_measure_is_in_the_table() -> None:
    table = as_table(comparison().values())
    assert len(table.splitlines()) == 2 + len(MEASURES)
    assert all(f"| {measure} |" in table for measure in MEASURES)


def test_the_documentation_counts_the_measures() -> None:
    assert f"all {len(MEASURES)} measures of 350 people" in PAGE.read_text(encoding="utf-8")


def test_deviating_hospital_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES["women"], "value", 0.99)
    rows = {row.measure: row for row in compare(12)}
    assert not rows["women"].ok
    assert "| off |" in as_table([rows["women"]])


@pytest.mark.skipif(
    not DEMO.exists(), reason="no published demo: the stored statistics are not recomputed"
)
def test_stored_statistics_match_the_demo() -> None:
    samples = published_samples(DEMO)
    result, spread = summary_statistics(samples), standard_errors(samples)
    for measure, facts in MEASURES.items():
        assert result[measure] == pytest.approx(facts["value"], rel=1e-3), measure
        assert spread[measure] == pytest.approx(facts["error"], rel=0.02, abs=1e-9), measure


def test_quantiles_interpolate() -> None:
    assert statistic([1, 2, 4, 9], "25%") == 1.75
    assert statistic([5], "75%") == 5
