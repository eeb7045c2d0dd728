"""Laboratory results, cultures and imaging of a discharge summary."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from wardround.ehr.hospital.dictionaries import micro_item
from wardround.ehr.hospital.laboratory import Result
from wardround.ehr.hospital.layouts.mimic_iv.notes.radiology_reports import Report
from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import StayChart, listed
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.microbiology import Culture

_MOST_ABNORMAL = 4


def pertinent_results(chart: StayChart, imaging: Sequence[Report]) -> Iterator[str]:
    """First and last laboratory results, cultures, and impressions of imaging."""
    results = chart.results
    if results:
        yield from ("ADMISSION LABS", *_panel_lines(chart, results[0].time))
    if results and results[-1].time > results[0].time:
        yield from ("", "DISCHARGE LABS", *_panel_lines(chart, results[-1].time))
    if chart.visit.cultures:
        yield from ("", "MICROBIOLOGY", *(_culture(chart, each) for each in chart.visit.cultures))
    if imaging:
        yield from ("", "IMAGING")
        for report in imaging:
            impression = " ".join(report.impression.split())
            yield f"{chart.day(report.time)} {report.examination}: {impression}"


def notable_results(chart: StayChart) -> str | None:
    """A sentence with the most abnormal of the first results."""
    first = [item for item in chart.results if item.time == chart.results[0].time]
    abnormal = [item for item in first if item.abnormal and item.lab.fluid == "Blood"]
    worst = sorted(abnormal, key=_distance, reverse=True)[:_MOST_ABNORMAL]
    if not worst:
        return None
    return f"First laboratory tests were notable for {listed([value(each) for each in worst])}."


def value(result: Result) -> str:
    """A result with name and unit, such as "Creatinine 2.1 mg/dL" or "urine WBC 40 #/hpf"."""
    unit = f" {spell('unit', result.lab.unit)}" if result.lab.unit else ""
    fluid = "" if result.lab.fluid == "Blood" else f"{result.lab.fluid.lower()} "
    return f"{fluid}{result.lab.label} {result.text}{unit}"


def pending_cultures(chart: StayChart) -> Iterator[str]:
    """Cultures without a report at discharge."""
    for culture in chart.visit.cultures:
        if _is_pending(chart, culture):
            yield f"{_sample(culture)} of {chart.day(culture.time)}"


def _panel_lines(chart: StayChart, time: datetime) -> Iterator[str]:
    """The results of one time, a line for each fluid; * marks an abnormal value."""
    results = [item for item in chart.results if item.time == time]
    for fluid, items in groupby(sorted(results, key=_fluid), key=_fluid):
        cells = (f"{item.lab.label}-{item.text}{'*' if item.abnormal else ''}" for item in items)
        yield f"{chart.moment(time)} {fluid.upper()}  {' '.join(cells)}"


def _culture(chart: StayChart, culture: Culture) -> str:
    if _is_pending(chart, culture):
        grown = "PENDING"
    elif culture.organism:
        grown = micro_item("organism", culture.organism)[1]
    else:
        grown = "NO GROWTH"
    return f"{chart.day(culture.time)} {_sample(culture)}: {grown}"


def _is_pending(chart: StayChart, culture: Culture) -> bool:
    return culture.reported is None or culture.reported > chart.stay.end


def _sample(culture: Culture) -> str:
    specimen, test = micro_item("specimen", culture.specimen), micro_item("test", culture.test)
    return f"{specimen[1]} {test[1]}"


def _fluid(result: Result) -> str:
    return result.lab.fluid


def _distance(result: Result) -> float:
    """The distance from the reference range, in widths of it."""
    lab = result.lab
    width = lab.high - lab.low or 1.0
    return max(result.value - lab.high, lab.low - result.value) / width
