"""Drafts of turns that read: lookups, gatherings and reasonings that the findings allow."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, islice, product
from typing import TypeVar

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.drafts import (
    Draft,
    History,
    bought_drugs,
    discussed_entities,
    harms,
    last_turns,
    placed_arguments,
    pronouns,
    recalled,
    rests_on_two,
    told_drugs,
    told_topics,
    turns_of,
    turns_of_arguments,
    vague_entities,
)
from wardround.authoring.assist.planning.evidence import (
    MOST_CALLS,
    evidence,
    is_result,
    is_told,
)
from wardround.authoring.assist.planning.storylines import is_connected
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
from wardround.authoring.assist.wording.wordings import (
    has_form,
    has_phrase,
    is_compared,
    shows_harm,
)
from wardround.benchmarks.assist.sessions import Source, Subtype, TaskType
from wardround.core.packaged_data import read_rows

_A = TypeVar("_A")
_B = TypeVar("_B")
# Entities that a second question can leave out; those of the first turn are among them.
_REFERRED = ("test", "drug", "stay")
# Entities whose names alone ask again for what was asked about another one.
_ECHOED = ("test", "drug")
_PICTURE = 2  # turns that an abstract question is about, at least


def drafts(
    type: TaskType,
    form: Subtype | None,
    history: History,
    findings: Iterable[Finding],
    rules: Sequence[BoundRule],
) -> Iterator[Draft]:
    """The drafts of the next turn that the findings of a record allow."""
    if not _is_possible(type, form, history, rules):
        return
    match type:
        case "IL":
            yield from _lookups(form, history, _fresh(history, findings), rules)
        case "DG":
            yield from _gatherings(form, history, _fresh(history, findings), rules)
        case "CR":
            yield from _reasonings(form, history, findings, rules)
        case "WU":
            return


def _is_possible(
    type: TaskType, form: Subtype | None, history: History, rules: Sequence[BoundRule]
) -> bool:
    """False if no finding at all could make a turn, so that a search need not look at any."""
    if form is None or type == "CR":
        return True
    if form != "AE":
        return bool(pronouns(history)) or (type == "IL" and history[-1].type == "IL")
    return bool(harms(history, rules)) or (type == "DG" and bool(_paired(history)))


def _fresh(history: History, findings: Iterable[Finding]) -> list[Finding]:
    """The findings about what no turn has told."""
    told = told_topics(history)
    return [finding for finding in findings if finding.topic not in told]


def _lookups(
    form: Subtype | None, history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions about one finding of the record."""
    meant = _looked_up(form, history)
    if form == "AE":
        for focus, bound, omitted in _shown(history, fresh, rules):
            yield Draft("IL", form, "ehr", (focus,), bound, omitted=omitted)
    if form == "PE":
        yield from _echoes(history, fresh, rules)
    for finding in fresh if form != "AE" else ():
        if not has_form(finding.kind, form):
            continue
        asked = (finding,)
        if form is None:
            if finding.entity.kind in _REFERRED:
                yield Draft("IL", None, _source(asked), asked, named=(finding.entity,))
        elif finding.entity in meant:
            omitted = ((finding.entity, meant[finding.entity]),)
            yield Draft("IL", form, _source(asked), asked, omitted=omitted)


