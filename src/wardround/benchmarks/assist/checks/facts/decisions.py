"""Decides a typed fact by the claims of an answer about it.

A fact passes if the answer states its value and no other, and fails if the answer states another
value, denies the right one, or gives none in words that are all understood. All else is open.
"""

from wardround.benchmarks.assist.checks.facts.claims import Claim, advises, claims, is_read
from wardround.benchmarks.assist.checks.facts.items import FactItem, aspects
from wardround.benchmarks.assist.checks.facts.values import is_nowhere
from wardround.benchmarks.assist.checks.facts.words import without_terms, words
from wardround.benchmarks.assist.checks.items import Statement, Term
from wardround.benchmarks.assist.checks.lexicon import cue
from wardround.benchmarks.assist.checks.readings import FINDINGS, Reading
from wardround.benchmarks.assist.checks.risks import drugs_in
from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.assist.checks.stances import GIVEN_AS
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.kit.checks import Finding
from wardround.core.verdict import State
from wardround.ehr.terms.chinese import TermKind
from wardround.ehr.terms.clinical_rules import known_risks
from wardround.ehr.text.cues import assertion
from wardround.ehr.text.language import language_of
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import quantities
from wardround.ehr.text.segments import blanked, phrases, texts
from wardround.ehr.text.times_ahead import days_ahead, may_be_timed

# The aspect of a drug that an answer must not advise.
AVOIDED = "avoided"
RISK = "risk"
# Actions that an answer does not ask for where it also holds or stops the thing.
_ASKED = ("order", "repeat")
# Kinds of values that people tell in many ways.
_TOPICS = (
    "smoking", "tobacco", "alcohol", "home", "walking", "help", "dependence", "onset",
    "provocation", "timing", "reason", "severity", "pair",
)  # fmt: skip
_DOSES = ("mg", "mcg", "g", "mEq", "mmol", "units")
_WITHHELD = ("stop", "hold", "lessen")
_MOST_RISKS = 2  # beside those of the clinical rules; an answer with more lists what there is
_PASSED = Finding("passed")


def decide_fact(item: FactItem, answer: str, language: Language) -> Finding:
    """Decides one fact on an answer.

    >>> from wardround.benchmarks.assist.checks.items import Term
    >>> item = FactItem(aspect="complaint", term=Term(kind="diagnosis", name="dyspnea"))
    >>> for text in ("Chief complaint: dyspnea.", "The chief complaint was chest pain.",
    ...              "Chief complaint: probably dyspnea."):
    ...     print(decide_fact(item, text, "en").state)
    passed
    failed
    undecided
    """
    if item.aspect == AVOIDED:
        return _avoided(item, answer, language)
    all_claims = list(claims(item, answer))
    if item.forbidden:
        return _forbidden(item, _without_common(item, all_claims), answer)
    if is_nowhere(item, sentences(answer)):
        return Finding("failed", "its value is nowhere in the answer")
    named = [claim for claim in all_claims if claim.is_named]
    if aspects()[item.aspect].value == "state":
        # Taking a drug is part of taking it well or badly.
        named = [c for c in named if c.is_right is not None or c.stand == "open"] or named
    right = [c for c in named if c.is_right and c.stand == "stated"]
    wrong = [c for c in named if _is_against(c)]
    unclear = [c for c in named if c.stand == "open" or c.is_right is None]
    several = aspects()[item.aspect].several and not any(_is_opposed(item, c) for c in wrong)
    if right and not any(_is_denial(c) for c in wrong) and (several or not wrong):
        differ = [c for c in unclear if not c.is_right and c.stand == "open"]
        if differ and not several:
            return Finding("undecided", "it may say another")
        if item.aspect == RISK and len(_unfounded_risks(item, answer)) > _MOST_RISKS:
            return Finding("undecided", "the answer lists risks that no rule names")
        return _PASSED if item.within is None else _in_time(item, item.within, answer)
    if right:
        return Finding("undecided", "the answer gives several values")
    if unclear:
        return Finding("undecided", "the sentence that may say it is not understood")
    if wrong:
        return Finding("failed", "the answer gives another value")
    return _unnamed(item, all_claims, answer)


