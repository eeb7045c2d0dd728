"""How near the synthetic hospital is to the MIMIC-IV demo, measure by measure."""

from collections.abc import Iterable
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import labs, toml
from wardround.ehr.hospital.figures import figures, sample_of
from wardround.ehr.hospital.patient_record import chart_of

# A figure may differ by this many of the demo's standard errors: the demo is 100 patients, so that
# chance alone moves most of its figures by a tenth. Where chance moves it less, it may differ by a
# tenth, and the median of a laboratory test by a quarter of its reference range's width: neither
# changes a clinical reading.
ERRORS, SHARE, WIDTH = 3.0, 0.1, 0.25


class Comparison(NamedTuple):
    """One measure in the demo and in the hospital."""

    measure: str
    demo: float
    hospital: float
    tolerance: float
    ok: bool


def compare(patients: int = 400, seed: int = 0) -> list[Comparison]:
    """Compares a generated hospital with the MIMIC-IV demo.

    Args:
        patients: How many people to generate.
        seed: The hospital's seed.

    Returns:
        A row for every measure of data/mimic_iv_demo.toml.
    """
    found = figures([sample_of(chart_of(seed, index)) for index in range(patients)])
    rows = []
    for name, measure in toml("mimic_iv_demo")["measures"].items():
        tolerance = max(ERRORS * measure["error"], _margin(measure["of"], measure["value"]))
        near = abs(found[name] - measure["value"]) <= tolerance
        rows.append(Comparison(name, measure["value"], found[name], tolerance, near))
    return rows


def _margin(of: str, value: float) -> float:
    """The difference that means nothing."""
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
