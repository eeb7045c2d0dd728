"""Storylines: the rules that a session can be about, and the findings that belong to them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random

from wardround.authoring.assist.facts.findings import Entity
from wardround.authoring.assist.facts.rules import BoundRule, pairs, sharing
from wardround.authoring.assist.planning.cells import Cell
from wardround.ehr.terms.clinical_rules import clinical_rules, is_of, is_of_any

_STORYLINES = 4  # that are drawn beside the first
_RELATED = 3  # drugs that stand beside a test


@dataclass(frozen=True)
class Storyline:
    """The rules of a session.

    Attributes:
        first: the rule that it begins with.
        abstract: the rule that its abstract question can rest on.
        rules: the first rule, and those that share a drug or test with it or with these.
    """

    first: BoundRule
    abstract: BoundRule
    rules: Sequence[BoundRule]

    @property
    def entities(self) -> set[Entity]:
        """The drugs and tests of all rules."""
        return {entity for each in self.rules for entity in each.entities}


def storylines(
    cell: Cell,
    rules: Sequence[BoundRule],
    suited: Sequence[BoundRule],
    abnormal: Sequence[BoundRule],
    random: Random,
) -> Iterator[Storyline]:
    """The storylines of a cell.

    They begin with what the patient tells, or else with the most abnormal result and scores, then
    with any.

    Args:
        cell: the session that is needed.
        rules: the rules that the record meets.
        suited: those that a session of the scenario may begin with.
        abnormal: those about results beyond a limit, the farthest first.
        random: the draws of the session.
    """
    yield from _storied(cell, rules, _first_rules(cell, suited, abnormal, random))


def other_storylines(
    cell: Cell,
    rules: Sequence[BoundRule],
    suited: Sequence[BoundRule],
    drawn: Collection[Storyline],
) -> Iterator[Storyline]:
    """The storylines of a cell that begin with any other rule, each set of rules once.

    A storyline that began with the patient's words has no others.

    Args:
        cell: the session that is needed.
        rules: the rules that the record meets.
        suited: those that a session of the scenario may begin with.
        drawn: the storylines that were drawn.
    """
    if any(bound.is_told for bound in suited):
        return
    rule_sets = [{*each.rules} for each in drawn]
    for each in _storied(cell, rules, suited):
        if {*each.rules} not in rule_sets:
            rule_sets.append({*each.rules})
            yield each


def _storied(
    cell: Cell, rules: Sequence[BoundRule], firsts: Iterable[BoundRule]
) -> Iterator[Storyline]:
    """The storylines that begin with some rules, if the abstract question can rest on them."""
    for first in firsts:
        linked = linked_rules(first, rules)
        if carriers := [each for each in linked if _carries(each, cell)]:
            yield Storyline(first, carriers[0], linked)


def longest_story(cell: Cell, stories: Iterable[Sequence[BoundRule]]) -> int:
    """The most rules of a storyline with one that the abstract question of a cell can rest on."""
    return max((len(e) for e in stories if any(_carries(bound, cell) for bound in e)), default=0)


def _first_rules(
    cell: Cell, suited: Sequence[BoundRule], abnormal: Sequence[BoundRule], random: Random
) -> list[BoundRule]:
    if told := [bound for bound in suited if bound.is_told]:
        return told
    scores = [bound for bound in suited if bound.is_score] if "CR" in cell.arc else []
    first = [list(abnormal[:1]), scores]
    drawn = random.sample(list(suited), min(len(suited), _STORYLINES))
    return list(dict.fromkeys(chain(*random.sample(first, len(first)), drawn)))


def linked_rules(bound: BoundRule, rules: Sequence[BoundRule]) -> list[BoundRule]:
    """A rule, then rules that share a drug or test with it, then rules that share one with those.

    So a session can go on to what stands beside its first drug.
    """
    near = sharing(bound, rules)
    done = {each.object: each.rule.action for each in near}
    story = list(near)
    for each in chain.from_iterable(sharing(other, rules) for other in near[1:]):
        if each not in story and done.setdefault(each.object, each.rule.action) == each.rule.action:
            story.append(each)
    return story


def _carries(bound: BoundRule, cell: Cell) -> bool:
    """True if the abstract question of a cell can rest on two arguments of a rule.

    Where two findings are compared instead, any rule will do.
    """
    type = cell.arc[1 + cell.forms.index("AE")]
    arguments = {*bound.entities, *([Entity("patient")] if bound.is_told else [])}
    match type:
        case "IL":
            return bool(bound.measure) and len(arguments - {Entity("test", bound.measure)}) > 1
        case "CR":
            return len(arguments) > 1
        case "WU":
            return bool(bound.beside) or (
                bool(bound.measure or bound.is_told) and len(arguments) > 1
            )
        case _:
            return True


def related_entities(bound: BoundRule, recorded: Collection[Entity]) -> set[Entity]:
    """The tests that rules watch the drugs of a rule by, and drugs whose rules watch its test."""
    names = {bound.rule.recheck, *_watching(bound.drug), *_watching(bound.beside)}
    tests = {Entity("test", name) for name in names}
    groups = _watched_by(bound.rule.test) | _watched_by(bound.rule.recheck)
    drugs = {e for e in recorded if e.kind == "drug" and is_of_any(e.name, groups)}
    beside = sorted(drugs, key=lambda entity: entity.name)[:_RELATED]
    return {entity for entity in (*tests, *beside) if entity in recorded}


def is_connected(entity: Entity, others: Collection[Entity]) -> bool:
    """True if rules connect a test or drug with one of others: two drugs, or a drug and a test."""
    drugs = [each.name for each in others if each.kind == "drug"]
    tests = {each.name for each in others if each.kind == "test"}
    if entity.kind == "test":
        return any(entity.name in _watching(drug) for drug in drugs)
    is_watched = not tests.isdisjoint(_watching(entity.name))
    return is_watched or any(
        entity.name != drug and _are_beside(entity.name, drug) for drug in drugs
    )


@cache
def _are_beside(one: str, other: str) -> bool:
    """True if a rule is about two drugs together."""
    return any(any(pairs(rule, (one, other))) for rule in clinical_rules() if rule.beside)


@cache
def _watching(drug: str) -> frozenset[str]:
    """The tests that rules watch a drug by."""
    rules = [each for each in clinical_rules() if drug and each.drug and is_of(drug, each.drug)]
    return frozenset(test for rule in rules for test in (rule.test, rule.recheck))


@cache
def _watched_by(test: str) -> frozenset[str]:
    """The drugs and classes of the rules about a test; "" is that of rules without one."""
    rules = (each for each in clinical_rules() if test in (each.test, each.recheck))
    return frozenset(rule.drug for rule in rules if rule.drug)
