"""The brief hospital course of a discharge summary, by problem."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.mimic_iv.notes.medication_lists import home_medication
from wardround.ehr.hospital.layouts.mimic_iv.notes.pertinent_results import (
    pending_cultures,
    value,
)
from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import (
    StayChart,
    drug,
    listed,
    term,
    titles,
)
from wardround.ehr.hospital.layouts.published_names import sentence
from wardround.ehr.hospital.performed_procedures import PerformedProcedure
from wardround.ehr.hospital.stays import Problem

_MOST_DRUGS = 5


def hospital_course(chart: StayChart) -> Iterator[str]:
    """The stay in paragraphs: active problems, home drugs, code status, what is pending."""
    yield "ACTIVE ISSUES"
    for problem in chart.named("course"):
        yield f"# {sentence(term(problem.condition.name))}"
        yield " ".join(_course(chart, problem)) or "Monitored without specific treatment."
    chronic = list(_chronic(chart))
    if chronic:
        yield from ("", "CHRONIC ISSUES", *chronic)
    yield from ("", "TRANSITIONAL ISSUES", f"# Code status: {chart.visit.code_status[-1][1]}")
    if pending := list(dict.fromkeys(pending_cultures(chart))):
        yield f"# Pending at discharge: {listed(pending)}"
    if chart.stay.died:
        yield f"The patient died on {chart.moment(chart.stay.end)}."


def procedure_title(chart: StayChart, performed: PerformedProcedure) -> str:
    """The title of a procedure's code in the stay's edition."""
    version = chart.stay.version
    return titles("d_icd_procedures")[version, performed.procedure.in_edition(version)]


def _course(chart: StayChart, problem: Problem) -> Iterator[str]:
    """Sentences on a problem: intensive care, procedures, drugs, the value it moved most."""
    if problem is chart.stay.problems[0] and chart.stay.intensive:
        start = chart.day(chart.stay.intensive[0].start)
        yield f"The patient was treated in intensive care from {start}."
    names = {name for item in problem.condition.procedures for name in item.name.split("|")}
    days = dict[str, list[str]]()
    for performed in chart.visit.done:
        if performed.procedure.name in names:
            title = procedure_title(chart, performed)
            days.setdefault(title, []).append(chart.day(performed.time))
    yield from (f"{title} on {listed(dates)}." for title, dates in days.items())
    drugs = [
        drug(order)
        for order in chart.visit.orders
        if order.reason == problem.condition.name and not order.carrier
    ]
    if drugs:
        yield f"Treated with {listed(list(dict.fromkeys(drugs))[:_MOST_DRUGS])}."
    yield from _value(chart, problem)


def _value(chart: StayChart, problem: Problem) -> Iterator[str]:
    """The extreme and the last result of the test that the condition moves most, if abnormal."""
    effects = sorted(problem.condition.labs.items())
    measured = {item.lab.name: item.lab for item in chart.results}
    known = [(name, by) for name, by in effects if name in measured]
    if not known:
        return
    name, by = max(known, key=lambda effect: abs(effect[1]) / measured[effect[0]].spread)
    results = [item for item in chart.results if item.lab.name == name]
    worst = (max if by > 0 else min)(results, key=lambda result: result.value)
    if worst.abnormal:
        last = f", {results[-1].text} at last check" if results[-1] is not worst else ""
        yield f"{sentence(value(worst))} on {chart.day(worst.time)}{last}."


def _chronic(chart: StayChart) -> Iterator[str]:
    """Chronic illnesses with the home drugs given for them."""
    home = home_medication(chart)
    for problem in chart.named("history"):
        drugs = [drug(order) for order in home if order.reason == problem.condition.name]
        if drugs:
            yield f"# {sentence(term(problem.condition.name))}: continued {listed(drugs)}."
