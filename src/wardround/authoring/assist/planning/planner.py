"""Plans the four turns of a session: a storyline, then a search for its turns.

Source: PhysAssistBench, appendix H (session planner) and Table D5 (tools by scenario).
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice, product
from random import Random
from typing import TypeAlias

from wardround.authoring.assist.facts.chosen_rules import abnormal_first, latest_values
from wardround.authoring.assist.facts.findings import Entity, Finding, resource_of
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.scenarios import (
    abnormal_tests,
    belongs,
    is_of_infection,
    suits,
)
from wardround.authoring.assist.planning.cells import LEAVING, Cell
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.evidence import is_read
from wardround.authoring.assist.planning.feasibility import Material
from wardround.authoring.assist.planning.session_search import (
    PASSED,
    Choose,
    SessionSearch,
    is_varied,
    resources_of,
)
from wardround.authoring.assist.planning.storylines import (
    Storyline,
    other_storylines,
    related_entities,
    storylines,
)
from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.benchmarks.assist.sessions import WRITES

# The first rule of a storyline, and the tools of its write.
Opening: TypeAlias = tuple[BoundRule, tuple[str, ...]]
# Entities that belong to a storyline only if they have to do with its rules.
_STORIED = ("test", "drug")
# The person is asked for only where a score needs the age, or where no session has done so yet.
_PERSON, _PATIENT = "person", "Patient"
_WHOLE = 80  # sessions of a storyline among which one about several things is looked for
_STORIED_TURNS = 2  # turns of reasoning that leave no room for resources nobody has used yet
# A resource is rare below this share of the uses of the most used one; in this share of sessions
# the rare ones come before those of the storyline.
_RARE, _COVERING = 0.25, 0.25
# A resource above the first share of all reads is frequent. At most the second share of a session's
# findings may be of frequent ones; if no session keeps to it, the one that exceeds it least counts.
_FREQUENT, MOST_READ = 0.37, 0.4


@dataclass
class Planner:
    """Plans sessions, with the resources that earlier ones used least.

    Attributes:
        used: how often each resource and write has been called in sessions of the scenario so far.
        leaves: the sessions take place at the discharge.
        choose: chooses among the drafts of a turn after some turns; None takes the first.
        of_infection: a response to a treatment is about an infection, if there is one.
        required: the tool that a session has to use; "" if any will do.
        passed: the drafts that the turns of a session may pass over, all together.
        hopeless: the storylines of the same findings and rules that have no session in any order.
    """

    used: Counter[str]
    leaves: bool = False
    choose: Choose | None = None
    of_infection: bool = False
    required: str = ""
    passed: int = PASSED
    hopeless: set[Opening] = field(default_factory=set)

    def plan(
        self,
        cell: Cell,
        findings: Sequence[Finding],
        rules: Sequence[BoundRule],
        day: date,
        random: Random,
        critical: Collection[str] = (),
        pressing: Collection[str] = (),
    ) -> tuple[Draft, ...] | None:
        """The four turns of a session; None if the record does not support them.

        A patient with a critical result is not discharged; on the ward, the session begins with it.

        Args:
            cell: the session that is needed.
            findings: the findings of the record and of the patient's memory.
            rules: the rules that the record meets.
            day: the day of the session.
            random: the draws of the session.
            critical: the tests whose latest result is critical.
            pressing: the tests whose latest result nobody leaves unsaid.
        """
        tools = scenario_tools(cell.scenario)
        allowed = [each for each in findings if each.call.tool in tools]
        if critical and (self.leaves or not all(is_read(test, allowed) for test in critical)):
            return None
        first_read = {Entity("test", test) for test in critical}
        abnormal = abnormal_tests(latest_values(findings))
        rules = [each for each in rules if belongs(cell.scenario, each)]
        suited = [each for each in rules if suits(cell.scenario, each, abnormal)]
        if first_read:
            suited = [each for each in suited if first_read & _watched(each)]
        elif self.of_infection:
            suited = [each for each in suited if is_of_infection(each)] or suited
        unsaid = pressing if {"CR", "WU"} & {*cell.arc} else ()
        first = abnormal_first(suited, findings)
        drawn = list(storylines(cell, rules, suited, first, random))
        frequent = frequent_resources(self.used)
        others: list[tuple[Draft, ...]] = []
        varied: list[tuple[Draft, ...]] = []
        for batch in (drawn, other_storylines(cell, rules, suited, drawn)):
            for writes, storyline in product(self._writes(cell), batch):
                told = _heeded(allowed, storyline, unsaid)
                story = self._story(cell, storyline, told, first_read, random)
                search = SessionSearch(
                    cell, story, storyline.rules, day, writes, critical, pressing,
                    self.required, self.passed,
                )  # fmt: skip
                for turns in islice(self._sessions(search), _WHOLE):
                    (varied if is_varied(turns) else others).append(turns)
                    if varied and not frequent:
                        break
                varied.sort(key=lambda turns: excess(_read(turns), frequent))
                if varied and excess(_read(varied[0]), frequent) <= 0:
                    return varied[0]
            if varied or others:
                break
        return next(iter([*varied, *others]), None)

    def _sessions(self, search: SessionSearch) -> Iterator[tuple[Draft, ...]]:
        """The sessions of a storyline; one if its turns are chosen."""
        opening = search.rules[0], tuple(search.writes)
        if opening in self.hopeless:
            return
        if not Material(search.cell, search.findings, search.rules, search.writes).suffices():
            self.hopeless.add(opening)
        elif not self.choose:
            if (yield from search.sessions()):
                self.hopeless.add(opening)
        elif turns := search.chosen_turns(self.choose):
            yield turns

    def _story(
        self,
        cell: Cell,
        storyline: Storyline,
        allowed: Sequence[Finding],
        pressing: Collection[Entity],
        random: Random,
    ) -> list[Finding]:
        """The findings that belong to a storyline, those that a session needs most first."""
        first, is_free = storyline.first, cell.arc.count("CR") < _STORIED_TURNS
        beside = storyline.entities | {*pressing}
        beside |= {Entity("test", test) for each in storyline.rules for test in each.monitored}
        beside |= related_entities(first, {each.entity for each in allowed})
        required = resource_of(self.required)
        is_personal = any(each.is_personal for each in storyline.rules) or (
            required == _PATIENT or (is_free and not self.used[_PATIENT])
        )
        story = [
            each
            for each in allowed
            if each.entity in beside
            or (first.is_score and not first.drug and each.entity.kind == "drug")
            or (each.entity.kind not in _STORIED and (is_personal or each.kind != _PERSON))
        ]
        random.shuffle(story)
        is_wanted = is_free and any(not self.used[each.resource] for each in allowed)
        covers = random.random() < _COVERING or is_wanted
        shared = Counter(entity for bound in storyline.rules for entity in bound.entities)
        story.sort(
            key=lambda each: (
                each.entity not in pressing,
                each.resource != required,
                each.entity.kind != "patient",
                self._rare_uses(each) if covers else 0,
                each.entity not in first.entities,
                each.entity not in storyline.abstract.entities,
                -shared[each.entity],
                self.used[each.resource],
            )
        )
        return story

    def _writes(self, cell: Cell) -> list[list[str]]:
        """The tools that a write turn may use: the one used least, then any."""
        tools = rare_writes(cell, self.used)
        if "WU" not in cell.arc:
            return [tools]
        if self.required in tools:
            return [[self.required]]
        is_renewal = self.leaves and cell.scenario != LEAVING
        return [tools[:1]] if is_renewal else [tools[:1], tools]

    def _rare_uses(self, finding: Finding) -> float:
        """The uses of a finding's resource if it is rare, so that it comes before all others."""
        used, most = self.used[finding.resource], max(self.used.values(), default=0)
        return min(used, most * _RARE)