def _unfounded_risks(item: FactItem, answer: str) -> set[str]:
    """The risks that an answer states beside the wanted one and those of its drugs and tests."""
    founded = known_risks(drugs_in(answer), _names(answer, "test"))
    others = _names(answer, "diagnosis") - founded - {item.term.name if item.term else ""}
    return {name for name in others if _states_risk(name, item, answer)}


def _states_risk(name: str, item: FactItem, answer: str) -> bool:
    of_risk = item.model_copy(update={"term": Term(kind="diagnosis", name=name)})
    return any(c.is_right and c.is_named and c.stand == "stated" for c in claims(of_risk, answer))


def _names(answer: str, kind: TermKind) -> set[str]:
    return {mention.name for mention in mentions(answer, kind)}


def _in_time(item: FactItem, within: int, answer: str) -> Finding:
    """The finding on an action that an answer states, by the times of its sentences about it."""
    about = [text for text in sentences(answer) if _is_about(item, text) and _is_planned(text)]
    days = [day for text in about for day in _days_of_plan(item, text)]
    if not days:
        is_timed = any(may_be_timed(text) for text in about)
        state: State = "undecided" if is_timed else "failed"
        return Finding(state, "it names no time that is understood")
    return _PASSED if min(days) <= within else Finding("failed", "it is later")


def _days_of_plan(item: FactItem, sentence: str) -> list[float]:
    """The times ahead in the parts of a sentence that plan an item's action, else in all of it."""
    parts = texts(sentence, phrases(sentence, language_of(sentence) or "en"))
    planned = [part for part in parts if _is_planned(part)]
    of_item = [part for part in planned if _is_about(item, part)]
    days = [day for part in of_item or planned for day in days_ahead(part)]
    return days or list(days_ahead(sentence))


def _is_planned(text: str) -> bool:
    """True if a sentence has a word for a test that is repeated or ordered."""
    return any(word.name in ("action: repeat", "action: order") for word in words(text))


def _is_about(item: FactItem, text: str) -> bool:
    subject = item.subject
    return subject is None or any(m.name == subject.name for m in mentions(text, subject.kind))


def _unnamed(item: FactItem, all_claims: list[Claim], answer: str) -> Finding:
    """The finding on an answer without a value that is said to be the fact's."""
    bare = [claim for claim in all_claims if not claim.is_named and claim.stand == "stated"]
    if bare and all(claim.is_right for claim in bare):
        return _PASSED
    if any(claim.stand != "denied" for claim in all_claims):
        return Finding("undecided", "the answer may give another value of it")
    if _may_mean(item, answer) or not is_read(answer):
        return Finding("undecided", "the answer may give it in words that are not understood")
    return Finding("failed", "the answer does not give it")


def _forbidden(item: FactItem, all_claims: list[Claim], answer: str) -> Finding:
    """The finding on a fact that must not be given."""
    right = [claim for claim in all_claims if claim.is_right is not False]
    if any(claim.is_right and claim.stand == "stated" for claim in right):
        return Finding("failed", "the answer says it")
    is_open = any(claim.stand != "denied" for claim in right) or not is_read(answer)
    if is_open or (item.word == "raise" and _gives_two_doses(item, answer)):
        return Finding("undecided", "the answer may say it")
    return _PASSED


def _gives_two_doses(item: FactItem, answer: str) -> bool:
    """True if a sentence has two doses of a drug and no word that it is lessened."""
    about = (text for text in sentences(answer) if _is_about(item, text))
    return any(
        len({(each.value, each.unit) for each in quantities(text) if each.unit in _DOSES}) > 1
        and not any(word.name == "action: reduce" for word in words(text))
        for text in about
    )


def _without_common(item: FactItem, all_claims: list[Claim]) -> list[Claim]:
    """The claims but for what several states have in common, where another state is given.

    A patient who misses doses takes the drug, which then says nothing of every dose.
    """
    if aspects()[item.aspect].value != "state":
        return all_claims
    is_given = any(claim.is_right is False and claim.stand == "stated" for claim in all_claims)
    return [c for c in all_claims if not (is_given and c.is_right is None and c.stand == "stated")]


def _avoided(item: FactItem, answer: str, language: Language) -> Finding:
    """The finding on a drug that must not be advised; names of services are not drugs."""
    terms = (item.subject,) if item.subject else ()
    statement = Statement(forbidden=True, act="recommend", terms=terms)
    sentence_texts = (_without_doses(sentence, item) for sentence in sentences(answer))
    return decide_statement(statement, " ".join(map(without_terms, sentence_texts)), language)


