"""Drafts of turns that reason: questions about what follows from a rule, with their evidence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.drafts import (
    Draft,
    History,
    fresh_findings,
    last_turns,
    meant_entities,
    placed_arguments,
    recalled,
    rests_on_two,
    source_of,
    told_drugs,
    turns_of_arguments,
    vague_entities,
)
from wardround.authoring.assist.planning.evidence import MOST_CALLS, evidence, is_told
from wardround.authoring.assist.planning.told_risks import (
    adding_drugs,
    asked_risks,
    excluded_risks,
    grounds,
    is_new_area,
    is_only_risk,
)
from wardround.authoring.assist.wording.kept_advice import kept_advice
from wardround.authoring.assist.wording.turn_items import earlier_evidence
from wardround.benchmarks.assist.sessions import Subtype

_T = TypeVar("_T")
_PICTURE = 2  # turns that an abstract question is about, at least


def reasonings(
    form: Subtype | None, history: History, findings: Iterable[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions about what follows from a rule, with new evidence for it.

    No rule comes twice, nor the same risk of the same two drugs, nor the same step for a risk.
    """
    asked = [draft.rule for draft in history if draft.rule]
    names = [each.rule.name for each in asked]
    pairs = [_pair(each) for each in asked if each.beside]
    steps = [_step(draft.rule) for draft in history if draft.type == "CR" and draft.rule]
    new = [each for each in rules if each.rule.name not in names and not each.is_taken]
    left_out = [
        (bound, omitted)
        for bound, omitted in _left_out(form, history, new)
        if _pair(bound) not in pairs and _step(bound) not in steps
    ]
    fresh = fresh_findings(history, findings) if left_out else []
    drafts = _in_turn(_reasoning(form, history, fresh, *each) for each in left_out)
    yield from _covering_first(drafts, history) if form == "AE" else drafts


def _covering_first(drafts: Iterable[Draft], history: History) -> Iterator[Draft]:
    """Questions about "all of that", last those whose answer leaves out a drug that was told."""
    drugs, others = tuple(told_drugs(history)), list[Draft]()
    for each in drafts:
        if each.meant_drugs == drugs:
            yield each
        else:
            others.append(each)
    yield from others


def _pair(bound: BoundRule) -> tuple[frozenset[str], str]:
    """The drugs of a rule and the risk of them."""
    return frozenset((bound.drug, bound.beside)), bound.rule.risk


def _step(bound: BoundRule) -> tuple[str, str, str]:
    """The risk of a rule, and what to do with which drug or service."""
    return bound.rule.risk, bound.rule.action, bound.object


def _left_out(
    form: Subtype | None, history: History, rules: Sequence[BoundRule]
) -> Iterator[tuple[BoundRule, tuple[tuple[Entity, int], ...]]]:
    """The rules that a question can leave entities out of, each with these and their turns."""
    told = last_turns(history)
    meant = meant_entities(form, history) if form != "AE" else {}
    told |= (begun := recalled(history) if form == "NA" else {})
    for bound in rules:
        told_entities = [entity for entity in bound.entities if entity in told]
        if form == "NA" and _has_earlier_drug(bound, told_entities, history):
            continue
        if form != "AE":
            if told_entities and all(e in meant or e in begun for e in told_entities):
                yield bound, tuple((entity, told[entity]) for entity in told_entities)
        elif told_entities:
            yield bound, placed_arguments(bound, turns_of_arguments(bound, history))


def _has_earlier_drug(bound: BoundRule, told: Sequence[Entity], history: History) -> bool:
    """True if "the earlier drug" of a rule about two could be another one that turns told.

    The one that the session began with has words of its own.
    """
    drugs = [each for each in told if each.kind == "drug" and each not in recalled(history)]
    return bool(bound.beside) and len(drugs) == 1 and len(told_drugs(history)) > 1


