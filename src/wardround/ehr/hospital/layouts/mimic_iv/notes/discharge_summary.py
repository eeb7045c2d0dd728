"""The discharge summary of a stay, its course by problem, under MIMIC-IV-Note's headings."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from wardround.ehr.hospital.layouts.mimic_iv.notes.pertinent_results import (
    notable_results,
    pending_cultures,
    pertinent_results,
    value,
)
from wardround.ehr.hospital.layouts.mimic_iv.notes.radiology_reports import Report
from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import (
    StayChart,
    drug,
    listed,
    numbered,
    phrases,
    term,
    titles,
)
from wardround.ehr.hospital.layouts.published_names import sentence, spell
from wardround.ehr.hospital.orders import Order
from wardround.ehr.hospital.performed_procedures import PerformedProcedure
from wardround.ehr.hospital.stays import Problem

_PAIN_ITEM = 223791
_LAST_HOURS = 24

_MOST_HISTORIES = 4
_CONFUSED = ("dementia", "delirium", "encephalopathy", "hepatic_encephalopathy")

_MOST_DRUGS = 5

# Routes of drugs that are taken at home.
_ROUTES = frozenset({"po", "po/ng", "oral", "sl", "ih", "neb", "sc", "td", "tp", "nu", "both eyes"})
_ROUTINE, _ONCE = "routine", "ONCE"
# Orders that end within this time before discharge are continued.
_RECENT = timedelta(hours=12)


def discharge_summary(chart: StayChart, imaging: Sequence[Report]) -> str:
    """The text of a summary; a section without content has its heading only."""
    bodies = {**_before(chart), **_during(chart, imaging), **_after(chart)}
    sections = (f"{heading}:\n{body}" for heading, body in bodies.items())
    return "\n \n".join((*_head(chart), *sections)) + "\n"


def _head(chart: StayChart) -> Iterator[str]:
    stay, facts = chart.stay, phrases("background")
    allergies = " / ".join(allergy.substance for allergy in stay.person.allergies)
    dates = f"{chart.day(stay.admitted)}              Discharge Date:   {chart.day(stay.end)}"
    yield "Name:  ___                     Unit No:   ___"
    yield f"Admission Date:  {dates}"
    yield f"Date of Birth:  ___             Sex:   {'F' if stay.person.female else 'M'}"
    yield f"Service: {facts['services'][chart.visit.services[-1].current]}"
    yield f"Allergies: \n{allergies or facts['allergy_none']}"
    yield "Attending: ___."


def _before(chart: StayChart) -> dict[str, str]:
    done = (f"{chart.day(each.time)} {procedure_title(chart, each)}" for each in chart.visit.done)
    history = [sentence(term(item.condition.name)) for item in chart.named("history")]
    pain = pain_at_home(chart)
    return {
        "Chief Complaint": phrases("reasons")[chart.stay.reason.name]["complaint"],
        "Major Surgical or Invasive Procedure": "\n".join(dict.fromkeys(done)) or "None",
        "History of Present Illness": " ".join(_present_illness(chart)),
        "Past Medical History": _lines([*history, pain] if pain else history) or "None",
        "Social History": _lines(social_history(chart)),
        "Family History": _lines(family_history(chart)),
    }


def _present_illness(chart: StayChart) -> Iterator[str]:
    story = chart.draw("present illness").pick(phrases("reasons")[chart.stay.reason.name]["who"])
    history = [term(item.condition.name) for item in chart.named("history")][:_MOST_HISTORIES]
    known = f" with a history of {listed(history)}" if history else ""
    yield f"{sentence(chart.patient)}{known}, who {story}."
    if chart.results and (notable := notable_results(chart)):
        yield notable


def _during(chart: StayChart, imaging: Sequence[Report]) -> dict[str, str]:
    home = [line(order) for order in home_medication(chart)]
    home_drugs = (adherence(chart), *numbered(home)) if home else ["None"]
    return {
        "Physical Exam": _lines(_examination(chart)) if not chart.stay.died else "",
        "Pertinent Results": _lines(pertinent_results(chart, imaging)),
        "Brief Hospital Course": _lines(hospital_course(chart)),
        "Medications on Admission": _lines(home_drugs),
    }


def _examination(chart: StayChart) -> Iterator[str]:
    facts, person = phrases("examination"), chart.stay.person
    changed = (facts["changed"].get(item.condition.name) for item in chart.stay.problems)
    pairs = (text.split(" | ") for text in changed if text)
    # The first problem decides: the reason for the stay, then complications.
    systems = facts["usual"] | dict(reversed([(system, words) for system, words in pairs]))
    yield f"Weight {person.weight} kg, height {person.height} cm"
    yield from (f"{system}: {words}" for system, words in systems.items())


def _after(chart: StayChart) -> dict[str, str]:
    """Medication, disposition, diagnoses, condition and advice; no advice after death."""
    stay, where = chart.stay, chart.visit.demographics.destination or "home"
    drugs = [] if stay.died else [line(order) for order in discharge_medication(chart)]
    return {
        "Discharge Medications": _lines(numbered(drugs)),
        "Discharge Disposition": phrases("background")["disposition"].get(where, "Extended Care"),
        "Discharge Diagnosis": _lines(_diagnoses(chart)),
        "Discharge Condition": "Expired" if stay.died else _lines(_condition(chart, where)),
        "Discharge Instructions": "" if stay.died else _lines(_instructions(chart)),
        "Followup Instructions": "" if stay.died else _lines(_follow_up(chart)),
    }


def _diagnoses(chart: StayChart) -> Iterator[str]:
    version = chart.stay.version
    first, *others = (
        titles("d_icd_diagnoses")[version, code] for code, _ in chart.visit.diagnoses(version)
    )
    yield from ("PRIMARY DIAGNOSIS", first)
    if others:
        yield from ("SECONDARY DIAGNOSES", *others)


def _condition(chart: StayChart, where: str) -> Iterator[str]:
    confused = any(chart.stay.has(name) for name in _CONFUSED)
    yield f"Mental Status: {'Confused - sometimes' if confused else 'Clear and coherent'}."
    yield "Level of Consciousness: Alert and interactive."
    yield f"Activity Status: {phrases('background')['activity'][where]}"
    yield pain_at_discharge(chart)


def _instructions(chart: StayChart) -> Iterator[str]:
    yield "Dear ___,"
    yield phrases("reasons")[chart.stay.reason.name]["advice"]
    yield "Take your medications as listed, and bring the list to every visit."


def _follow_up(chart: StayChart) -> Iterator[str]:
    draw, clinics = chart.draw("follow-up"), phrases("background")["clinic"]
    clinic = clinics[chart.stay.reason.ward]
    visit = chart.stay.end + timedelta(days=draw.whole(7, 21))
    yield f"{clinic}: {chart.day(visit)}"
    if clinic != clinics["medicine"]:
        yield f"{clinics['medicine']}: within {draw.whole(2, 4)} weeks"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def social_history(chart: StayChart) -> Iterator[str]:
    """Home, work, habits and function, which a person keeps for life."""
    facts = phrases("background")
    draw = chart.stay.person.draw("notes:background")
    home = draw.weighted(facts["home"][chart.visit.demographics.marital or "unknown"])
    job = draw.weighted(facts["work"]["jobs"])
    if chart.stay.has("homeless"):
        yield "Lives in a shelter."
    else:
        yield f"Lives {home}."
    yield f"Work: {job if chart.stay.age <= facts['work']['until'] else 'retired'}"
    for habit in ("tobacco", "alcohol", "drugs"):
        yield f"{habit.capitalize()}: {chart.habit(draw, facts[habit])}"
    yield f"Functional status: {_function(chart)}"


def family_history(chart: StayChart) -> Iterator[str]:
    """Illnesses of relatives that the stay codes."""
    draw = chart.stay.person.draw("notes:family")
    relatives = phrases("background")["relatives"]
    for problem in chart.named("family"):
        name = problem.condition.name
        yield f"{draw.pick(relatives.get(name, relatives['any']))}: {term(name)}"
    if not chart.named("family"):
        yield "Non-contributory."


def adherence(chart: StayChart) -> str:
    """A sentence on how drugs are taken at home."""
    draw = chart.stay.person.draw("notes:adherence")
    return f"Adherence: {chart.habit(draw, phrases('background')['adherence'])}."


def pain_at_home(chart: StayChart) -> str | None:
    """Chronic pain with its usual level, of a person who has a painful illness."""
    facts = phrases("background")["pain"]
    painful = [name for name in facts["conditions"] if chart.stay.has(name)]
    if not painful:
        return None
    level = round(chart.stay.person.draw("notes:pain").quantile(facts["chronic"]))
    return f"Pain at home from {term(painful[0])}: usually {level}/10."


def pain_at_discharge(chart: StayChart) -> str:
    """The last charted level of pain of the last day, else a drawn one."""
    charted = [
        item.value
        for item in chart.visit.observations
        if item.item == _PAIN_ITEM
        and item.value is not None
        and (chart.stay.end - item.time).total_seconds() < _LAST_HOURS * 3600
    ]
    facts = phrases("background")["pain"]
    level = charted[-1] if charted else chart.draw("pain").quantile(facts["usual"])
    return f"Pain: {round(level)}/10 at rest."


def _function(chart: StayChart) -> str:
    facts = phrases("background")["function"]
    ill = any(chart.stay.has(name) for name in facts["conditions"])
    frail = ill or chart.stay.age >= facts["age"]
    shares: dict[str, float] = facts["frail" if frail else "well"]
    return chart.stay.person.draw("notes:function").weighted(shares)


def hospital_course(chart: StayChart) -> Iterator[str]:
    """The stay in paragraphs: active problems, home drugs, code status, pending results."""
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


def home_medication(chart: StayChart) -> list[Order]:
    """The first order of each home drug, by name."""
    chronic = {item.condition.name for item in chart.stay.problems if not item.acute}
    home = [order for order in _takeable(chart) if order.reason in chronic]
    return _by_name(reversed(home))


def discharge_medication(chart: StayChart) -> list[Order]:
    """The last order of each drug that is continued: home drugs, and treatment until the end."""
    home = {order.name for order in home_medication(chart)}
    until = chart.stay.end - _RECENT
    continued = (
        order
        for order in _takeable(chart)
        if order.name in home or (order.reason != _ROUTINE and order.stop and order.stop >= until)
    )
    return _by_name(continued)


def line(order: Order) -> str:
    """An order as a line of a list, such as "Furosemide 40 mg PO DAILY"."""
    dose = f"{float(order.dose):g} {spell('unit', order.unit)}"
    return f"{drug(order)} {dose} {order.route.upper()} {order.frequency}"


def _takeable(chart: StayChart) -> list[Order]:
    """Repeated orders of drugs that can be taken at home; sliding scales have no dose."""
    return [
        order
        for order in chart.visit.orders
        if order.route in _ROUTES and float(order.dose) and order.frequency != _ONCE
    ]


def _by_name(orders: Iterable[Order]) -> list[Order]:
    """The last of the orders of each drug, by name."""
    return [order for _, order in sorted({each.name: each for each in orders}.items())]