def _without_doses(sentence: str, item: FactItem) -> str:
    """A sentence without set phrases, and about one other drug without its amounts."""
    drugs = {mention.name for mention in mentions(sentence, "drug")}
    phrases = [(w.start, w.end) for w in words(sentence) if w.name == "phrase"]
    text = blanked(sentence, phrases)
    if len(drugs) != 1 or (item.subject and item.subject.name in drugs):
        return text
    return blanked(text, [(q.start, q.end) for q in quantities(sentence)])


def _is_against(claim: Claim) -> bool:
    return _is_denial(claim) or (claim.is_right is False and claim.stand == "stated")


def _is_opposed(item: FactItem, claim: Claim) -> bool:
    """True if an action goes against that of an item, and does not tell what the patient uses."""
    return item.aspect == "action" and (item.word in _ASKED or claim.word != "give")


def _is_denial(claim: Claim) -> bool:
    return claim.is_right is True and claim.stand == "denied"


def _may_mean(item: FactItem, answer: str) -> bool:
    """True if an answer may give a fact in other words: a finding by its test, an advice, a use."""
    kind = aspects()[item.aspect].value
    if kind == "rank" and any(_may_rank(item, text) for text in sentences(answer)):
        return True
    if kind != "rank" and item.term and item.term in Reading(answer).terms:
        return True
    if kind == "action" and (advises(item, answer) or _is_bare_advice(item, answer)):
        return True
    if kind == "action" and any(_gives_substance(item, text) for text in sentences(answer)):
        return True
    if kind in _TOPICS and any(_touches(kind, text) for text in sentences(answer)):
        return True
    if kind == "level" and any(_names_level(item, text) for text in sentences(answer)):
        return True
    names = _names(answer, "drug")
    return kind == "state" and item.subject is not None and item.subject.name in names


def _is_bare_advice(item: FactItem, answer: str) -> bool:
    """True if an answer denies a drug or sets a time for a test, without a verb.

    >>> aspirin = Term(kind="drug", name="aspirin")
    >>> _is_bare_advice(FactItem(aspect="action", subject=aspirin, word="stop"), "No aspirin.")
    True
    """
    about = [text for text in sentences(answer) if _is_about(item, text)]
    if item.word in _ASKED:
        is_service = item.subject is not None and item.subject.kind == "service"
        return any(
            (is_service and may_be_timed(text)) or any(True for _ in days_ahead(text))
            for text in about
        )
    return item.word in _WITHHELD and any(_is_denied(item, text) for text in about)


def _touches(topic: str, text: str) -> bool:
    """True if a sentence has a word for a topic, outside of what the table reads.

    >>> _touches("alcohol", "One glass of wine most nights."), _touches("alcohol", "No alcohol.")
    (True, False)
    """
    read = [(word.start, word.end) for word in words(text) if ": " in word.name]
    return cue(f"topic: {topic}").search(blanked(text, read)) is not None


def _is_denied(item: FactItem, text: str) -> bool:
    """True if a sentence denies the subject of an item."""
    subject, language = item.subject, language_of(text) or "en"
    return subject is not None and any(
        named.name == subject.name and assertion(text, named.span, language) == "absent"
        for named in mentions(text, subject.kind)
    )


def _gives_substance(item: FactItem, text: str) -> bool:
    """True if a sentence gives what an item's drug is a salt of: "replete potassium"."""
    drug = item.subject.name if item.subject else ""
    given = {GIVEN_AS.get(test) for test in _names(text, "test")}
    return drug in given and any(word.name == f"action: {item.word}" for word in words(text))


def _names_level(item: FactItem, text: str) -> bool:
    """True if a sentence states a diagnosis, not its risk, that is a level of an item's test."""
    test = item.subject.name if item.subject else ""
    named = (FINDINGS.get(name, ("", ""))[0] for name in _names(text, "diagnosis"))
    return test in named and not any(word.name == "risk" for word in words(text))


def _may_rank(item: FactItem, text: str) -> bool:
    """True if a sentence names both things that a rank is about, or one with a word of order."""
    compared = {term.name for term in (item.subject, item.term) if term}
    named = compared & _names(text, "drug")
    return named == compared or (bool(named) and cue("sequence").search(text) is not None)