def _reasoning(
    form: Subtype | None,
    history: History,
    fresh: Sequence[Finding],
    bound: BoundRule,
    omitted: tuple[tuple[Entity, int], ...],
) -> Iterator[Draft]:
    """Questions about what follows from one rule.

    Args:
        form: the implicit form.
        history: the turns before.
        fresh: the findings that the turn may have.
        bound: the rule.
        omitted: the entities that the question leaves out, each with the turn that it comes from.
    """
    if form == "AE" and not _is_of_picture(bound, history):
        return
    told = last_turns(history)
    told_entities = [entity for entity in bound.entities if entity in told]
    begun = {*recalled(history)} & {*told_entities} if form == "NA" else set()
    named = tuple(entity for entity in bound.entities if entity not in told)
    seen = [finding for draft in history for finding in draft.findings]
    for findings in evidence(bound, seen, fresh):
        # A question about a score names its new tests, so it can leave none of them out.
        if bound.is_score and any(each.entity in told_entities for each in findings):
            continue
        # "Its latest order" would not be that of the drug that the session began with.
        if begun and (bound.is_score or any(each.entity in begun for each in findings)):
            continue
        source = source_of(findings)
        reasoning = Draft(
            "CR", form, source, findings, bound, named=named, omitted=omitted, recalls=bool(begun)
        )
        # Most rules have neither, and a search makes hundreds of drafts.
        if adding := adding_drugs(bound, [*history, reasoning]):
            reasoning = replace(reasoning, adding=adding)
        if searches := _searches(reasoning, history):
            reasoning = replace(reasoning, searches=searches)
        asked = _abstract_reasoning(reasoning, history) if form == "AE" else reasoning
        if asked and len(asked.calls) <= MOST_CALLS:
            yield asked


def _searches(draft: Draft, history: History) -> tuple[PlannedCall, ...]:
    """The searches that a turn's rule rests on and that no turn made.

    A patient who tells of a drug says what it is for.
    """
    if not draft.bound.searches:
        return ()
    turns = [*history, draft]
    made = [(call.tool, call.arguments.get("code")) for turn in turns for call in turn.calls]
    told = [each for turn in turns for each in turn.findings]
    new = (e for e in draft.bound.searches if (e.tool, e.arguments.get("code")) not in made)
    is_known = all(any(is_told(e, drug) for e in told) for drug in draft.bound.unsafe)
    return tuple(each for each in new if "code" in each.arguments or not is_known)


def _is_of_picture(bound: BoundRule, history: History) -> bool:
    """True if a question about all that was told can be about a rule: of two turns, and new."""
    is_new = bound.is_score or is_new_area(bound.rule.risk, asked_risks(history))
    return is_new and rests_on_two(grounds(bound, history))


def _abstract_reasoning(draft: Draft, history: History) -> Draft | None:
    """A turn that names evidence about new entities, and about those that "it" could not mean.

    None if its evidence leaves a new entity unnamed, if what it leaves out is not of two turns, or
    if the question could mean one of several risks. A score is asked for with its tests only, so
    nothing else of it is new.
    """
    turns, bound = [*history, draft], draft.bound
    entities = dict.fromkeys(each.entity for each in draft.findings)
    if not entities.keys() >= {*draft.named} or (bound.is_score and draft.named):
        return None
    vague = vague_entities(history)
    named = tuple(each for each in entities if each in vague)
    omitted = tuple((entity, turn) for entity, turn in draft.omitted if entity not in named)
    sources = {turn for _, turn in omitted} | {*excluded_risks(bound, history).values()}
    if not omitted or len(sources) < _PICTURE:
        return None
    if not bound.is_score and not is_only_risk(bound, turns):
        return None
    others = tuple(each for each in asked_risks(history) if each != bound.rule.risk)
    abstract = replace(draft, named=(*draft.named, *named), omitted=omitted, asked_risks=others)
    results = earlier_evidence(abstract, history) if not bound.is_score else ()
    return replace(
        abstract,
        meant_drugs=_meant_drugs(abstract, history),
        meant_results=tuple(each.entity for each in results if _is_test(each.entity)),
    )


def _meant_drugs(draft: Draft, history: History) -> tuple[str, ...]:
    """The told drugs that the answer to a question about "all of that" is about."""
    told = (*draft.findings, *earlier_evidence(draft, history))
    kept = kept_advice([*history, draft], len(history), told)
    names = {draft.bound.drug, *draft.other_causes}
    names |= {name for each in kept for name in (each.bound.drug, each.bound.beside, each.object)}
    return tuple(name for name in told_drugs(history) if name in names)


def _is_test(entity: Entity) -> bool:
    return entity.kind == "test"


def _in_turn(streams: Iterable[Iterator[_T]]) -> Iterator[_T]:
    """The first of each stream, then the second of each, and so on.

    >>> list(_in_turn([iter("ad"), iter("b"), iter("ce")]))
    ['a', 'b', 'c', 'd', 'e']
    """
    left = list(streams)
    while left:
        longer = []
        for stream in left:
            for each in islice(stream, 1):
                longer.append(stream)
                yield each
        left = longer
