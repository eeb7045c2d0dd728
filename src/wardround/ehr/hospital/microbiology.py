"""Cultures: what was sampled when, what grew, and which antibiotics it responds to."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import Wish, toml, wishes
from wardround.ehr.hospital.random_stream import Draw
from wardround.ehr.hospital.stays import NOW, Stay, hours_between, minutes_after

REPEATED = ("blood", "urine", "sputum", "wound")
CONTAMINANT = "staphylococcus, coagulase negative"
# Hours from sampling to a report: without growth, with growth. Automated blood culture systems
# report growth within one or two days and no growth after five.
_SILENT, _GROWN = (44, 52, 70, 120, 125), (20, 30, 44, 56, 90)


class Susceptibility(NamedTuple):
    """How an isolate responds to an antibiotic.

    Attributes:
        antibiotic: Its name in lower case, as in data/micro_items.tsv.
        dilution: The minimum inhibitory concentration, mcg/ml, such as "<=0.25".
        interpretation: "S" or "R".
    """

    antibiotic: str
    dilution: str
    interpretation: str


class Culture(NamedTuple):
    """One sample and what became of it; names in lower case, as in data/micro_items.tsv.

    Attributes:
        organism: None where nothing grew.
        reported: When the result was known; None while it is not.
        susceptibilities: Empty where the organism is not tested.
        source: What was looked for: the key in data/specimens.toml.
    """

    time: datetime
    specimen: str
    test: str
    organism: str | None
    reported: datetime | None
    susceptibilities: tuple[Susceptibility, ...]
    source: str


def cultures(stay: Stay) -> list[Culture]:
    """All cultures of a stay, by the problem that asked for them."""
    draw = stay.draw("microbiology")
    grown: dict[str, _Isolate] = {}
    found: list[Culture] = []
    if not stay.planned:
        for wish in wishes(toml("specimens")["routine"]["emergency"]):
            if draw.chance(wish.chance):
                found += _taken(draw, stay, stay.admitted, wish, grown)
    for episode in stay.intensive:
        for wish in wishes(toml("specimens")["routine"]["intensive"]):
            if draw.chance(wish.chance):
                found += _taken(draw, stay, episode.start, wish, grown)
    for problem in stay.problems:
        for wish in problem.condition.cultures:
            if draw.chance(wish.chance):
                found += _taken(draw, stay, problem.onset, wish, grown)
    return found


class _Isolate(NamedTuple):
    organism: str
    susceptibilities: tuple[Susceptibility, ...]


def _taken(
    draw: Draw, stay: Stay, onset: datetime, wish: Wish, grown: dict[str, _Isolate]
) -> Iterator[Culture]:
    """The first sample, and others later, more where something grew."""
    hours = draw.quantile([0.3, 1, 3, 8, 30])
    for again in range(4):
        time = minutes_after(onset, hours + 30 * again * draw.between(0.7, 1.6))
        if not stay.inside(time):
            return
        treated = hours_between(onset, time) > 44
        # Blood is drawn for two sets of bottles.
        for _ in range(2 if wish.name == "blood" else 1):
            culture = _culture(draw, time, wish, grown, stay, treated)
            yield culture
        if wish.name not in REPEATED or not draw.chance(0.6 if culture.organism else 0.3):
            return


def _culture(
    draw: Draw,
    time: datetime,
    wish: Wish,
    grown: dict[str, _Isolate],
    stay: Stay,
    treated: bool,
) -> Culture:
    kinds = toml("specimens")
    specimen, test = draw.weighted(kinds["specimens"][wish.name]).split("|")
    # The same infection grows the same isolate wherever it is looked for, until it is treated.
    known = grown.get(wish.detail)
    if treated:
        isolate = known if known and draw.chance(0.2) else _Isolate("none", ())
    elif known and draw.chance(0.8):
        isolate = known
    else:
        named = _organism(draw, stay, kinds["organisms"][wish.detail])
        isolate = _Isolate(named, _tested(draw, named))
    grows = isolate.organism != "none"
    if grows and isolate.organism != CONTAMINANT:
        grown[wish.detail] = isolate
    reported = minutes_after(time, draw.quantile(_GROWN if grows else _SILENT))
    if reported >= NOW:
        return Culture(time, specimen, test, None, None, (), wish.name)
    organism = isolate.organism if grows else None
    return Culture(time, specimen, test, organism, reported, isolate.susceptibilities, wish.name)


def _organism(draw: Draw, stay: Stay, shares: dict[str, float]) -> str:
    """What grows; a stay coded as E. coli septicaemia grows E. coli."""
    codes = {code.icd9 for problem in stay.problems for code in problem.codes}
    if "03842" in codes and "escherichia coli" in shares:
        return "escherichia coli"
    if "03811" in codes and "staph aureus coag +" in shares:
        return "staph aureus coag +"
    if "03842" not in codes and stay.has("sepsis_urinary"):
        shares = {name: share for name, share in shares.items() if name != "escherichia coli"}
    return draw.weighted(shares)


def _tested(draw: Draw, organism: str) -> tuple[Susceptibility, ...]:
    """The isolate's panel. One number ranks how resistant it is, so that resistances go together.

    Who resists a strong antibiotic mostly resists the weaker ones too: cephalosporins in order.
    """
    facts = toml("antibiograms")
    rank = draw.uniform()
    found: list[Susceptibility] = []
    for antibiotic, share in facts["panels"].get(organism, {}).items():
        # Half of the draws follow the isolate's rank, half the antibiotic's own chance.
        susceptible = (rank if draw.chance(0.6) else draw.uniform()) < share
        low, middle, high = facts["dilutions"][antibiotic]
        dilution = (low if draw.chance(0.75) else middle) if susceptible else high
        found.append(Susceptibility(antibiotic, dilution, "S" if susceptible else "R"))
    return tuple(found)
