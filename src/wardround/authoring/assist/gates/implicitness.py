"""Rules of implicit questions: their omissions, and that explicit twins ask the same.

Source: PhysAssistBench, appendix B (the three implicit forms) and appendix H (two stages).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from wardround.authoring.assist.facts.findings import Entity
from wardround.authoring.assist.planning.drafts import (
    Draft,
    rests_on_two,
    told_topics,
    turns_of_arguments,
)
from wardround.authoring.assist.planning.told_risks import (
    excluded_risks,
    grounds,
    is_only_risk,
)
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.checks.score_items import score_places
from wardround.benchmarks.assist.sessions import LANGUAGES, Language
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import TermKind, english
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.segments import blanked

_TURNS = 2  # that an abstract question rests on
# Kinds of entities that have names of their own; others are asked for by what is wanted of them.
_NAMED: Mapping[str, TermKind] = {"drug": "drug", "test": "test", "diagnosis": "diagnosis"}
_NUMBER = re.compile(r"(?<![A-Za-z\d.-])\d+(?:\.\d+)?")
_PRONOUNS = {
    "en": re.compile(r"\b(?:it|its|this(?! stay)|that|these|those|them|one)\b", re.IGNORECASE),
    "zh": re.compile("它|这|那[个些]"),
}

# Words that stand for an entity of an earlier turn; a Chinese question without any is a fragment.
_REFERENCES = {
    "en": re.compile(
        r"\b(?:it|its|this|that|these|those|them|they|the (?:earlier|same)|we began with)\b", re.I
    ),
    "zh": re.compile("它|其(?!他|它|余)|这|那|该|前面|最先|上述|此"),
}
_WORD = {"en": re.compile(r"[a-z\d-]+"), "zh": re.compile(r"[\u4e00-\u9fff]|[a-z\d-]+")}


def names_entity(text: str, entity: Entity) -> bool:
    """True if a text has an entity by any of its names, in either language.

    The name of a score has no test in it, although creatinine is in 肌酐清除率.

    >>> names_entity("速尿是怎么开的？", Entity("drug", "furosemide"))
    True
    >>> names_entity("How is it ordered?", Entity("drug", "furosemide"))
    False
    """
    kind = _NAMED.get(entity.kind)
    if not kind:
        return False
    if entity.kind == "test":
        text = blanked(text, score_places(text))
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
    if draft.echoed is not None:
        yield from _echo_faults(drafts, turn)
    elif not draft.omitted:
        yield "an implicit question leaves nothing out"
    if any(not 0 <= source < turn for _, source in draft.omitted):
        yield "what is left out is in no earlier turn"
    for entity, source in draft.omitted:
        if entity not in drafts[source].entities:
            yield "what is left out is not what its turn is about"
    if draft.form == "AE":
        yield from _abstract_faults(drafts, turn)
    for language in LANGUAGES:
        yield from _text_faults(draft, texts, language)


def _echo_faults(drafts: Sequence[Draft], turn: int) -> Iterator[str]:
    """The reasons why the name of another entity does not repeat the question before."""
    draft, before = drafts[turn], drafts[turn - 1]
    kinds = [[finding.kind for finding in each.findings] for each in (before, draft)]
    if draft.echoed != turn - 1 or before.type != "IL" or kinds[0] != kinds[1]:
        yield "a fragment repeats no question of the turn before"


def _abstract_faults(drafts: Sequence[Draft], turn: int) -> Iterator[str]:
    """The reasons why a question could be asked as well without its abstract phrase.

    The answer has to be compared, computed or decided from two facts of two turns: two findings
    that are compared, the causes of the harm that a result shows, or the grounds of a rule or an
    order, and the risks that "what new risk" excludes. A single fact, even if two turns name
    it, needs only a pronoun.
    """
    draft = drafts[turn]
    sources = {source for _, source in draft.omitted}
    if draft.type == "CR":
        sources |= {*excluded_risks(draft.bound, drafts[:turn]).values()}
    if len(sources) < _TURNS:
        yield "an abstract question rests on fewer than two turns"
    elif not rests_on_two(_arguments(drafts, turn)):
        yield "an abstract question rests on one thing"
    is_open = draft.type == "CR" and not draft.bound.is_score
    if is_open and not is_only_risk(draft.bound, drafts[: turn + 1]):
        yield "an abstract question asks for one of several risks"
    asked = set(draft.entities)
    asked |= {Entity("test", draft.bound.rule.recheck)} if draft.order else set()
    if not asked.issuperset(entity for entity, _ in draft.omitted):
        yield "an abstract question leaves out what it does not ask for"
    discussed = {entity for each in drafts[:turn] for entity in each.entities}
    if is_shown(draft) and draft.findings[0].entity in discussed:
        yield "an abstract question means a result that a turn named"


def _arguments(drafts: Sequence[Draft], turn: int) -> dict[Entity, set[int]]:
    """The things that an abstract question rests on, each with the earlier turns that told it."""
    draft = drafts[turn]
    if draft.type == "CR":
        return grounds(draft.bound, drafts[:turn])
    if draft.rule:
        arguments = turns_of_arguments(draft.rule, drafts[:turn])
        if draft.type in ("IL", "DG"):
            arguments.pop(Entity("test", draft.rule.measure), None)
        return arguments
    entities = [finding.entity for finding in draft.findings]
    is_compared = len({finding.kind for finding in draft.findings}) == 1
    return {
        entity: {number for number, each in enumerate(drafts[:turn]) if entity in each.entities}
        for entity in (entities if is_compared else ())
    }


def is_shown(draft: Draft) -> bool:
    """True if a question asks for the result that shows a harm."""
    return draft.form == "AE" and draft.type in ("IL", "DG") and draft.rule is not None


def twin_faults(draft: Draft, texts: TurnTexts) -> Iterator[str]:
    """The reasons why an explicit question does not ask what its implicit twin asks."""
    for language in LANGUAGES:
        explicit = texts.explicit[language]
        drugs = (Entity("drug", name) for name in draft.meant_drugs)
        meant = (*(entity for entity, _ in draft.omitted), *drugs, *draft.meant_results)
        for entity in (*draft.named, *meant):
            if has_name(entity) and not names_entity(explicit, entity):
                yield "an explicit question does not name what it is about"
        if _values(draft, explicit):
            yield "an explicit question gives a value of the answer"


def topic_faults(drafts: Sequence[Draft]) -> Iterator[str]:
    """The reasons why a session asks for something twice."""
    topics = [finding.topic for draft in drafts for finding in draft.findings]
    is_told = any(
        told_topics(drafts[:number]) & {finding.topic for finding in draft.findings}
        for number, draft in enumerate(drafts)
    )
    if is_told or len(set(topics)) < len(topics):
        yield "an entity and its aspect are asked for twice"
    rules = [draft.rule.rule.name for draft in drafts if draft.type == "CR" and draft.rule]
    if len(set(rules)) < len(rules):
        yield "a rule is asked for twice"


def _text_faults(draft: Draft, texts: TurnTexts, language: Language) -> Iterator[str]:
    question = texts.question[language]
    for entity, _ in draft.omitted:
        if names_entity(question, entity):
            yield "an implicit question names what it leaves out"
    if is_shown(draft) and names_entity(question, draft.findings[0].entity):
        yield "an implicit question names what it leaves out"
    if draft.form == "NA" and not _REFERENCES[language].search(question):
        yield "a question with nominal anaphora refers to nothing"
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
    texts = (words for of_language, words in rows if of_language == language)
    return frozenset(word for text in texts for word in _WORD[language].findall(text))


def has_name(entity: Entity) -> bool:
    """True for an entity with a name of its own: a drug, a test or a diagnosis."""
    return entity.kind in _NAMED


def _values(draft: Draft, question: str) -> bool:
    """True if a question has a number of a finding of its own turn."""
    if draft.type == "WU":
        return False
    asked = {float(number) for number in _NUMBER.findall(question)}
    values = {slot.source.value for finding in draft.findings for slot in finding.slots.values()}
    return any(isinstance(value, int | float) and value in asked for value in values)
