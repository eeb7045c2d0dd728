"""Drafts of turns, and what those of a session have told so far."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.evidence import COURSE, is_charted, is_told
from wardround.benchmarks.assist.sessions import Source, Subtype, TaskType
from wardround.ehr.terms.panels import panel_tests

# Kinds of findings about the two ends of a course.
_ENDS = ("lab_first", "lab_latest", "vital_value")


class Adding(NamedTuple):
    """A drug that adds to a risk of other drugs, and the name of the rule that says so."""

    drug: str
    rule: str


@dataclass(frozen=True)
class Draft:
    """A turn before it has words.

    Attributes:
        type: the type of task.
        form: the implicit form; None for the first turn.
        source: where its answer is found.
        findings: what its calls find.
        rule: what the findings of this turn and earlier ones mean; of an abstract question for a
            result, the harm that the result shows.
        order: the gold write.
        named: the entities that its implicit question names.
        omitted: the entities that it leaves out, each with the turn that it comes from.
        instead: the write that its question asks for if the patient tells otherwise.
        echoed: the turn whose question its fragment asks again about another entity.
        asked_risks: other risks that earlier turns asked for, beyond which it asks for one.
        meant_drugs: the drugs of earlier turns that the answer to an abstract question of reasoning
            about "all of that" is about, and those that a flag means by "those drugs".
        meant_results: the tests whose results in earlier turns that answer rests on.
        adding: the drugs of its turns that add to the risk of its rule, beside the rule's own.
        refused: a drug of earlier turns that its write must not be of; "" if there is none.
        recalls: it leaves out the drug that the session began with, and says so.
        searches: the searches without a finding that its rule rests on.
    """

    type: TaskType
    form: Subtype | None
    source: Source
    findings: tuple[Finding, ...] = ()
    rule: BoundRule | None = None
    order: PlannedCall | None = None
    named: tuple[Entity, ...] = ()
    omitted: tuple[tuple[Entity, int], ...] = ()
    instead: PlannedCall | None = None
    echoed: int | None = None
    asked_risks: tuple[str, ...] = ()
    meant_drugs: tuple[str, ...] = ()
    meant_results: tuple[Entity, ...] = ()
    adding: tuple[Adding, ...] = ()
    refused: str = ""
    recalls: bool = False
    searches: tuple[PlannedCall, ...] = ()

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """The subjects of the turn."""
        subjects = (finding.entity for finding in self.findings)
        return tuple(dict.fromkeys((*subjects, *(self.rule.entities if self.rule else ()))))

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The type of resource that each finding is read from."""
        return tuple(finding.resource for finding in self.findings)

    @cached_property
    def topics(self) -> frozenset[tuple[Entity, str]]:
        """The topics of its findings; the course of a result has its first and latest value too."""
        topics = {finding.topic for finding in self.findings}
        ends = {(each, end) for each, kind in topics if kind == COURSE for end in _ENDS}
        return frozenset(topics | ends)

    @property
    def asks(self) -> bool:
        """True if its answer is asked of the patient, alone or beside the record."""
        return self.source in ("patient", "mixed")

    @property
    def bound(self) -> BoundRule:
        """The rule of a turn that has one."""
        if not self.rule:
            raise ValueError("A turn without a rule has no reasoning to word.")
        return self.rule

    @property
    def other_causes(self) -> tuple[str, ...]:
        """The drugs beside the first one of its rule that do harm: the second, and what adds."""
        names = (self.bound.beside, *(each.drug for each in self.adding))
        return tuple(name for name in names if name)

    @property
    def write(self) -> PlannedCall:
        """The order of a turn that has one."""
        if not self.order:
            raise ValueError("A turn without an order has no write to word.")
        return self.order

    @cached_property
    def charted(self) -> tuple[str, ...]:
        """The drugs whose orders or doses it found."""
        findings = self.findings
        return tuple(e.entity.name for e in findings if is_charted(e, e.entity.name))

    @cached_property
    def bought(self) -> frozenset[str]:
        """The drugs that it told the patient to have bought."""
        slots = (each.slots["other"] for each in self.findings if "other" in each.slots)
        return frozenset(str(each.source.value) for each in slots)

    @cached_property
    def calls(self) -> tuple[PlannedCall, ...]:
        """The gold calls, each once."""
        calls = [finding.call for finding in self.findings]
        written = [self.order] if self.order else []
        return tuple(_unique([*calls, *self.searches, *written]))

    @property
    def seeks_level(self) -> bool:
        """True if it looks for a drug level that the record does not have."""
        return any(each.tool == "Observation.search" for each in self.searches)


