"""Drafts of turns: the findings of a turn, its rule or order, and what its question leaves out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations, product, zip_longest
from typing import TypeVar

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.evidence import evidence, is_result, is_told
from wardround.authoring.assist.wording.wordings import (
    has_form,
    has_phrase,
    is_compared,
    shows_harm,
)
from wardround.benchmarks.assist.tasks import Source, Subtype, TaskType
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.panels import panel_tests

_A = TypeVar("_A")
_B = TypeVar("_B")
# Entities that a second question can leave out; those of the first turn are among them.
_REFERRED = ("test", "drug", "stay")
# Entities whose names alone ask again for what was asked about another one.
_ECHOED = ("test", "drug")
_PICTURE = 2  # turns that an abstract question is about, at least


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

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """The subjects of the turn."""
        found = (finding.entity for finding in self.findings)
        return tuple(dict.fromkeys((*found, *(self.rule.entities if self.rule else ()))))

    @property
    def bound(self) -> BoundRule:
        """The rule of a turn that has one."""
        if not self.rule:
            raise ValueError("A turn without a rule has no reasoning to word.")
        return self.rule

    @property
    def write(self) -> PlannedCall:
        """The order of a turn that has one."""
        if not self.order:
            raise ValueError("A turn without an order has no write to word.")
        return self.order

    @property
    def calls(self) -> tuple[PlannedCall, ...]:
        """The gold calls, each once."""
        calls = [finding.call for finding in self.findings]
        return tuple(_unique([*calls, *([self.order] if self.order else [])]))


History = Sequence[Draft]


def drafts(
    type: TaskType,
    form: Subtype | None,
    history: History,
    findings: Sequence[Finding],
    rules: Sequence[BoundRule],
) -> Iterator[Draft]:
    """The drafts of the next turn that the findings of a record allow."""
    used = {finding.topic for draft in history for finding in draft.findings}
    fresh = [finding for finding in findings if finding.topic not in used]
    match type:
        case "IL":
            yield from _lookups(form, history, fresh, rules)
        case "DG":
            yield from _gatherings(form, history, fresh, rules)
        case "CR":
            yield from _reasonings(form, history, fresh, rules)
        case "WU":
            return


def _lookups(
    form: Subtype | None, history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions about one finding of the record."""
    meant = pronouns(history)
    if form == "AE":
        for focus, bound, omitted in _shown(history, fresh, rules):
            yield Draft("IL", form, "ehr", (focus,), bound, omitted=omitted)
    if form == "PE":
        yield from _echoes(history, fresh, rules)
    for finding in fresh if form != "AE" else ():
        if not has_form(finding.kind, form):
            continue
        found = (finding,)
        if form is None:
            if finding.entity.kind in _REFERRED:
                yield Draft("IL", None, _source(found), found, named=(finding.entity,))
        elif finding.entity in meant:
            omitted = ((finding.entity, meant[finding.entity]),)
            yield Draft("IL", form, _source(found), found, omitted=omitted)


