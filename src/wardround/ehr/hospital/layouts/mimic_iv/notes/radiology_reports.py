"""Radiology reports of a stay's imaging."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import StayChart, phrases, term
from wardround.ehr.hospital.layouts.mimic_iv.procedures import tasks

# The bedside item of a chest film.
_CHEST_FILM = 225459


class Report(NamedTuple):
    """A report of one examination."""

    time: datetime
    examination: str
    text: str
    impression: str


def reports(chart: StayChart) -> list[Report]:
    """The reports of a stay, in time order."""
    written: list[Report] = []
    for time, name in sorted(_examinations(chart)):
        exam = phrases("imaging")[name]
        earlier = [each for each in written if each.examination == exam["title"]]
        compared = f"{exam['title']} of {chart.day(earlier[-1].time)}." if earlier else "None."
        written.append(_report(chart, time, exam, compared))
    return written


def _examinations(chart: StayChart) -> Iterator[tuple[datetime, str]]:
    """Time and name: films of the chest in intensive care, and procedures."""
    for task in tasks(chart.visit):
        if task.item == _CHEST_FILM:
            yield task.time, "chest_xray"
    for procedure, time in chart.visit.done:
        if procedure.name in phrases("imaging"):
            yield time, procedure.name


def _report(chart: StayChart, time: datetime, exam: dict[str, Any], compared: str) -> Report:
    findings = {impression: each for *each, impression in _findings(chart, time, exam)}
    seen = exam["regions"] | {region: "" for region, _ in findings.values()}
    for region, finding in findings.values():
        seen[region] = f"{seen[region]} {finding}".strip()
    impression = "\n".join(findings) or exam["clear"]
    parts = {
        "EXAMINATION": exam["title"],
        "INDICATION": f"{chart.patient} with {term(chart.stay.reason.name)}.",
        "TECHNIQUE": exam["technique"],
        "COMPARISON": compared,
        "FINDINGS": "\n".join(seen.values()),
        "IMPRESSION": impression,
    }
    text = "\n \n".join(f"{heading}:  {body}" for heading, body in parts.items())
    return Report(time, exam["title"], text + "\n", impression)


def _findings(
    chart: StayChart, time: datetime, exam: dict[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Region, finding and impression of each problem that has begun."""
    side = chart.draw("side").pick(("left", "right"))
    for problem in chart.stay.problems:
        finding = exam["findings"].get(problem.condition.name)
        if finding and problem.onset <= time:
            text = finding.format(side=side, Side=side.capitalize())
            region, seen, impression = text.split(" | ")
            yield region, seen, impression
