"""Cultures: samples, growth and susceptibilities."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import interventions, toml
from wardround.ehr.hospital.catalogue_entries import Intervention
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import NOW, Stay, hours_between, minutes_after

REPEATED = ("blood", "urine", "sputum", "wound")
CONTAMINANT = "staphylococcus, coagulase negative"
# Hours from sampling to report, without and with growth. Automated blood culture systems
# report growth within one or two days and no growth after five.
_SILENT, _GROWN = (44, 52, 70, 120, 125), (20, 30, 44, 56, 90)


class Susceptibility(NamedTuple):
    """Susceptibility of an isolate to an antibiotic.

    Attributes:
        antibiotic: Its name in lower case, as in the dictionary "micro_items".
        dilution: The minimum inhibitory concentration, mcg/ml, such as "<=0.25".
        interpretation: "S" or "R".
    """

    antibiotic: str
    dilution: str
    interpretation: str


class Culture(NamedTuple):
    """One sample with its result; names in lower case, as in the dictionary "micro_items".

    Attributes:
        source: The key in data/specimens.toml.
        reported: The time of the report; None if pending.
        organism: None without growth.
        susceptibilities: Empty if not tested.
    """

    time: datetime
    specimen: str
    test: str
    source: str
    reported: datetime | None = None
    organism: str | None = None
    susceptibilities: tuple[Susceptibility, ...] = ()


def cultures(stay: Stay) -> list[Culture]:
    """All cultures of a stay, by indicating problem."""
    draw = stay.draw("microbiology")
    grown: dict[str, _Isolate] = {}
    collected: list[Culture] = []
    if not stay.planned:
        for intervention in interventions(toml("specimens")["routine"]["emergency"]):
            if draw.chance(intervention.chance):
                collected += _samples(draw, stay, stay.admitted, intervention, grown)
    for episode in stay.intensive:
        for intervention in interventions(toml("specimens")["routine"]["intensive"]):
            if draw.chance(intervention.chance):
                collected += _samples(draw, stay, episode.start, intervention, grown)
    for problem in stay.problems:
        for intervention in problem.condition.cultures:
            if draw.chance(intervention.chance):
                collected += _samples(draw, stay, problem.onset, intervention, grown)
    return collected


class _Isolate(NamedTuple):
    organism: str
    susceptibilities: tuple[Susceptibility, ...]


def _samples(
    draw: RandomStream,
    stay: Stay,
    onset: datetime,
    intervention: Intervention,
    grown: dict[str, _Isolate],
) -> Iterator[Culture]:
    """The first sample and follow-ups, more of them after growth."""
    hours = draw.quantile([0.3, 1, 3, 8, 30])
    for again in range(4):
        time = minutes_after(onset, hours + 30 * again * draw.between(0.7, 1.6))
        if not stay.inside(time):
            return
        treated = hours_between(onset, time) > 44
        # Blood cultures are drawn in two sets.
        for _ in range(2 if intervention.name == "blood" else 1):
            culture = _culture(draw, time, intervention, grown, stay, treated)
            yield culture
        if intervention.name not in REPEATED or not draw.chance(0.6 if culture.organism else 0.3):
            return


def _culture(
    draw: RandomStream,
    time: datetime,
    intervention: Intervention,
    grown: dict[str, _Isolate],
    stay: Stay,
    treated: bool,
) -> Culture:
    kinds = toml("specimens")
    specimen, test = draw.weighted(kinds["specimens"][intervention.name]).split("|")
    # One infection yields the same isolate in every specimen until treated.
    earlier = grown.get(intervention.detail)
    if treated:
        isolate = earlier if earlier and draw.chance(0.2) else _Isolate("none", ())
    elif earlier and draw.chance(0.8):
        isolate = earlier
    else:
        species = _organism(draw, stay, kinds["organisms"][intervention.detail])
        isolate = _Isolate(species, _susceptibility_panel(draw, species))
    grows = isolate.organism != "none"
    if grows and isolate.organism != CONTAMINANT:
        grown[intervention.detail] = isolate
    pending = Culture(time, specimen, test, intervention.name)
    reported = minutes_after(time, draw.quantile(_GROWN if grows else _SILENT))
    if reported >= NOW:
        return pending
    organism = isolate.organism if grows else None
    return pending._replace(
        reported=reported, organism=organism, susceptibilities=isolate.susceptibilities
    )


def _organism(draw: RandomStream, stay: Stay, shares: dict[str, float]) -> str:
    """The organism; E. coli for a stay coded as E. coli septicaemia."""
    codes = {code.icd9 for problem in stay.problems for code in problem.codes}
    if "03842" in codes and "escherichia coli" in shares:
        return "escherichia coli"
    if "03811" in codes and "staph aureus coag +" in shares:
        return "staph aureus coag +"
    if "03842" not in codes and stay.has("sepsis_urinary"):
        shares = {name: share for name, share in shares.items() if name != "escherichia coli"}
    return draw.weighted(shares)


def _susceptibility_panel(draw: RandomStream, organism: str) -> tuple[Susceptibility, ...]:
    """The isolate's susceptibility panel, with correlated resistances.

    Resistance to a strong antibiotic mostly implies resistance to weaker ones of its class.
    """
    facts = toml("antibiograms")
    rank = draw.uniform()
    collected: list[Susceptibility] = []
    for antibiotic, share in facts["panels"].get(organism, {}).items():
        # Half of the draws use the isolate's rank, half the antibiotic's own probability.
        susceptible = (rank if draw.chance(0.6) else draw.uniform()) < share
        low, middle, high = facts["dilutions"][antibiotic]
        dilution = (low if draw.chance(0.75) else middle) if susceptible else high
        collected.append(Susceptibility(antibiotic, dilution, "S" if susceptible else "R"))
    return tuple(collected)
