"""Comparison of the synthetic hospital with the MIMIC-IV demo."""

from collections.abc import Iterable
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import labs, toml
from wardround.ehr.hospital.patient_record import patient_record
from wardround.ehr.hospital.summary_statistics import sample_of, summary_statistics

# Allowed difference in standard errors of the demo. With 100 patients, chance alone moves most
# statistics by a tenth. More precise ones may differ by a tenth, and the median of a laboratory
# test by a quarter of its reference range's width: neither changes a clinical
# interpretation.
ERRORS, SHARE, WIDTH = 3.0, 0.1, 0.25


class Comparison(NamedTuple):
    """One measure in the demo and in the hospital."""

    measure: str
    demo: float
    hospital: float
    tolerance: float
    ok: bool


def compare(patients: int = 400, seed: int = 0) -> list[Comparison]:
    """Compare a generated hospital with the MIMIC-IV demo.

    Args:
        patients: Number of people to generate.
        seed: The hospital's seed.

    Returns:
        A row for every measure of data/mimic_iv_demo.toml.
    """
    statistics = summary_statistics(
        [sample_of(patient_record(seed, index)) for index in range(patients)]
    )
    rows = []
    for name, measure in toml("mimic_iv_demo")["measures"].items():
        tolerance = max(ERRORS * measure["error"], _margin(measure["of"], measure["value"]))
        near = abs(statistics[name] - measure["value"]) <= tolerance
        rows.append(Comparison(name, measure["value"], statistics[name], tolerance, near))
    return rows


def _margin(of: str, value: float) -> float:
    """The tolerated difference."""
    kind, _, item = of.partition(" ")
    if kind != "lab":
        return SHARE * abs(value)
    lab = next(lab for lab in labs().values() if lab.itemid == int(item))
    return WIDTH * (lab.high - lab.low)


def as_table(rows: Iterable[Comparison]) -> str:
    """The comparison as a Markdown table."""
    lines = ["| measure | demo | hospital | tolerance | |", "|---|---:|---:|---:|---|"]
    lines += [
        f"| {row.measure} | {row.demo:.4g} | {row.hospital:.4g} | {row.tolerance:.2g} "
        f"| {'ok' if row.ok else 'off'} |"
        for row in rows
    ]
    return "\n".join(lines)
