"""Progress of a scenario: resources and patients of its filled cells, and who is tried next."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeAlias

from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.facts.scenarios import RESPONSE
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.planning.cells import Cell, Forms
from wardround.authoring.assist.session_lines import Line
from wardround.benchmarks.assist.sessions import Scenario

# The patients that a cell is filled from: those without a session of the scenario, all patients, or
# all patients with the storylines that their sessions told, in the end with other draws.
Reach: TypeAlias = Literal["unused", "all", "again", "redrawn"]
RETOLD: tuple[Reach, ...] = ("again", "redrawn")
# A patient, and the names of rules.
Told: TypeAlias = tuple[int, frozenset[str]]
ENOUGH = 6  # rules of a patient; beyond these the order of the seed decides
OWN = 2  # rules that a patient of another scenario has to have more


@dataclass
class Progress:
    """The patients and resources that earlier cells of a scenario used.

    Attributes:
        resources: how often each type of resource was called.
        patients: the number of sessions of each patient.
        barred: the patients that get no session, since readers flagged theirs.
        stories: how often patients differed from their chart in each way.
        avoided: how often answers and orders avoided each drug.
        told: the patients and rules of the sessions that turn on any rule.
        vain: the number of cells that each patient was tried for without a session.
    """

    resources: Counter[str] = field(default_factory=Counter)
    patients: Counter[int] = field(default_factory=Counter)
    barred: set[int] = field(default_factory=set)
    stories: Counter[str] = field(default_factory=Counter)
    avoided: Counter[str] = field(default_factory=Counter)
    told: set[Told] = field(default_factory=set)
    vain: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True)
class Filled:
    """A cell with its session, or without one if no patient supports it.

    Attributes:
        candidate: the stay that the session is about.
        line: the session.
        called: the resources of its gold calls, and the tool of its order.
        story: the way in which the patient differs from the chart; "" for none.
        avoided: the drugs that its answers and its order avoid.
        vain: the patients that were tried before without a session.
        retold: those of them whose storyline another session had told.
        counts: the turns at the gates.
        traded: the empty cell that has other forms in exchange for those of this one, with them.
    """

    candidate: Candidate | None = None
    line: Line | None = None
    called: tuple[str, ...] = ()
    story: str = ""
    avoided: tuple[str, ...] = ()
    vain: tuple[int, ...] = ()
    retold: tuple[int, ...] = ()
    counts: GateCounts = field(default_factory=GateCounts)
    traded: tuple[int, Forms] | None = None


def use(progress: Progress, filled: Filled) -> None:
    """Counts the patients and resources of a tried cell as used."""
    progress.vain.update(filled.vain)
    if filled.candidate:
        progress.resources.update(filled.called)
        progress.patients[filled.candidate.subject_id] += 1
        progress.stories[filled.story] += 1
        progress.avoided.update(filled.avoided)
        if filled.line and (told := told_rules(filled.line))[1]:
            progress.told.add(told)


def told_rules(line: Line) -> Told:
    """The patient of a session, and the rules that its rubrics cite."""
    sources = (e for turn in line["rubric_sources"] for item in turn for e in item)
    return line["subject_id"], frozenset(e["rule"] for e in sources if e["kind"] == "cited")


def is_told_again(line: Line, told: Iterable[Told]) -> bool:
    """True if another session tells the same of its patient, with more rules or fewer.

    >>> cited = [[[{"kind": "cited", "rule": "lactate", "field": "risk"}]]]
    >>> is_told_again({"subject_id": 7, "rubric_sources": cited}, [(7, frozenset({"lactate"}))])
    True
    """
    subject, rules = told_rules(line)
    others = [each for patient, each in told if patient == subject]
    return bool(rules) and any(rules <= each or each <= rules for each in others)


def shuffled(candidates: Sequence[Candidate], scenario: Scenario, seed: int) -> list[Candidate]:
    """The candidates in the order in which a scenario begins with them."""
    return sorted(
        candidates, key=lambda each: Random(f"{seed} {scenario} {each.subject_id}").random()
    )


def in_turn(
    candidates: Sequence[Candidate],
    cell: Cell,
    progress: Progress,
    reach: Reach = "unused",
    *,
    of_infection: bool = False,
) -> list[Candidate]:
    """The patients for a cell: those with the longest storylines that were least tried in vain.

    Those of other scenarios come last, and those with sessions of this one after all others.

    Args:
        candidates: the candidates.
        cell: the cell.
        progress: what earlier cells used.
        reach: which of them the cell is filled from.
        of_infection: infections come first, else last.
    """
    unavailable = progress.barred | ({*progress.patients} if reach == "unused" else set())
    fitting = [
        each
        for each in candidates
        if each.tiers.get(cell.scenario, 0) >= cell.tier and each.subject_id not in unavailable
    ]

    def order(each: Candidate) -> tuple[int, int]:
        is_apt = cell.scenario == RESPONSE and each.is_infected == of_infection
        asked = ENOUGH if is_apt else 0
        home_bonus = OWN if each.home == cell.scenario else 0
        vain = progress.vain[each.subject_id]
        promise = min(each.storyline, ENOUGH) + asked + home_bonus
        return progress.patients[each.subject_id], vain - promise

    return sorted(fitting, key=order)


def rarity(used: int) -> float:
    """The weight in a draw of what was used this often; less for what was used more."""
    return 1 / (1 + used) ** 2
