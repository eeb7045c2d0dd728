"""Checks of gold answers: what is asked is answered, rules hold, and durations have a source."""

from collections.abc import Iterator, Sequence

from wardround.authoring.assist.facts.findings import Entity
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Cited
from wardround.authoring.assist.facts.survey import Survey
from wardround.authoring.assist.gates.implicitness import has_name, names_entity
from wardround.authoring.assist.planning.drafts import Draft, bought_drugs
from wardround.authoring.assist.planning.evidence import is_charted
from wardround.authoring.assist.session_lines import Session
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import LANGUAGES
from wardround.ehr.terms.clinical_rules import is_of
from wardround.ehr.text.quantities import duration, quantities

_APART = "4 hours"  # between two drugs that an action keeps apart


def unanswered(draft: Draft, texts: TurnTexts) -> Iterator[str]:
    """The reasons why a gold answer and its items leave the question open."""
    if draft.type == "WU":
        return
    asked = [entity for entity in _asked(draft) if has_name(entity)]
    for language in LANGUAGES:
        if not all(names_entity(texts.answer[language], entity) for entity in asked):
            yield "a gold answer does not name what is asked"
    cited = {s.field for item in texts.items for s in item.sources if isinstance(s, Cited)}
    if draft.type == "CR" and "action" not in cited:
        yield "no item says what to do"


def unseen_drugs(drafts: Sequence[Draft], turn: int) -> Iterator[str]:
    """The reasons why a reasoning changes a drug that is not known to be given or taken.

    A question that names a drug does not show what is given, so its orders or doses were looked up
    in its turn or before. Where a rule holds by what the patient tells, the account is enough.
    """
    draft, turns = drafts[turn], drafts[: turn + 1]
    if draft.type == "CR":
        bound, findings = draft.bound, [each for draft in turns for each in draft.findings]
        known = {
            each.entity.name
            for each in findings
            if bound.is_told or is_charted(each, each.entity.name)
        }
        if bound.changed not in known | bought_drugs(turns) | {""}:
            yield "a turn changes a drug that nobody looked up"


def _asked(draft: Draft) -> tuple[Entity, ...]:
    """The subjects of a turn; the parts of a score that earlier turns told are not said again."""
    if draft.rule and draft.rule.is_score:
        return tuple(finding.entity for finding in draft.findings)
    return draft.entities


def rule_faults(bound: BoundRule, survey: Survey) -> Iterator[str]:
    """The reasons why a rule does not hold for a patient."""
    rule = bound.rule
    for drug, wanted in ((bound.drug, rule.drug), (bound.beside, rule.beside)):
        if wanted and not is_of(drug, wanted):
            yield "a rule is about other drugs"
    if rule.test and not bound.is_score:
        values = [value for value, _ in survey.values(rule.test)]
        if not rule.is_met(values):
            yield "the record does not meet a rule"


def unsourced_durations(session: Session, turn: int) -> Iterator[str]:
    """The durations of a turn's gold answer that nothing in the session says."""
    source_lengths = {length for text in _sources(session, turn) for length in _durations(text)}
    for language in LANGUAGES:
        for length in _durations(session.texts[turn].answer[language]):
            if length not in source_lengths:
                yield length


def _sources(session: Session, turn: int) -> Iterator[str]:
    """The opening, the questions, words and values up to a turn."""
    yield session.facts
    for draft, texts in zip(session.drafts[: turn + 1], session.texts, strict=False):
        yield texts.question["en"]
        for finding in draft.findings:
            for slot in finding.slots.values():
                yield f"{slot.source.value} days"
                yield str(slot.source.value)
        if draft.order:
            yield f"{draft.order.arguments.get('duration_days', '')} days"
        if draft.rule:
            yield f"{draft.rule.days} days"
            yield _APART if draft.rule.rule.action == "separate" else ""
    transcript = session.transcript
    yield from (words for (number, _), words in transcript.spoken.items() if number <= turn)


def _durations(text: str) -> list[str]:
    """The durations in a text."""
    durations = (duration(each) for each in quantities(text))
    return [str(each) for each in durations if each]
