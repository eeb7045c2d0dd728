"""Plans the four turns of a session: a search over drafts under the rules of a suite.

Source: PhysAssistBench, appendix H (session planner) and Table D5 (tools by scenario).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, islice, product
from random import Random
from typing import TypeAlias

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import BoundRule, abnormal_first, latest_values, sharing
from wardround.authoring.assist.facts.storylines import abnormal_tests, suits
from wardround.authoring.assist.planning.cells import LEAVING, Cell
from wardround.authoring.assist.planning.drafts import Draft, drafts, is_result
from wardround.authoring.assist.planning.orders import order_drafts
from wardround.authoring.assist.planning.tier_needs import disagrees, meets_tier
from wardround.benchmarks.assist.suite_counts import scenario_tools
from wardround.benchmarks.assist.tasks import TURNS, WRITES
from wardround.ehr.terms.clinical_rules import clinical_rules, is_of

_TURNS_OF_A_RESOURCE = 2
_RESOURCES = {1: 2, 2: 2, 3: 3}  # resource types that a session reads or writes, by tier
_PASSED = 7  # drafts that the turns of a session pass over, all together
_LOOKED_AT = 40  # drafts of a turn that are looked at, whether they lead on or not
_OFFERED = 5  # drafts of a turn that are offered for a choice
_STORYLINES = 4
# Entities that belong to a storyline only if they have to do with its rule.
_STORIED = ("test", "drug")
# The person is asked for only where a score needs the age, or where no session has done so yet.
_PERSON, _PATIENT = "person", "Patient"
_RESULTS = "Observation"
_STORIED_TURNS = 2  # turns of reasoning that leave no room for resources nobody has used yet
_RELATED = 3  # drugs that stand beside a test
# A resource is rare below this share of the uses of the most used one; in this share of sessions
# the rare ones come before those of the storyline.
_RARE, _COVERING = 0.25, 0.25

Choose: TypeAlias = Callable[[Sequence[Draft], Sequence[Draft]], Draft]


@dataclass
class Planner:
    """Plans sessions, with the resources that earlier ones used least.

    Attributes:
        used: how often each resource and write has been called in sessions of the scenario so far.
        leaves: the sessions take place at the discharge.
        choose: chooses among the drafts of a turn after some turns; None takes the first.
    """

    used: Counter[str]
    leaves: bool = False
    choose: Choose | None = None

    def plan(
        self,
        cell: Cell,
        findings: Sequence[Finding],
        rules: Sequence[BoundRule],
        day: date,
        random: Random,
        critical: Collection[str] = (),
    ) -> tuple[Draft, ...] | None:
        """The four turns of a session; None if the record does not support them.

        Nobody leaves with a critical result, and on the ward a session reads each of them.

        Args:
            cell: the session that is needed.
            findings: the findings of the record and of the patient's memory.
            rules: the rules that the record meets.
            day: the day of the session.
            random: the draws of the session.
            critical: the tests whose latest result is critical.
        """
        tools = scenario_tools(cell.scenario)
        allowed = [each for each in findings if each.call.tool in tools]
        pressing = {Entity("test", test) for test in critical}
        if pressing and (self.leaves or not all(_read(test, allowed) for test in critical)):
            return None
        is_free = cell.arc.count("CR") < _STORIED_TURNS
        is_wanted = is_free and any(not self.used[each.resource] for each in allowed)
        abnormal = abnormal_tests(latest_values(findings))
        suited = [each for each in rules if suits(cell.scenario, each, abnormal)]
        subjects = _subjects(cell, suited, abnormal_first(suited, findings), random)
        subjects = [each for each in subjects if pressing & _watched(each)] or subjects
        for writes, bound in product(self._writes(cell), subjects):
            storyline = linked(bound, rules)
            about = {entity for each in storyline for entity in each.entities}
            beside = about | related_entities(bound, {each.entity for each in findings}) | pressing
            is_personal = any(each.is_personal for each in storyline) or (
                is_free and not self.used[_PATIENT]
            )
            story = [
                each
                for each in allowed
                if each.entity in beside
                or (bound.is_score and not bound.drug and each.entity.kind == "drug")
                or (each.entity.kind not in _STORIED and (is_personal or each.kind != _PERSON))
            ]
            random.shuffle(story)
            shared = _shares(cell, storyline)
            covers = random.random() < _COVERING or is_wanted
            story.sort(
                key=lambda each: (
                    each.entity not in pressing,
                    not (covers and self._is_rare(each)),
                    each.entity not in bound.entities,
                    -shared[each.entity],
                    self.used[each.resource],
                )
            )
            search = _Search(cell, story, storyline, day, writes, critical)
            if turns := search.chosen_turns(self.choose) if self.choose else search.turns():
                return turns
        return None

    def _writes(self, cell: Cell) -> list[list[str]]:
        """The tools that a write turn may use: the one used least, then any."""
        tools = rare_writes(cell, self.used)
        if "WU" not in cell.arc:
            return [tools]
        is_renewal = self.leaves and cell.scenario != LEAVING
        return [tools[:1]] if is_renewal else [tools[:1], tools]

    def _is_rare(self, finding: Finding) -> bool:
        used, most = self.used[finding.resource], max(self.used.values(), default=0)
        return used < most * _RARE


@dataclass(frozen=True)
class _Search:
    """A search for the turns of one storyline.

    Each turn tries its drafts in order, and a session passes over a limited number of them in all
    its turns together. So no turn uses up the search, and the best drafts of each are tried with
    the best of the others (limited discrepancy search, Harvey and Ginsberg 1995).
    """

    cell: Cell
    findings: Sequence[Finding]
    rules: Sequence[BoundRule]
    day: date
    writes: Collection[str]
    critical: Collection[str] = ()

    def turns(
        self, history: tuple[Draft, ...] = (), passed: int = _PASSED
    ) -> tuple[Draft, ...] | None:
        """The turns after some; None if there are none within the limit.

        Args:
            history: the turns before.
            passed: the drafts that these and the next turns may still pass over.
        """
        if len(history) == TURNS:
            return history if self._is_whole(history) else None
        for place, draft in enumerate(islice(self._leading_on(history), passed + 1)):
            if found := self.turns((*history, draft), passed - place):
                return found
        return None

    def _leading_on(self, history: tuple[Draft, ...]) -> Iterator[Draft]:
        """The first drafts of the next turn that leave a draft for the turn after it."""
        for draft in islice(self._fitting(history), _LOOKED_AT):
            turns = (*history, draft)
            if len(turns) == TURNS or any(True for _ in self._fitting(turns)):
                yield draft

    def chosen_turns(self, choose: Choose) -> tuple[Draft, ...] | None:
        """The turns that are chosen one by one; None if there are none within the limit."""
        history: tuple[Draft, ...] = ()
        while len(history) < TURNS:
            options = list(islice(self._feasible(history), _OFFERED))
            if not options:
                return None
            history = (*history, choose(history, options) if len(options) > 1 else options[0])
        return history

    def _feasible(self, history: tuple[Draft, ...]) -> Iterator[Draft]:
        """The drafts of the next turn that a whole session can go on with."""
        fitting = islice(self._fitting(history), _PASSED + 1)
        return (draft for draft in fitting if self.turns((*history, draft)))

    def _fitting(self, history: tuple[Draft, ...]) -> Iterator[Draft]:
        """The drafts of the next turn under the rules of a session."""
        return (each for each in self._drafts(history) if self._fits(each, history))

    def _drafts(self, history: tuple[Draft, ...]) -> Iterator[Draft]:
        number = len(history)
        type = self.cell.arc[number]
        form = self.cell.forms[number - 1] if number else None
        if type == "WU":
            yield from order_drafts(form, history, self.rules, self.day, self.writes)
        else:
            left = self._unread(self.findings, history)
            yield from drafts(type, form, history, left, self.rules)

    def _unread(self, findings: Sequence[Finding], history: Sequence[Draft]) -> list[Finding]:
        """The findings of new calls, of resources that another turn may read."""
        read = Counter(name for each in history for name in set(_resources(each)))
        made = [finding.call for draft in history for finding in draft.findings]
        return [
            each
            for each in findings
            if read[each.resource] < _TURNS_OF_A_RESOURCE and each.call not in made
        ]

    def _fits(self, draft: Draft, history: tuple[Draft, ...]) -> bool:
        """True if no resource has too many turns, and the patient is asked in one turn at most."""
        turns = [*history, draft]
        resources = Counter(name for each in turns for name in set(_resources(each)))
        asked = sum(each.source in ("patient", "mixed") for each in turns)
        most = max(resources.values(), default=0)
        if most > _TURNS_OF_A_RESOURCE or asked > 1 or not self._has_evidence(turns):
            return False
        left = sum(type != "WU" for type in self.cell.arc[len(turns) :])
        has_room = left > 0 and resources[_RESULTS] < _TURNS_OF_A_RESOURCE
        return has_room or self._reads_critical(turns)

    def _reads_critical(self, turns: Sequence[Draft]) -> bool:
        """True if some turns have read every critical result."""
        findings = [finding for draft in turns for finding in draft.findings]
        return all(_read(test, findings) for test in self.critical)

    def _has_evidence(self, turns: Sequence[Draft]) -> bool:
        """True if the result that the last turn's advice repeats was read.

        Few records have three rules about one drug or test; their results would fill more turns
        than a type of resource has.
        """
        last = turns[-1]
        if not last.rule or last.type != "CR" or not last.rule.is_watched or _is_long(self.cell):
            return True
        return _read(last.rule.rule.recheck, [each for draft in turns for each in draft.findings])

    def _is_whole(self, turns: tuple[Draft, ...]) -> bool:
        """True if a session asks the patient and is about enough types of resources.

        Where a rule holds only by what the patient tells, a turn has to depend on it.
        """
        resources = {name for draft in turns for name in _resources(draft)}
        recorded = {name for name in resources if not name.startswith("patient.")}
        recorded |= {draft.order.tool.partition(".")[0] for draft in turns if draft.order}
        asked = any(draft.source in ("patient", "mixed") for draft in turns)
        is_told = any(bound.is_told for bound in self.rules)
        is_turned = not is_told or self._turns_on_it(turns)
        is_scored = not self._is_scored() or any(each.rule == self.rules[0] for each in turns)
        is_deep = meets_tier(self.cell.tier, turns)
        return (
            asked
            and is_varied(turns)
            and self._reads_critical(turns)
            and is_turned
            and is_scored
            and is_deep
            and len(recorded) >= _RESOURCES[self.cell.tier]
        )

    def _is_scored(self) -> bool:
        """True if the storyline begins with a score that a turn has to reason about."""
        return self.rules[0].is_score and "CR" in self.cell.arc

    def _turns_on_it(self, turns: tuple[Draft, ...]) -> bool:
        """True if a turn rests on what the patient tells, or an untaken drug comes to light."""
        is_bought = any(bound.is_told and bound.beside for bound in self.rules)
        if is_bought or {"CR", "WU"} & set(self.cell.arc):
            return any(draft.rule and draft.rule.is_told for draft in turns)
        return disagrees(turns)


def is_varied(turns: Sequence[Draft]) -> bool:
    """True if a session is about two drugs or tests at least, and about none in every turn."""
    named = [{each for each in draft.entities if each.kind in _STORIED} for draft in turns]
    return len(set.union(*named)) > 1 and not set.intersection(*named)


def rare_writes(cell: Cell, used: Mapping[str, int]) -> list[str]:
    """The tools that write in the scenario of a cell, the one used least first."""
    tools = scenario_tools(cell.scenario) & set(WRITES)
    return sorted(tools, key=lambda tool: (used.get(tool, 0), tool))


def _subjects(
    cell: Cell, rules: Sequence[BoundRule], abnormal: Sequence[BoundRule], random: Random
) -> list[BoundRule]:
    """The rules that storylines begin with.

    They are what the patient tells, or else the most abnormal result and scores, then any.
    """
    if told := [bound for bound in rules if bound.is_told]:
        return told
    fitting = [bound for bound in rules if _carries(bound, cell)]
    scores = [bound for bound in fitting if bound.is_score] if "CR" in cell.arc else []
    first = [[each for each in abnormal if each in fitting][:1], scores]
    drawn = random.sample(fitting, min(len(fitting), _STORYLINES))
    return list(dict.fromkeys(chain(*random.sample(first, len(first)), drawn)))


def _carries(bound: BoundRule, cell: Cell) -> bool:
    """True if the abstract question of a cell can rest on two arguments of a rule.

    Where two findings are compared instead, any rule will do.
    """
    type = cell.arc[1 + cell.forms.index("AE")]
    arguments = {*bound.entities}
    match type:
        case "IL":
            return bool(bound.measure) and len(arguments - {Entity("test", bound.measure)}) > 1
        case "CR":
            return len(arguments) > 1
        case "WU":
            return bool(bound.beside) or (bool(bound.measure) and len(arguments) > 1)
        case _:
            return True


def linked(bound: BoundRule, rules: Sequence[BoundRule]) -> list[BoundRule]:
    """A rule with those that share a drug or test with it, then those that share one with these.

    So a session can go on to what stands beside its first drug.
    """
    near = sharing(bound, rules)
    done = {each.object: each.rule.action for each in near}
    found = list(near)
    for each in chain.from_iterable(sharing(other, rules) for other in near[1:]):
        if each not in found and done.setdefault(each.object, each.rule.action) == each.rule.action:
            found.append(each)
    return found


def _shares(cell: Cell, storyline: Sequence[BoundRule]) -> Counter[Entity]:
    """The number of rules about each entity, which counts as one in all but the longest sessions.

    Three turns of reasoning about one entity fit only if the first turn is about it as well.
    """
    counts = Counter(entity for bound in storyline for entity in bound.entities)
    return counts if _is_long(cell) else Counter(dict.fromkeys(counts, 1))


def _is_long(cell: Cell) -> bool:
    """True for a session with as many turns of reasoning as there can be."""
    return cell.arc.count("CR") == TURNS - 1


def _read(test: str, findings: Sequence[Finding]) -> bool:
    """True if the latest result of a test is among some findings."""
    return any(is_result(each, test) for each in findings)


def _watched(bound: BoundRule) -> set[Entity]:
    """The tests that a rule is about, and the one that its advice repeats."""
    return {Entity("test", test) for test in (*bound.tests, bound.rule.recheck)}


def _resources(draft: Draft) -> list[str]:
    return [finding.resource for finding in draft.findings]


def called_by(draft: Draft) -> list[str]:
    """The resources that a turn reads, and the tool that it writes by."""
    return [*_resources(draft), *([draft.order.tool] if draft.order else [])]


def related_entities(bound: BoundRule, recorded: Collection[Entity]) -> set[Entity]:
    """The tests that rules watch the drugs of a rule by, and drugs whose rules watch its test."""
    tests = {Entity("test", bound.rule.recheck)}
    watched = {bound.rule.test, bound.rule.recheck}
    drugs = []
    for rule in clinical_rules():
        if any(
            name and rule.drug and is_of(name, rule.drug) for name in (bound.drug, bound.beside)
        ):
            tests |= {Entity("test", rule.test), Entity("test", rule.recheck)}
        if rule.drug and watched & {rule.test, rule.recheck}:
            drugs += [e for e in recorded if e.kind == "drug" and is_of(e.name, rule.drug)]
    beside = sorted(dict.fromkeys(drugs), key=lambda entity: entity.name)[:_RELATED]
    return {entity for entity in (*tests, *beside) if entity in recorded}
