"""Social history, function, adherence and pain of a discharge summary."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import StayChart, phrases, term

_PAIN_ITEM = 223791
_LAST_HOURS = 24


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
