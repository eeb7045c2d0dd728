"""Drafts of turns that read: lookups and gatherings; those that reason are joined to them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from typing import TypeVar

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.drafts import (
    Draft,
    History,
    bought_drugs,
    discussed_entities,
    fresh_findings,
    harms,
    last_turns,
    meant_entities,
    placed_arguments,
    pronouns,
    source_of,
    turns_of,
)
from wardround.authoring.assist.planning.evidence import is_result
from wardround.authoring.assist.planning.reasoning_turns import reasonings
from wardround.authoring.assist.planning.storylines import is_connected
from wardround.authoring.assist.wording.wordings import (
    has_form,
    has_phrase,
    is_compared,
    shows_harm,
)
from wardround.benchmarks.assist.sessions import Subtype, TaskType
from wardround.core.packaged_data import read_rows

_A = TypeVar("_A")
_B = TypeVar("_B")
# Entities that a second question can leave out; those of the first turn are among them.
_REFERRED = ("test", "drug", "stay")
# Entities whose names alone ask again for what was asked about another one.
_ECHOED = ("test", "drug")


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
            yield from _lookups(form, history, fresh_findings(history, findings), rules)
        case "DG":
            yield from _gatherings(form, history, fresh_findings(history, findings), rules)
        case "CR":
            yield from reasonings(form, history, findings, rules)
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
                yield Draft("IL", None, source_of(asked), asked, named=(finding.entity,))
        elif finding.entity in meant:
            omitted = ((finding.entity, meant[finding.entity]),)
            yield Draft("IL", form, source_of(asked), asked, omitted=omitted)


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
            "IL", "PE", source_of((each,)), (each,), named=(each.entity,), echoed=len(history) - 1
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
                "DG", form, source_of((focus, other)), (focus, other),
                named=(other.entity,), omitted=((focus.entity, meant[focus.entity]),),
            )  # fmt: skip


def _looked_up(form: Subtype | None, history: History) -> dict[Entity, int]:
    """The entities that a question for what the record has can leave out.

    After a turn that told of a bought drug, "it" could be that one.
    """
    is_told_of_two = bool(bought_drugs(history[-1:]))
    meant = meant_entities(form, history)
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
                "DG", "AE", source_of(pair), pair, bound,
                named=(other.entity,), omitted=omitted,
            )  # fmt: skip
    for first, second in combinations(_compared(fresh, _paired(history)), 2):
        if _are_one_aspect(first, second) and first.call != second.call:
            pair = (first, second)
            if apart := _apart(first.entity, second.entity, history):
                yield Draft("DG", "AE", source_of(pair), pair, omitted=apart)


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


def _best_pairs(first: Sequence[_A], second: Sequence[_B]) -> Iterator[tuple[_A, _B]]:
    """All pairs, those of the first of both before the others.

    >>> list(_best_pairs("ab", "xyz"))
    [('a', 'x'), ('a', 'y'), ('b', 'x'), ('a', 'z'), ('b', 'y'), ('b', 'z')]
    """
    for places in range(len(first) + len(second) - 1):
        for number, each in enumerate(first[: places + 1]):
            if places - number < len(second):
                yield each, second[places - number]
