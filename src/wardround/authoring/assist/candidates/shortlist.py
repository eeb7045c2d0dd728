"""The stays whose records are made into FHIR: few and small ones that serve several scenarios."""

from collections import Counter
from collections.abc import Sequence

from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.facts.scenarios import INFECTIONS, RESPONSE
from wardround.authoring.assist.planning.cells import Cell
from wardround.benchmarks.assist.sessions import SCENARIOS

# Candidates of a scenario for each of its sessions of a tier or a richer one, and beside these; for
# the few sessions of a small suite at least so many, since most patients support only some forms.
_EACH, _MORE, _LEAST = 1.5, 5, 40
_LINKED = 3  # rules about one drug or test, so that turns of reasoning can go on to others
_STORIED = 8  # candidates with the longest storylines of each scenario, times the tier


def shortlist(candidates: Sequence[Candidate], cells: Sequence[Cell]) -> list[Candidate]:
    """The candidates of each scenario and tier, enough for its sessions and their drops.

    Patients who meet the most rules about one thing, up to three, come first, then patients whom
    another scenario already has, then the smallest records. Sessions of several rules need long
    storylines, so some candidates are chosen for these, and some responses are about infections.
    """
    listed: set[int] = set()
    sessions = Counter((cell.scenario, cell.tier) for cell in cells)
    for scenario in SCENARIOS:
        needed = 0.0
        for tier in sorted((t for s, t in sessions if s == scenario), reverse=True):
            needed += max(_EACH * sessions[scenario, tier] + _MORE, _LEAST)
            fitting = [each for each in candidates if each.tiers.get(scenario, 0) >= tier]
            storied = sorted(fitting, key=lambda each: (-each.storyline, each.rows))
            listed |= {each.subject_id for each in storied[: _STORIED * tier]}
            fitting.sort(
                key=lambda each: (
                    -min(each.storyline, _LINKED),
                    each.subject_id not in listed,
                    each.rows,
                )
            )
            infected = [each for each in fitting if each.is_infected and scenario == RESPONSE]
            first = infected[: int(needed * INFECTIONS)]
            listed |= {each.subject_id for each in (*first, *fitting[: int(needed) - len(first)])}
    return [each for each in candidates if each.subject_id in listed]