def frequent_resources(used: Mapping[str, int]) -> set[str]:
    """The types of resources that are too large a share of what sessions read.

    >>> frequent_resources({"Observation": 5, "Condition": 3, "Patient": 2, "Flag.create": 9})
    {'Observation'}
    """
    reads = {name: count for name, count in used.items() if "." not in name}
    return {name for name, count in reads.items() if count > _FREQUENT * sum(reads.values())}


def excess(read: Sequence[str], resources: Collection[str]) -> float:
    """The findings that a session reads of some resources, less the most that they may be.

    Args:
        read: the type of resource of each finding.
        resources: the types of resources that all sessions read often.
    """
    return sum(name in resources for name in read) - MOST_READ * len(read)


def _read(turns: Sequence[Draft]) -> list[str]:
    return [name for draft in turns for name in resources_of(draft)]


def rare_writes(cell: Cell, used: Mapping[str, int]) -> list[str]:
    """The tools that write in the scenario of a cell, the one used least first."""
    tools = scenario_tools(cell.scenario) & set(WRITES)
    return sorted(tools, key=lambda tool: (used.get(tool, 0), tool))


def _heeded(
    findings: Sequence[Finding], storyline: Storyline, pressing: Collection[str]
) -> list[Finding]:
    """The findings without those of a pressing result that no rule of a storyline is about."""
    about = {entity for bound in storyline.rules for entity in _watched(bound)}
    return [each for each in findings if each.entity.name not in pressing or each.entity in about]


def _watched(bound: BoundRule) -> set[Entity]:
    """The tests that a rule is about, and the one that its advice repeats."""
    return {Entity("test", test) for test in (*bound.tests, bound.rule.recheck)}
