"""Cultures: what was sampled when, and what grew."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import Wish, toml, wishes
from wardround.ehr.hospital.draw import Draw
from wardround.ehr.hospital.stays import Stay, minutes_after

REPEATED = ("blood", "urine", "sputum", "wound")
CONTAMINANT = "staphylococcus, coagulase negative"


class Culture(NamedTuple):
    """One row of a report; organism is None where nothing grew."""

    time: datetime
    specimen: str
    test: str
    organism: str | None


def cultures(stay: Stay) -> Iterator[Culture]:
    """All cultures of a stay."""
    draw = stay.draw("microbiology")
    organisms: dict[str, str] = {}
    if stay.intensive:
        for wish in wishes(toml("specimens")["routine"]["intensive"]):
            if draw.chance(wish.chance):
                yield from _taken(draw, stay, stay.intensive[0], wish, organisms)
    for problem in stay.problems:
        for wish in problem.condition.cultures:
            if draw.chance(wish.chance):
                yield from _taken(draw, stay, problem.onset, wish, organisms)


def _taken(
    draw: Draw, stay: Stay, onset: datetime, wish: Wish, organisms: dict[str, str]
) -> Iterator[Culture]:
    """The first sample, and others later, more where something grew."""
    hours = draw.quantile([0.3, 1, 3, 8, 30])
    for again in range(3):
        time = minutes_after(onset, hours + 30 * again * draw.between(0.7, 1.6))
        if not stay.inside(time):
            return
        culture = _culture(draw, time, wish, organisms, stay)
        # An isolate is reported once for every antibiotic panel it is tested on.
        for _ in range(draw.whole(1, 3) if culture.organism else 1):
            yield culture
        if wish.name not in REPEATED or not draw.chance(0.5 if culture.organism else 0.25):
            return


def _culture(
    draw: Draw, time: datetime, wish: Wish, organisms: dict[str, str], stay: Stay
) -> Culture:
    kinds = toml("specimens")
    specimen, test = draw.weighted(kinds["specimens"][wish.name]).split("|")
    shares = kinds["organisms"][wish.detail]
    # The same infection grows the same organism wherever it is looked for.
    known = organisms.get(wish.detail)
    grown = known if known and draw.chance(0.8) else _organism(draw, stay, shares)
    if grown not in ("none", CONTAMINANT):
        organisms[wish.detail] = grown
    return Culture(time, specimen, test, None if grown == "none" else grown)


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
