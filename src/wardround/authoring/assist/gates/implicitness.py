"""Rules of implicit questions: what they leave out, and that their explicit twins ask the same.

Source: PhysAssistBench, appendix B (the three implicit forms) and appendix H (two stages).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from wardround.authoring.assist.facts.findings import Entity
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.tasks import LANGUAGES, Language
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import TermKind, english
from wardround.ehr.text.mentions import mentions

_WORDS = 25  # of an explicit question
_TURNS = 2  # that an abstract question rests on
# Kinds of entities that have names of their own; others are asked for by what is wanted of them.
_NAMED: Mapping[str, TermKind] = {"drug": "drug", "test": "test", "diagnosis": "diagnosis"}
_NUMBER = re.compile(r"(?<![A-Za-z\d.-])\d+(?:\.\d+)?")
_PRONOUNS = {
    "en": re.compile(r"\b(?:it|its|this(?! stay)|that|these|those|them|one)\b", re.IGNORECASE),
    "zh": re.compile("它|这|那[个些]"),
}

_WORD = {"en": re.compile(r"[a-z\d-]+"), "zh": re.compile(r"[\u4e00-\u9fff]|[a-z\d-]+")}


def names_entity(text: str, entity: Entity) -> bool:
    """True if a text has an entity by any of its names, in either language.

    >>> names_entity("速尿是怎么开的？", Entity("drug", "furosemide"))
    True
    >>> names_entity("How is it ordered?", Entity("drug", "furosemide"))
    False
    """
    kind = _NAMED.get(entity.kind)
    if not kind:
        return False
    if known := english(entity.name, kind):
        return any(mention.name == known for mention in mentions(text, kind))
    return entity.name.casefold() in text.casefold()


def implicit_faults(drafts: Sequence[Draft], turn: int, texts: TurnTexts) -> Iterator[str]:
    """The reasons why a turn's implicit question is none, without values of the patient.

    Args:
        drafts: the turns of the session.
        turn: the number of the turn.
        texts: its texts.
    """
    draft = drafts[turn]
    if not turn:
        if texts.question != texts.explicit:
            yield "the first question is not explicit"
        return
    if not draft.omitted:
        yield "an implicit question leaves nothing out"
    if any(not 0 <= source < turn for _, source in draft.omitted):
        yield "what is left out is in no earlier turn"
    for entity, source in draft.omitted:
        if entity not in drafts[source].entities:
            yield "what is left out is not what its turn is about"
    if draft.form == "AE":
        yield from _abstract_faults(draft)
    for language in LANGUAGES:
        yield from _text_faults(draft, texts, language)


def _abstract_faults(draft: Draft) -> Iterator[str]:
    """The reasons why a question could be asked as well without its abstract phrase."""
    if len({source for _, source in draft.omitted}) < _TURNS:
        yield "an abstract question rests on fewer than two turns"
    asked = set(draft.entities)
    asked |= {Entity("test", draft.bound.rule.recheck)} if draft.order else set()
    if not asked.issuperset(entity for entity, _ in draft.omitted):
        yield "an abstract question leaves out what it does not ask for"


def twin_faults(draft: Draft, texts: TurnTexts) -> Iterator[str]:
    """The reasons why an explicit question does not ask what its implicit twin asks."""
    for language in LANGUAGES:
        explicit = texts.explicit[language]
        for entity in (*draft.named, *(entity for entity, _ in draft.omitted)):
            if has_name(entity) and not names_entity(explicit, entity):
                yield "an explicit question does not name what it is about"
        if _values(draft, explicit):
            yield "an explicit question gives a value of the answer"
    if len(texts.explicit["en"].split()) > _WORDS:
        yield "an explicit question has more than 25 words"


def topic_faults(drafts: Sequence[Draft]) -> Iterator[str]:
    """The reasons why a session asks for something twice."""
    topics = [finding.topic for draft in drafts for finding in draft.findings]
    if len(set(topics)) < len(topics):
        yield "an entity and its aspect are asked for twice"
    rules = [draft.rule.rule.name for draft in drafts if draft.type == "CR" and draft.rule]
    if len(set(rules)) < len(rules):
        yield "a rule is asked for twice"


def _text_faults(draft: Draft, texts: TurnTexts, language: Language) -> Iterator[str]:
    question = texts.question[language]
    for entity, _ in draft.omitted:
        if names_entity(question, entity):
            yield "an implicit question names what it leaves out"
    for entity in draft.named:
        if not names_entity(question, entity) and has_name(entity):
            yield "an implicit question does not name what is new"
    if question == texts.explicit[language]:
        yield "an implicit question is its explicit twin"
    elif draft.form != "AE" and is_decorated(question, texts.explicit[language], language):
        yield "an implicit question says all that its twin says"
    if draft.form == "PE" and _PRONOUNS[language].search(question) and draft.type != "WU":
        yield "a fragment has a pronoun"


def is_decorated(question: str, explicit: str, language: Language) -> bool:
    """True if a question has every word of content of its explicit twin, beside a pronoun or not.

    >>> is_decorated("What is its main diagnosis?", "What is the main diagnosis?", "en")
    True
    >>> is_decorated("What is it now?", "What is the latest potassium?", "en")
    False
    """
    return _content(explicit, language) <= _content(question, language)


def _content(text: str, language: Language) -> set[str]:
    """The words of a text that say something, in Chinese its characters."""
    return set(_WORD[language].findall(text.casefold())) - _empty_words(language)


@cache
def _empty_words(language: Language) -> frozenset[str]:
    rows = read_rows(__package__, "empty_words.tsv")
    texts = (words for known, words in rows if known == language)
    return frozenset(word for text in texts for word in _WORD[language].findall(text))


def has_name(entity: Entity) -> bool:
    """True for an entity with a name of its own: a drug, a test or a diagnosis."""
    return entity.kind in _NAMED


def _values(draft: Draft, question: str) -> bool:
    """True if a question has a number of a finding of its own turn."""
    if draft.type == "WU":
        return False
    asked = {float(number) for number in _NUMBER.findall(question)}
    found = {slot.source.value for finding in draft.findings for slot in finding.slots.values()}
    return any(isinstance(value, int | float) and value in asked for value in found)