History = Sequence[Draft]


def discussed_entities(history: History) -> set[Entity]:
    """The entities that turns were about."""
    return set[Entity]().union(*(draft.entities for draft in history))


def harms(
    history: History, rules: Sequence[BoundRule]
) -> list[tuple[BoundRule, dict[Entity, set[int]]]]:
    """The rules whose harm follows from two earlier turns together, with the turns of their causes.

    Nobody can tell the harm without both turns. Where it would show in several tests, or where the
    turns told of another drug, a question could mean any of these, so there is none.
    """
    discussed = discussed_entities(history)
    harmful = []
    for bound in rules:
        if not bound.measure or bound.is_taken or not discussed.issuperset(bound.causes):
            continue
        turns = turns_of_arguments(bound, history)
        turns.pop(Entity("test", bound.measure), None)
        if rests_on_two(turns):
            harmful.append((bound, turns))
    if len({bound.measure for bound, _ in harmful}) != 1:
        return []
    drugs = told_drugs(history).keys()
    return [(bound, turns) for bound, turns in harmful if drugs <= {bound.drug, bound.beside}]


def told_drugs(history: History) -> dict[str, None]:
    """The drugs of some turns in order, those that the patient bought after the others."""
    named = (e.name for draft in history for e in draft.entities if e.kind == "drug")
    return dict.fromkeys((*named, *sorted(bought_drugs(history))))


def charted_drugs(history: History) -> list[str]:
    """The drugs whose orders or doses some turns found, in order."""
    return list(dict.fromkeys(name for draft in history for name in draft.charted))


def told_topics(history: History) -> set[tuple[Entity, str]]:
    """The topics of some turns."""
    return set[tuple[Entity, str]]().union(*(draft.topics for draft in history))


def last_turns(history: History) -> dict[Entity, int]:
    """The entities that some turns were about, each with the last turn."""
    return {entity: turn for turn, draft in enumerate(history) for entity in draft.entities}


def bought_drugs(history: History) -> set[str]:
    """The drugs that some turns told the patient to have bought."""
    return {name for draft in history for name in draft.bought}


def turns_of_arguments(bound: BoundRule, history: History) -> dict[Entity, set[int]]:
    """The earlier turns that found each argument of a rule: drugs, results, the patient's account.

    The account of a drug, and a drug that only the patient told of, count for the turn that told. A
    drug that is not taken is one of the chart and of the account, so it counts for the turns that
    found its orders or doses.
    """
    turns = {entity: set(turns_of(entity, history)) for entity in bound.entities}
    if bound.rule.action == "resupply":
        drug = Entity("drug", bound.drug)
        turns[drug] = {
            number
            for number, draft in enumerate(history)
            if any(is_charted(each, bound.drug) for each in draft.findings)
        }
    if bound.is_told:
        accounts = {
            number
            for number, draft in enumerate(history)
            if any(is_told(each, bound.drug) for each in draft.findings)
        }
        turns[Entity("patient", bound.drug)] = accounts
    return turns


def rests_on_two(turns: Mapping[Entity, Collection[int]]) -> bool:
    """True if two different turns brought in the arguments, each the first that was about it.

    >>> a, b = Entity("drug", "warfarin"), Entity("drug", "aspirin")
    >>> rests_on_two({a: {0}, b: {1}}), rests_on_two({a: {0, 1}, b: {0}}), rests_on_two({a: {0, 1}})
    (True, False, False)
    """
    return len({min(numbers) for numbers in turns.values() if numbers}) > 1


