"""Summary statistics of a group of patients: ages, stays, results."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.patient_record import PatientRecord, Visit

# One patient's values by measure: one for each stay or result, or one for the person.
Sample = Mapping[str, Sequence[float]]


def sample_of(record: PatientRecord) -> dict[str, list[float]]:
    """One synthetic person's values of every measure of `summary_statistics`."""
    closed = [visit for visit in record.visits if not visit.stay.open]
    by_measure: dict[str, list[float]] = {
        "age": [float(record.visits[0].stay.age)],
        "female": [float(record.person.female)],
        "returned": readmissions(
            [(visit.stay.admitted, visit.stay.end, visit.stay.died) for visit in closed]
        ),
    }
    for visit in closed:
        for name, value in _measures(visit):
            by_measure.setdefault(name, []).append(value)
    for visit in record.visits:
        for result in visit.results:
            by_measure.setdefault(f"lab {result.lab.itemid}", []).append(result.value)
    return by_measure


def _measures(visit: Visit) -> Iterable[tuple[str, float]]:
    stay = visit.stay
    yield "days", stay.hours / 24
    yield "diagnoses", float(len(list(visit.diagnoses(stay.version))))
    yield "procedures", float(len(visit.done))
    yield "results", float(len(visit.results))
    yield "orders", float(len(visit.orders))
    yield "samples", float(len(visit.cultures))
    yield "intensive", float(bool(stay.intensive))
    yield "died", float(stay.died)
    for episode in stay.intensive:
        yield "intensive days", episode.hours / 24


def readmissions(stays: Sequence[tuple[datetime, datetime, bool]]) -> list[float]:
    """1 for each live discharge that is readmitted within 30 days, else 0.

    Args:
        stays: Admission, discharge, and True if the person died.
    """
    starts = [admitted for admitted, _, _ in stays]
    return [
        float(any(end < start <= end + timedelta(days=30) for start in starts))
        for _, end, died in stays
        if not died
    ]


def summary_statistics(samples: Sequence[Sample]) -> dict[str, float]:
    """The statistic of every measure in data/mimic_iv_demo.toml over all patients.

    Args:
        samples: One for each patient.

    Returns:
        The statistic by measure, without measures that have no value.
    """
    by_measure: dict[str, float] = {}
    for name, measure in toml("mimic_iv_demo")["measures"].items():
        values = sorted(value for sample in samples for value in sample.get(measure["of"], ()))
        if values:
            by_measure[name] = statistic(values, measure["statistic"])
    return by_measure


def statistic(values: Sequence[float], name: str) -> float:
    """The mean, or a quantile such as "25%", of values in order.

    >>> statistic([1, 2, 4, 9], "mean"), statistic([1, 2, 4, 9], "50%")
    (4.0, 3.0)
    """
    if name == "mean":
        return sum(values) / len(values)
    position = float(name.rstrip("%")) / 100 * (len(values) - 1)
    lower = int(position)
    upper = min(lower + 1, len(values) - 1)
    return values[lower] + (values[upper] - values[lower]) * (position - lower)
