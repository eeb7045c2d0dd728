"""Drafts of turns: the findings of a turn, its rule or order, and what its question leaves out."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import LATEST, BoundRule
from wardround.authoring.assist.wording.wordings import asks_for_two, has_form, has_phrase
from wardround.benchmarks.assist.tasks import Source, Subtype, TaskType

_TOLD = ("adherence", "other_drug")
# Entities that a second question can leave out; those of the first turn are among them.
_REFERRED = ("test", "drug", "stay")
_MOST_CALLS = 4
_PICTURE = 2  # turns that an abstract question is about, at least


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn before it has words.

    Attributes:
        type: the type of task.
        form: the implicit form; None for the first turn.
        source: where its answer is found.
        findings: what its calls find.
        rule: what the findings of this turn and earlier ones mean.
        order: the gold write.
        named: the entities that its implicit question names.
        omitted: the entities that it leaves out, each with the turn that it comes from.
        instead: the write that its question asks for if the patient tells otherwise.
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

    @property
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
            yield from _lookups(form, history, fresh)
        case "DG":
            yield from _gatherings(form, history, fresh)
        case "CR":
            yield from _reasonings(form, history, fresh, rules)
        case "WU":
            return


def _lookups(form: Subtype | None, history: History, fresh: Iterable[Finding]) -> Iterator[Draft]:
    """Questions about one finding of the record."""
    meant = pronouns(history)
    for finding in fresh:
        if not has_form(finding.kind, form):
            continue
        source: Source = "patient" if finding.call.tool.startswith("patient.") else "ehr"
        if form is None:
            if finding.entity.kind in _REFERRED:
                yield Draft("IL", None, source, (finding,), named=(finding.entity,))
        elif form == "AE":
            if omitted := _picture(finding.entity, history):
                yield Draft("IL", form, source, (finding,), omitted=omitted)
        elif finding.entity in meant:
            omitted = ((finding.entity, meant[finding.entity]),)
            yield Draft("IL", form, source, (finding,), omitted=omitted)


def _gatherings(
    form: Subtype | None, history: History, fresh: Sequence[Finding]
) -> Iterator[Draft]:
    """Questions about two or three findings of different calls."""
    if form == "AE":
        yield from _abstract_gatherings(history, fresh)
        return
    told = {entity for draft in history for entity in draft.entities}
    meant = pronouns(history)
    for focus in fresh:
        if focus.entity not in meant or not has_phrase(focus.kind, form):
            continue
        for other in fresh:
            if (
                other.call != focus.call
                and other.entity not in told
                and has_phrase(other.kind, None)
            ):
                yield Draft(
                    "DG", form, _source((focus, other)), (focus, other),
                    named=(other.entity,), omitted=((focus.entity, meant[focus.entity]),),
                )  # fmt: skip


def _abstract_gatherings(history: History, fresh: Sequence[Finding]) -> Iterator[Draft]:
    """Questions about entities of two earlier turns, or about one of both and something new.

    Who does not know the earlier turns cannot tell what these ask for.
    """
    told = {entity for draft in history for entity in draft.entities}
    for first, second in combinations([each for each in fresh if each.entity in told], 2):
        if first.call != second.call and _are_both(first, second, told):
            found = (first, second)
            if apart := _apart(first.entity, second.entity, history):
                yield Draft("DG", "AE", _source(found), found, omitted=apart)
    for focus in (each for each in fresh if has_phrase(each.kind, "AE")):
        omitted = _picture(focus.entity, history)
        for other in fresh if omitted else ():
            is_new = other.entity not in told and other.entity.kind != focus.entity.kind
            if other.call != focus.call and is_new and has_phrase(other.kind, None):
                yield Draft(
                    "DG", "AE", _source((focus, other)), (focus, other),
                    named=(other.entity,), omitted=omitted,
                )  # fmt: skip


def _are_both(first: Finding, second: Finding, told: Collection[Entity]) -> bool:
    """True if two findings can be asked for without a name for either of their entities.

    They have one aspect of the two entities of a kind, or each is of the only one of its kind.
    """
    if first.entity.kind != second.entity.kind:
        findings = (first, second)
        return all(_is_only(e.entity, told) and has_phrase(e.kind, "AE") for e in findings)
    of_kind = {entity for entity in told if entity.kind == first.entity.kind}
    is_pair = of_kind == {first.entity, second.entity} and len(of_kind) > 1
    return first.kind == second.kind and is_pair and asks_for_two(first.kind)


def _apart(first: Entity, second: Entity, history: History) -> tuple[tuple[Entity, int], ...]:
    """Two entities, each with a turn of its own that was about it; nothing if they have none."""
    turns = product(_turns_of(first, history), _turns_of(second, history))
    return next((((first, a), (second, b)) for a, b in turns if a != b), ())


def _reasonings(
    form: Subtype | None, history: History, fresh: Sequence[Finding], rules: Sequence[BoundRule]
) -> Iterator[Draft]:
    """Questions about what follows from a rule, with new evidence for it; no rule comes twice."""
    asked = [draft.rule.rule.name for draft in history if draft.rule]
    told = {entity for draft in history for entity in draft.entities}
    meant = pronouns(history)
    for bound in rules:
        if bound.rule.name in asked or bound.is_taken:
            continue
        turns = {entity: _turn_of(entity, history) for entity in bound.entities}
        known = {entity: turn for entity, turn in turns.items() if turn is not None}
        named = tuple(entity for entity, turn in turns.items() if turn is None)
        omitted = tuple(known.items())
        if form == "AE":
            abouts = [n for n, draft in enumerate(history) if set(draft.entities) & set(known)]
            fits = not named and len(abouts) >= 2
            omitted = tuple((entity, n) for entity in known for n in abouts
                            if entity in history[n].entities)  # fmt: skip
        else:
            fits = bool(known) and set(known) <= set(meant)
        for evidence in _evidence(bound, history, fresh) if fits else ():
            # A question about a score names its new tests, so it can leave none of them out.
            if bound.is_score and any(each.entity in known for each in evidence):
                continue
            found = Draft("CR", form, _source(evidence), evidence, bound)
            found = replace(found, named=named, omitted=omitted)
            if form != "AE":
                yield found
            elif abstract := _abstract_reasoning(found, told - {*meant, *_subjects(history)}):
                yield abstract


def _abstract_reasoning(draft: Draft, vague: Collection[Entity]) -> Draft | None:
    """A turn that names evidence about entities which nobody could tell from others.

    None if it leaves out nothing of two turns then.
    """
    entities = dict.fromkeys(each.entity for each in draft.findings)
    named = tuple(each for each in entities if each in vague)
    omitted = tuple((entity, turn) for entity, turn in draft.omitted if entity not in named)
    if len({turn for _, turn in omitted}) < _PICTURE:
        return None
    return replace(draft, named=(*draft.named, *named), omitted=omitted)


def _evidence(
    bound: BoundRule, history: History, fresh: Sequence[Finding]
) -> Iterator[tuple[Finding, ...]]:
    """The new findings that a rule needs beside those of earlier turns, or else one that helps.

    Those with the result that its advice repeats come first.
    """
    found = [finding for draft in history for finding in draft.findings]
    needed = []
    for test in bound.tests:
        if not any(is_result(each, test) for each in found):
            needed.append([each for each in fresh if is_result(each, test)])
    if bound.is_told and not any(is_told(each, bound.drug) for each in found):
        needed.append([each for each in fresh if is_told(each, bound.drug)])
    if bound.is_coded and not any(has_codes(each) for each in found):
        needed.append([each for each in fresh if has_codes(each)])
    if len(needed) > _MOST_CALLS:
        return
    if bound.is_watched and not any(is_result(each, bound.rule.recheck) for each in found):
        watched = [each for each in fresh if is_result(each, bound.rule.recheck)]
        yield from product(*needed, watched)
    if needed:
        yield from product(*needed)
        return
    for each in fresh:
        if each.entity in bound.entities or is_result(each, bound.rule.recheck):
            yield (each,)


def has_codes(finding: Finding) -> bool:
    """True if a finding has the codes of all diagnoses of the stay."""
    return "codes" in finding.slots


def is_result(finding: Finding, test: str) -> bool:
    """True if a finding has the latest value of a test."""
    return finding.kind in LATEST and finding.entity == Entity("test", test)


def is_told(finding: Finding, drug: str) -> bool:
    """True if a finding is what the patient says of a drug."""
    return finding.kind in _TOLD and finding.entity == Entity("drug", drug)


def pronouns(history: History) -> dict[Entity, int]:
    """The entities that "it" can mean, each with the last turn that was about it.

    An entity is meant if it is the only one of its kind in the turn before, or, where that turn
    was about none of the kind, in the whole session.
    """
    if not history:
        return {}
    last = history[-1].entities
    told = {entity: turn for turn, draft in enumerate(history) for entity in draft.entities}
    kinds_of_last = [entity.kind for entity in last]
    kinds = [entity.kind for entity in told]
    meant = {}
    for entity, turn in told.items():
        near = kinds_of_last.count(entity.kind)
        if (near == 1 and entity in last) or (near == 0 and kinds.count(entity.kind) == 1):
            meant[entity] = turn
    return meant


def _picture(entity: Entity, history: History) -> tuple[tuple[Entity, int], ...]:
    """An entity with the turns about it, if these are two and it is the only one of its kind."""
    told = {each for draft in history for each in draft.entities}
    turns = _turns_of(entity, history)
    is_meant = len(turns) >= _PICTURE and _is_only(entity, told)
    return tuple((entity, turn) for turn in turns) if is_meant else ()


def _is_only(entity: Entity, told: Collection[Entity]) -> bool:
    """True if earlier turns were about no other entity of the kind."""
    return [each for each in told if each.kind == entity.kind] == [entity]


def _subjects(history: History) -> Iterator[Entity]:
    """The entities that two turns were about, where these are the only ones of their kind."""
    told = dict.fromkeys(entity for draft in history for entity in draft.entities)
    often = [entity for entity in told if len(_turns_of(entity, history)) >= _PICTURE]
    yield from (each for each in often if _is_only(each, often))


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