def placed_arguments(
    bound: BoundRule, turns: Mapping[Entity, Collection[int]]
) -> tuple[tuple[Entity, int], ...]:
    """The arguments of a rule with their turns; an account is one of its drug."""
    drug = Entity("drug", bound.drug)
    placed = [
        (drug if entity.kind == "patient" else entity, turn)
        for entity, numbers in turns.items()
        for turn in sorted(numbers)
    ]
    return tuple(dict.fromkeys(placed))


def is_advised(bound: BoundRule, history: History) -> bool:
    """True if an earlier turn advised a panel that has the test which a rule's advice repeats."""
    panels = [draft.rule.panel for draft in history if draft.type == "CR" and draft.rule]
    return any(bound.rule.recheck in panel_tests(panel) for panel in panels)


def pronouns(history: History) -> dict[Entity, int]:
    """The entities that "it" can mean, each with the last turn that was about it.

    An entity is meant if it is the only one of its kind in the turn before, or, where that turn
    was about none of the kind, in the whole session. A turn about a drug and one that the patient
    bought, or that its answer advises, was about two drugs. One about "all of that" was about every
    drug that was told. An abstract question that left an entity out has not named it, so it is
    meant only if it is the only one in the session.
    """
    if not history:
        return {}
    bound = history[-1].rule
    other = (bound.beside if bound.is_told else bound.given) if bound else ""
    last = {*history[-1].entities, *([Entity("drug", other)] if other else [])}
    if history[-1].form == "AE" and history[-1].type == "CR":
        last |= {Entity("drug", name) for name in told_drugs(history)}
    told, unnamed = last_turns(history), _unnamed(history[-1])
    near, kinds = [entity.kind for entity in last], [entity.kind for entity in told]
    meant = {}
    for entity, turn in told.items():
        is_only, is_near = kinds.count(entity.kind) == 1, entity.kind in near
        is_last = near.count(entity.kind) == 1 and entity in last
        if (is_only and not is_near) or (is_last and (is_only or entity not in unnamed)):
            meant[entity] = turn
    return meant


def recalled(history: History) -> dict[Entity, int]:
    """The drug that "the drug we began with" means, with its turn; none if "it" can mean it too."""
    first, *others = history[0].entities
    is_drug = first.kind == "drug" and not others
    return {first: 0} if is_drug and first not in pronouns(history) else {}


def _unnamed(draft: Draft) -> set[Entity]:
    """The entities that an abstract question left out, and that its turn did not look up."""
    looked_up = {finding.entity for finding in draft.findings}
    left_out = {entity for entity, _ in draft.omitted} if draft.form == "AE" else set()
    return left_out - looked_up


def vague_entities(history: History) -> set[Entity]:
    """The entities that earlier turns told beside others of their kind.

    After two drugs, "the latest order" could be the order of either.
    """
    discussed = discussed_entities(history)
    kinds = [entity.kind for entity in discussed]
    return {entity for entity in discussed if kinds.count(entity.kind) > 1}


def turns_of(entity: Entity, history: History) -> list[int]:
    """The turns that were about an entity."""
    return [turn for turn, draft in enumerate(history) if entity in draft.entities]


def fresh_findings(history: History, findings: Iterable[Finding]) -> list[Finding]:
    """The findings about what no turn has told."""
    told = told_topics(history)
    return [finding for finding in findings if finding.topic not in told]


def source_of(findings: Iterable[Finding]) -> Source:
    """Where a turn with some findings has its answer from: the record, the patient or both."""
    asked = {finding.call.tool.startswith("patient.") for finding in findings}
    return "ehr" if asked == {False} else "patient" if asked == {True} else "mixed"


def meant_entities(form: Subtype | None, history: History) -> dict[Entity, int]:
    """The entities that a question can leave out; a fragment only those of the turn before."""
    meant, last = pronouns(history), len(history) - 1
    return {entity: turn for entity, turn in meant.items() if form != "PE" or turn == last}


def _unique(calls: Iterable[PlannedCall]) -> list[PlannedCall]:
    seen: list[PlannedCall] = []
    for call in calls:
        if call not in seen:
            seen.append(call)
    return seen
