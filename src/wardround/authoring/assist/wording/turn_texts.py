"""The texts of a turn: its questions, its gold answer, and its rubric with the sources of items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.scores import CODED, PERSONAL, TESTS, score_value
from wardround.authoring.assist.facts.sources import Briefed, Computed
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.evidence import has_codes, tells_result
from wardround.authoring.assist.wording.comparisons import differ_in_time_only
from wardround.authoring.assist.wording.kept_advice import (
    Kept,
    is_critical_result,
    kept_advice,
)
from wardround.authoring.assist.wording.order_texts import (
    order_items,
    order_wordings,
    order_words,
)
from wardround.authoring.assist.wording.questions import (
    draft_words,
    is_comparison,
    is_short,
    question_text,
    question_texts,
)
from wardround.authoring.assist.wording.rubric_items import Item
from wardround.authoring.assist.wording.stated_words import (
    action_wordings,
    adding_words,
    comparison_words,
    rule_words,
    score_words,
    stated_words,
    timed_days,
)
from wardround.authoring.assist.wording.turn_items import earlier_evidence, reading_items
from wardround.authoring.assist.wording.wordings import (
    filled,
    finding_wordings,
    wordings,
)
from wardround.benchmarks.assist.sessions import LANGUAGES, Language

_SPACE = {"en": " ", "zh": ""}


@dataclass(frozen=True, slots=True)
class TurnTexts:
    """The words of a turn, by language.

    Attributes:
        explicit: the explicit question.
        question: the implicit question; in the first turn the explicit one.
        answer: the gold answer.
        items: the rubric.
        writer: the language model that worded any of the questions; "" for none.
    """

    explicit: Mapping[Language, str]
    question: Mapping[Language, str]
    answer: Mapping[Language, str]
    items: tuple[Item, ...]
    writer: str = ""


def turn_texts(
    drafts: Sequence[Draft],
    number: int,
    day: str,
    random: Random,
    person: Sequence[Briefed] = (),
) -> TurnTexts:
    """The texts of the last of some placed turns.

    Args:
        drafts: the turns of the session, with the sources of their findings placed.
        number: the turn.
        day: the day of the session.
        random: chooses among wordings, the same in both languages.
        person: the patient's age and sex, as the session begins with them.
    """
    draft, earlier = drafts[number], drafts[:number]
    score = _score(draft, earlier, person)
    told = (*draft.findings, *earlier_evidence(draft, earlier))
    standing_advice = kept_advice(drafts, number, told)
    choice = random.random()
    explicit, question = (
        {lang: _question(draft, earlier, form, lang, choice) for lang in LANGUAGES}
        for form in ("explicit", draft.form or "explicit")
    )
    if draft.type == "WU":
        items = tuple(order_items(draft, earlier, number, question, day))
    else:
        items = tuple(reading_items(draft, earlier, score, standing_advice))
    answer = {}
    for lang in LANGUAGES:
        facts = _answer(draft, earlier, told, score, standing_advice, lang)
        answer[lang] = _SPACE[lang].join([*_age(draft, person, lang), *facts])
    return TurnTexts(explicit, question, answer, items)


def _question(
    draft: Draft, earlier: Sequence[Draft], form: str, language: Language, choice: float
) -> str:
    """The question of a turn in a form; an explicit one names the results that it rests on."""
    told = earlier_evidence(draft, earlier)
    return question_text(draft, form, language, choice, told)


def are_short(drafts: Sequence[Draft]) -> bool:
    """True if each question of some turns can be put in as few words as questions may have.

    The last turns rest on the most, so they are the first to be too long.
    """
    numbers = reversed(range(len(drafts)))
    return all(_is_short(drafts[number], drafts[:number]) for number in numbers)


def _is_short(draft: Draft, earlier: Sequence[Draft]) -> bool:
    if draft.type == "IL":
        return True
    told = earlier_evidence(draft, earlier)
    return all(
        any(is_short(each, language) for each in question_texts(draft, form, language, told))
        for form in dict.fromkeys(("explicit", draft.form or "explicit"))
        for language in LANGUAGES
    )


def _answer(
    draft: Draft,
    earlier: Sequence[Draft],
    told: Sequence[Finding],
    score: Computed | None,
    standing_advice: Sequence[Kept],
    language: Language,
) -> Iterator[str]:
    if draft.type == "WU":
        yield filled(order_wordings(draft, language)["answer"], order_words(draft, language))
        if draft.bound.opposed and not any(each.rule == draft.rule for each in earlier):
            advice = wordings(language)["rule"]["beside_order"]
            yield from (filled(advice, {"advice": a}) for a in _advice(draft.bound, language))
        return
    if draft.rule and draft.type != "CR":
        text = finding_wordings(draft.findings[0], language)["shown"]["answer"]
        yield filled(text, draft_words(draft, language))
    is_close = is_comparison(draft) and differ_in_time_only(draft)
    for finding in told:
        texts, words = finding_wordings(finding, language), stated_words(finding, language)
        if is_close:
            words |= timed_days(finding, language)
        yield filled(texts["answer"], words)
        if is_critical_result(finding):
            yield filled(wordings(language)["rule"]["critical"], words)
        if "before" in finding.slots:
            yield filled(texts["followed"], words)
    if is_comparison(draft):
        yield comparison_words(draft, language)
    if draft.seeks_level:
        yield _rule_sentence(draft.bound, "missed", language)
    if draft.type == "CR":
        if score:
            yield filled(wordings(language)["score"]["answer"], score_words(score, language))
        bound = draft.bound
        yield _rule_sentence(bound, "risk", language)
        for drug, _ in draft.adding:
            yield adding_words(bound, drug, "adding", language)
        if bound.panel:
            yield _rule_sentence(bound, "again", language)
        else:
            yield from _advice(bound, language)
            yield _rule_sentence(bound, "recheck", language)
        if bound.questioned and bound.questioned not in {e.object for e in standing_advice}:
            yield _rule_sentence(bound, "questioned", language)
        for each in standing_advice:
            yield _rule_sentence(each.bound, each.field, language)


def _age(draft: Draft, person: Sequence[Briefed], language: Language) -> Iterator[str]:
    """The sentence on the patient's age, if the turn's rule rests on that."""
    if draft.type == "CR" and draft.bound.rule.age:
        text = wordings(language)["rule"]["age"]
        yield from (text.format(age=each.value) for each in person if each.field == "age")


def _score(draft: Draft, earlier: Sequence[Draft], person: Sequence[Briefed]) -> Computed | None:
    """The score that a turn's rule is about, computed from the latest values of its tests.

    The codes of all diagnoses, and the patient's age and sex, are inputs of some scores.
    """
    if draft.type != "CR" or not draft.bound.is_score:
        return None
    name = draft.bound.rule.test
    findings = [each for turn in (*earlier, draft) for each in turn.findings]
    of: list[Any] = [
        next(each.slots["value"].source for each in reversed(findings) if tells_result(each, test))
        for test in TESTS[name]
    ]
    if name in CODED:
        codes = next(each.slots["codes"].source for each in findings if has_codes(each))
        of += codes.of if isinstance(codes, Computed) else []
    of += person if name in PERSONAL else []
    values = [each.value for each in of]
    return Computed(name, tuple(of), score_value(name, values))  # type: ignore[arg-type]


def _advice(bound: BoundRule, language: Language) -> Iterator[str]:
    """The sentences on what to do: the action of a rule, and what it asks for beside that."""
    yield _rule_sentence(bound, "action", language)
    if bound.rule.also:
        yield _rule_sentence(bound, "also", language)


def _rule_sentence(bound: BoundRule, text: str, language: Language) -> str:
    table, words = wordings(language), rule_words(bound, language)
    if text == "again":
        return filled(table["action"]["order"]["again"], words)
    if text == "action":
        return filled(action_wordings(bound, language)["answer"], words)
    if text == "also":
        return filled(table["action"][bound.rule.also]["answer"], {"drug": words["first"]})
    return filled(table["rule"][_risk(bound) if text == "risk" else text], words)


def _risk(bound: BoundRule) -> str:
    """The wording of a risk: of two drugs together, of one that is not acted on, or alone.

    One that has begun is no risk any more.
    """
    begun = "_begun" if bound.has_begun else ""
    if bound.beside:
        return f"risk_together{begun}"
    is_named = bound.drug in ("", bound.object) or bound.rule.action == "resupply"
    return f"risk{begun}" if is_named else f"risk_with{begun}"