def _echoes(
    history: History, fresh: Iterable[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Names of another entity, for which the lookup before is repeated.

    Those that a rule connects with what was asked come first.
    """
    if history[-1].type != "IL":
        return
    [asked] = history[-1].findings
    told = {entity for draft in history for entity in draft.entities}
    related = {e for bound in rules if told & set(bound.entities) for e in bound.entities}
    others = [
        each
        for each in fresh
        if each.kind == asked.kind
        and each.entity not in told
        and each.entity.kind in _ECHOED
        and not each.call.tool.startswith("patient.")
    ]
    for each in sorted(others, key=lambda other: other.entity not in related):
        yield Draft(
            "IL", "PE", _source((each,)), (each,), named=(each.entity,), echoed=len(history) - 1
        )


def _shown(
    history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[tuple[Finding, BoundRule, tuple[tuple[Entity, int], ...]]]:
    """The latest results that show the harm of what two earlier turns found together."""
    told = {entity for draft in history for entity in draft.entities}
    reasoned = {draft.rule.rule.name for draft in history if draft.rule}
    for bound, turns in harms(history, rules):
        for each in fresh if bound.rule.name not in reasoned else ():
            is_new = each.entity not in told and shows_harm(each.kind)
            if is_new and is_result(each, bound.measure):
                yield each, bound, placed_arguments(bound, turns)


def harms(
    history: History, rules: Sequence[BoundRule]
) -> list[tuple[BoundRule, dict[Entity, set[int]]]]:
    """The rules whose harm follows from two earlier turns together, with the turns of their causes.

    Nobody can tell the harm without both turns. Where it would show in several tests, or where the
    turns told of another drug, a question could mean any of these, so there is none.
    """
    told = {entity for draft in history for entity in draft.entities}
    drugs = _told_drugs(history)
    found = []
    for bound in rules:
        if not bound.measure or bound.is_taken:
            continue
        turns = turns_of_arguments(bound, history)
        turns.pop(Entity("test", bound.measure), None)
        if told.issuperset(_of_chart(turns)) and rests_on_two(turns):
            found.append((bound, turns))
    if len({bound.measure for bound, _ in found}) != 1:
        return []
    return [(bound, turns) for bound, turns in found if drugs <= {bound.drug, bound.beside}]


def _told_drugs(history: History) -> set[str]:
    """The drugs of earlier turns, those that the patient bought among them."""
    bought = {
        str(finding.slots["other"].source.value)
        for draft in history
        for finding in draft.findings
        if "other" in finding.slots
    }
    return bought | {e.name for draft in history for e in draft.entities if e.kind == "drug"}


def _of_chart(turns: Iterable[Entity]) -> set[Entity]:
    """The arguments of a rule that are entities of the chart."""
    return {entity for entity in turns if entity.kind != "patient"}


def _gatherings(
    form: Subtype | None, history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions about two or three findings of different calls."""
    if form == "AE":
        yield from _abstract_gatherings(history, fresh, rules)
        return
    told = {entity for draft in history for entity in draft.entities}
    meant = pronouns(history)
    known = [each for each in fresh if each.entity in meant and has_phrase(each.kind, form)]
    others = [each for each in fresh if each.entity not in told and has_phrase(each.kind, None)]
    for focus, other in _best_pairs(known, others):
        if other.call != focus.call and stands_beside(other, focus.entity):
            yield Draft(
                "DG", form, _source((focus, other)), (focus, other),
                named=(other.entity,), omitted=((focus.entity, meant[focus.entity]),),
            )  # fmt: skip


def stands_beside(other: Finding, entity: Entity) -> bool:
    """True unless nothing connects a finding about the person with what else a turn asks for.

    >>> call = PlannedCall("patient.get_social_history", {})
    >>> social = Finding("social", Entity("patient"), call, {})
    >>> stands_beside(social, Entity("test", "hemoglobin"))
    True
    >>> stands_beside(social, Entity("test", "creatinine"))
    False
    """
    reasons = _reasons()
    if other.kind not in {kind for kind, *_ in reasons}:
        return True
    return any((other.kind, entity.kind, name) in reasons for name in (entity.name, ""))


@cache
def _reasons() -> frozenset[tuple[str, ...]]:
    """The kinds of findings about the person, with the kinds and names that they are asked with."""
    rows = read_rows(__package__, "beside.tsv")
    return frozenset((kind, entity, name) for kind, entity, name, _ in rows)


def _abstract_gatherings(
    history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions that compare two entities of two turns, or ask for a harm and something new.

    Who does not know the earlier turns cannot tell what these ask for.
    """
    told = {entity for draft in history for entity in draft.entities}
    others = [each for each in fresh if each.entity not in told and has_phrase(each.kind, None)]
    for (focus, bound, omitted), other in _best_pairs(_shown(history, fresh, rules), others):
        is_other = other.call != focus.call and other.entity != focus.entity
        if is_other and stands_beside(other, focus.entity):
            found = (focus, other)
            yield Draft(
                "DG", "AE", _source(found), found, bound,
                named=(other.entity,), omitted=omitted,
            )  # fmt: skip
    for first, second in combinations([each for each in fresh if each.entity in told], 2):
        if first.call != second.call and _are_compared(first, second, told):
            found = (first, second)
            if apart := _apart(first.entity, second.entity, history):
                yield Draft("DG", "AE", _source(found), found, omitted=apart)


def _are_compared(first: Finding, second: Finding, told: Collection[Entity]) -> bool:
    """True if two findings are one aspect of the only two entities of a kind."""
    of_kind = {entity for entity in told if entity.kind == first.entity.kind}
    is_pair = of_kind == {first.entity, second.entity} and len(of_kind) > 1
    return first.kind == second.kind and is_pair and is_compared(first.kind)


def _apart(first: Entity, second: Entity, history: History) -> tuple[tuple[Entity, int], ...]:
    """Two entities, each with a turn of its own that was about it; nothing if they have none."""
    turns = product(_turns_of(first, history), _turns_of(second, history))
    return next((((first, a), (second, b)) for a, b in turns if a != b), ())


def turns_of_arguments(bound: BoundRule, history: History) -> dict[Entity, set[int]]:
    """The earlier turns that found each argument of a rule: drugs, results, the patient's account.

    The account of a drug, and a drug that only the patient told of, count for the turn that told.
    """
    turns = {entity: set(_turns_of(entity, history)) for entity in bound.entities}
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


def _reasonings(
    form: Subtype | None, history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions about what follows from a rule, with new evidence for it.

    No rule comes twice, nor the same risk of the same two drugs.
    """
    asked = [draft.rule for draft in history if draft.rule]
    names = [each.rule.name for each in asked]
    pairs = [_pair(each) for each in asked if each.beside]
    new = [each for each in rules if each.rule.name not in names and _pair(each) not in pairs]
    open_rules = [each for each in new if not each.is_taken]
    yield from _in_turn(_reasoning(form, history, fresh, bound) for bound in open_rules)


def _pair(bound: BoundRule) -> tuple[frozenset[str], str]:
    """The drugs of a rule and the risk of them."""
    return frozenset((bound.drug, bound.beside)), bound.rule.risk


def _reasoning(
    form: Subtype | None, history: History, fresh: Sequence[Finding], bound: BoundRule
) -> Iterator[Draft]:
    """Questions about what follows from one rule."""
    meant = pronouns(history)
    turns = {entity: _turn_of(entity, history) for entity in bound.entities}
    known = {entity: turn for entity, turn in turns.items() if turn is not None}
    named = tuple(entity for entity, turn in turns.items() if turn is None)
    omitted = tuple(known.items())
    if form == "AE":
        arguments = turns_of_arguments(bound, history)
        fits = not named and rests_on_two(arguments)
        omitted = placed_arguments(bound, arguments)
    else:
        fits = bool(known) and set(known) <= set(meant)
    seen = [finding for draft in history for finding in draft.findings]
    for findings in evidence(bound, seen, fresh) if fits else ():
        # A question about a score names its new tests, so it can leave none of them out.
        if bound.is_score and any(each.entity in known for each in findings):
            continue
        found = Draft("CR", form, _source(findings), findings, bound)
        found = replace(found, named=named, omitted=omitted)
        if form != "AE":
            yield found
        elif abstract := _abstract_reasoning(found, _vague(history)):
            yield abstract


def _abstract_reasoning(draft: Draft, vague: Collection[Entity]) -> Draft | None:
    """A turn that names evidence about entities that could be taken for others.

    None if it leaves out nothing of two turns then.
    """
    entities = dict.fromkeys(each.entity for each in draft.findings)
    named = tuple(each for each in entities if each in vague)
    omitted = tuple((entity, turn) for entity, turn in draft.omitted if entity not in named)
    if len({turn for _, turn in omitted}) < _PICTURE:
        return None
    return replace(draft, named=(*draft.named, *named), omitted=omitted)


def is_advised(bound: BoundRule, history: History) -> bool:
    """True if an earlier turn advised a panel that has the test which a rule's advice repeats."""
    panels = [draft.rule.panel for draft in history if draft.type == "CR" and draft.rule]
    return any(bound.rule.recheck in panel_tests(panel) for panel in panels)


def pronouns(history: History) -> dict[Entity, int]:
    """The entities that "it" can mean, each with the last turn that was about it.

    An entity is meant if it is the only one of its kind in the turn before, or, where that turn
    was about none of the kind, in the whole session. A turn about a drug and one that the patient
    bought was about two drugs.
    """
    if not history:
        return {}
    bound = history[-1].rule
    bought = [Entity("drug", bound.beside)] if bound and bound.is_told and bound.beside else []
    last = (*history[-1].entities, *bought)
    told = {entity: turn for turn, draft in enumerate(history) for entity in draft.entities}
    kinds_of_last = [entity.kind for entity in last]
    kinds = [entity.kind for entity in told]
    meant = {}
    for entity, turn in told.items():
        near = kinds_of_last.count(entity.kind)
        if (near == 1 and entity in last) or (near == 0 and kinds.count(entity.kind) == 1):
            meant[entity] = turn
    return meant


def _vague(history: History) -> set[Entity]:
    """The entities that earlier turns told beside others of their kind.

    After two drugs, "the latest order" could be the order of either.
    """
    told = {entity for draft in history for entity in draft.entities}
    kinds = [entity.kind for entity in told]
    return {entity for entity in told if kinds.count(entity.kind) > 1}


def _turns_of(entity: Entity, history: History) -> list[int]:
    """The turns that were about an entity."""
    return [turn for turn, draft in enumerate(history) if entity in draft.entities]


def _turn_of(entity: Entity, history: History) -> int | None:
    """The last turn that was about an entity."""
    return max(_turns_of(entity, history), default=None)


def _source(findings: Iterable[Finding]) -> Source:
    asked = {finding.call.tool.startswith("patient.") for finding in findings}
    return "ehr" if asked == {False} else "patient" if asked == {True} else "mixed"


def _unique(calls: Iterable[PlannedCall]) -> list[PlannedCall]:
    seen: list[PlannedCall] = []
    for call in calls:
        if call not in seen:
            seen.append(call)
    return seen


def _best_pairs(first: Iterable[_A], second: Iterable[_B]) -> list[tuple[_A, _B]]:
    """All pairs, those of the first of both before the others.

    >>> _best_pairs("ab", "xy")
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', 'y')]
    """
    pairs = product(enumerate(first), enumerate(second))
    return [(a, b) for (n, a), (m, b) in sorted(pairs, key=lambda pair: pair[0][0] + pair[1][0])]


def _in_turn(streams: Iterable[Iterator[_A]]) -> Iterator[_A]:
    """The first of each stream, then the second of each, and so on.

    >>> list(_in_turn([iter("ad"), iter("b"), iter("ce")]))
    ['a', 'b', 'c', 'd', 'e']
    """
    for row in zip_longest(*streams):
        yield from (each for each in row if each is not None)