def _echoes(
    history: History, fresh: Iterable[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Names of another entity, for which the lookup before is repeated.

    Those that a rule connects with what was asked come first.
    """
    if history[-1].type != "IL":
        return
    [asked] = history[-1].findings
    discussed = discussed_entities(history)
    related = {e for bound in rules if discussed & set(bound.entities) for e in bound.entities}
    others = [
        each
        for each in fresh
        if each.kind == asked.kind
        and each.entity not in discussed
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
    discussed = discussed_entities(history)
    reasoned = {draft.rule.rule.name for draft in history if draft.rule}
    for bound, turns in harms(history, rules):
        for each in fresh if bound.rule.name not in reasoned else ():
            is_new = each.entity not in discussed and shows_harm(each.kind)
            if is_new and is_result(each, bound.measure):
                yield each, bound, placed_arguments(bound, turns)


def _gatherings(
    form: Subtype | None, history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions about two or three findings of different calls."""
    if form == "AE":
        yield from _abstract_gatherings(history, fresh, rules)
        return
    discussed, meant = last_turns(history), _looked_up(form, history)
    worded = [each for each in fresh if each.entity in meant and has_phrase(each.kind, form)]
    others = _connected_first(fresh, discussed) if worded else []
    for focus, other in _best_pairs(worded, others):
        # "The first value and the latest creatinine" would be the first creatinine.
        if form == "PE" and focus.entity.kind == other.entity.kind == "test":
            continue
        if other.call != focus.call and stands_beside(other, focus.entity):
            yield Draft(
                "DG", form, _source((focus, other)), (focus, other),
                named=(other.entity,), omitted=((focus.entity, meant[focus.entity]),),
            )  # fmt: skip


def _meant(form: Subtype | None, history: History) -> dict[Entity, int]:
    """The entities that a question can leave out; a fragment only those of the turn before."""
    meant, last = pronouns(history), len(history) - 1
    return {entity: turn for entity, turn in meant.items() if form != "PE" or turn == last}


def _looked_up(form: Subtype | None, history: History) -> dict[Entity, int]:
    """The entities that a question for what the record has can leave out.

    After a turn that told of a bought drug, "it" could be that one.
    """
    is_told_of_two = bool(bought_drugs(history[-1:]))
    meant = _meant(form, history)
    return {e: turn for e, turn in meant.items() if not (is_told_of_two and e.kind == "drug")}


def _connected_first(fresh: Sequence[Finding], discussed: Collection[Entity]) -> list[Finding]:
    """The findings about what no turn was about; those that nothing connects with it come last.

    A test or drug is connected with those that a rule names beside it.
    """
    unasked = [
        each for each in fresh if each.entity not in discussed and has_phrase(each.kind, None)
    ]
    return sorted(
        unasked,
        key=lambda each: each.entity.kind in _ECHOED and not is_connected(each.entity, discussed),
    )


def stands_beside(other: Finding, entity: Entity) -> bool:
    """True unless nothing connects a finding about the person with what else a turn asks for.

    >>> from wardround.authoring.assist.facts.findings import PlannedCall
    >>> call = PlannedCall("patient.get_social_history", {})
    >>> social = Finding("social", Entity("patient"), call, {})
    >>> stands_beside(social, Entity("test", "hemoglobin"))
    True
    >>> stands_beside(social, Entity("test", "creatinine"))
    False
    """
    asked_with = _asked_with().get(other.kind)
    return asked_with is None or not asked_with.isdisjoint((entity, (entity.kind, "")))


@cache
def _asked_with() -> Mapping[str, set[tuple[str, str]]]:
    """The kinds and names that findings about the person are asked with, by kind of finding."""
    asked_with: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for kind, asked_kind, name, _ in read_rows(__package__, "beside.tsv"):
        asked_with[kind].add((asked_kind, name))
    return dict(asked_with)


def _abstract_gatherings(
    history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions that compare two entities of two turns, or ask for a harm and something new.

    Who does not know the earlier turns cannot tell what these ask for.
    """
    discussed = discussed_entities(history)
    shown = list(_shown(history, fresh, rules))
    others = _connected_first(fresh, discussed) if shown else []
    for (focus, bound, omitted), other in _best_pairs(shown, others):
        is_other = other.call != focus.call and other.entity != focus.entity
        if is_other and stands_beside(other, focus.entity):
            pair = (focus, other)
            yield Draft(
                "DG", "AE", _source(pair), pair, bound,
                named=(other.entity,), omitted=omitted,
            )  # fmt: skip
    for first, second in combinations(_compared(fresh, _paired(history)), 2):
        if _are_one_aspect(first, second) and first.call != second.call:
            pair = (first, second)
            if apart := _apart(first.entity, second.entity, history):
                yield Draft("DG", "AE", _source(pair), pair, omitted=apart)


def _paired(history: History) -> set[Entity]:
    """The entities that turns were about, with one other of their kind."""
    told = discussed_entities(history)
    told |= {Entity("drug", name) for name in bought_drugs(history)}
    kinds = [entity.kind for entity in told]
    return {entity for entity in told if kinds.count(entity.kind) == 2}


def _compared(fresh: Iterable[Finding], paired: Collection[Entity]) -> list[Finding]:
    """The findings about some entities whose kind has a comparison."""
    return [each for each in fresh if each.entity in paired and is_compared(each.kind)]


def _are_one_aspect(first: Finding, second: Finding) -> bool:
    """True if two findings are the same kind of finding about two entities of a kind.

    The question asks for the days of orders, by which two of one day are not told apart.
    """
    (kind, name), (other_kind, other) = first.entity, second.entity
    if first.kind != second.kind or kind != other_kind or name == other:
        return False
    days = {each.slots["day"].source.value for each in (first, second) if each.kind == "order"}
    return len(days) != 1


def _apart(first: Entity, second: Entity, history: History) -> tuple[tuple[Entity, int], ...]:
    """Two entities, each with a turn of its own that was about it; nothing if they have none."""
    turns = product(turns_of(first, history), turns_of(second, history))
    return next((((first, a), (second, b)) for a, b in turns if a != b), ())


def _reasonings(
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
    fresh = _fresh(history, findings) if left_out else []
    reasonings = _in_turn(_reasoning(form, history, fresh, *each) for each in left_out)
    yield from _covering_first(reasonings, history) if form == "AE" else reasonings


def _covering_first(reasonings: Iterable[Draft], history: History) -> Iterator[Draft]:
    """Questions about "all of that", last those whose answer leaves out a drug that was told."""
    drugs, others = tuple(told_drugs(history)), list[Draft]()
    for each in reasonings:
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
    meant = _meant(form, history) if form != "AE" else {}
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
        source = _source(findings)
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


def _source(findings: Iterable[Finding]) -> Source:
    asked = {finding.call.tool.startswith("patient.") for finding in findings}
    return "ehr" if asked == {False} else "patient" if asked == {True} else "mixed"


def _best_pairs(first: Sequence[_A], second: Sequence[_B]) -> Iterator[tuple[_A, _B]]:
    """All pairs, those of the first of both before the others.

    >>> list(_best_pairs("ab", "xyz"))
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('a', 'z'), ('b', 'y'), ('b', 'z')]
    """
    for places in range(len(first) + len(second) - 1):
        for number, each in enumerate(first[: places + 1]):
            if places - number < len(second):
                yield each, second[places - number]


def _in_turn(streams: Iterable[Iterator[_A]]) -> Iterator[_A]:
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
