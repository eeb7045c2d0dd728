"""Says why a question is refused: an unknown patient, a name not in the records, or a word."""

import re
from collections.abc import Iterator, Sequence

from wardround.agents.parser.abstention_rules import Doubt
from wardround.agents.parser.grammar.grammar import Grammar, NotComposed
from wardround.agents.parser.grammar.lexicon import known_words
from wardround.agents.parser.grammar.record_check import missing_text
from wardround.agents.parser.grammar.tagger import Item, tag
from wardround.agents.parser.parser import Parsed
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.tokens import number, words
from wardround.ehr.records import Role, record_kinds

_CHOICES = 10
_PATIENT = re.compile(r"\bpatients?(?:\s+(?:id|number|no\.?|#))?\s+(\d[\d-]*)\b", re.IGNORECASE)

# A recorded name this similar to an unknown one is worth naming.
_MIN_SIMILARITY = 75.0
_MIN_LETTERS = 4


def refusal_reasons(
    question: str, parsed: Parsed, composed: NotComposed | None, grammar: Grammar | None
) -> Iterator[str]:
    """Sentences on why a question is refused.

    Args:
        question: The question.
        parsed: Its best parse as a learned kind.
        composed: What the grammar did not understand; None without a grammar.
        grammar: The grammar of the database; None where its layout is not known.
    """
    if grammar and (unknown := list(_unknown_patients(question, grammar))):
        yield from unknown
        return
    if parsed.sql is not None and parsed.misread and not parsed.unexplained:
        yield from (f'I do not understand "{word}" here.' for word in parsed.misread)
        return
    is_missing = parsed.guess is None or not parsed.unexplained
    phrases = () if parsed.doubts and is_missing else _not_understood(parsed, composed)
    if phrases:
        yield from (_word_reason(phrase, grammar) for phrase in phrases)
    elif parsed.doubts:
        yield from (line for doubt in parsed.doubts for line in _doubt_lines(doubt))
    else:
        yield "I am not sure enough of what was asked."


def grammar_reasons(question: str, composed: NotComposed, grammar: Grammar) -> Iterator[str]:
    """Sentences on why a question is refused that only the grammar reads."""
    phrases = [_phrase(item, composed.reading) for item in composed.items]
    if unknown := list(_unknown_patients(question, grammar)):
        yield from unknown
    elif composed.missing:
        yield missing_text(composed.missing, grammar.views)
    elif absent := list(dict.fromkeys(_missing_kinds(composed.reading, grammar))):
        yield from (missing_text(Role(kind, ""), grammar.views) for kind in absent)
    elif phrases:
        yield from (_word_reason(phrase, grammar) for phrase in phrases)
    else:
        yield "It is not clear what is asked for."


def _unknown_patients(question: str, grammar: Grammar) -> Iterator[str]:
    patients = {
        text for role, each in grammar.texts.items() if role.column == "patient" for text in each
    }
    for named in _PATIENT.findall(question) if patients else ():
        if named not in patients:
            yield f"There is no patient {named} in the records."


def _missing_kinds(reading: Reading, grammar: Grammar) -> Iterator[str]:
    """The kinds of record that the question names, and the database lacks."""
    for item in tag(reading, grammar.texts):
        kind = item.meaning("noun")
        if kind in record_kinds() and kind not in grammar.views.sql:
            yield kind


def _not_understood(parsed: Parsed, composed: NotComposed | None) -> Sequence[str]:
    """The words in doubt: those that neither the learned kind nor the grammar explains."""
    if composed is None:
        return parsed.unexplained
    phrases = [_phrase(item, composed.reading) for item in composed.items]
    if not parsed.unexplained:
        return () if parsed.guess and not parsed.doubts else phrases
    both = [phrase for phrase in phrases if set(phrase.lower().split()) & set(parsed.unexplained)]
    return both or phrases or parsed.unexplained


def _phrase(item: Item, reading: Reading) -> str:
    return reading.written(item.first, item.last)


def _word_reason(phrase: str, grammar: Grammar | None) -> str:
    is_known = all(w.text in known_words() or number(w.text) is not None for w in words(phrase))
    if is_known or grammar is None:
        return f'I do not understand "{phrase}" here.'
    nearest = _nearest(phrase, grammar)
    hint = f'; the nearest in the records is "{nearest}"' if nearest else ""
    return f'"{phrase}" is not understood, or is not in the records{hint}.'


def _nearest(phrase: str, grammar: Grammar) -> str:
    """The shortest recorded name with a word that is spelled like one of a phrase."""
    from rapidfuzz import fuzz, process

    names: dict[str, str] = {}
    texts = {t for role, each in grammar.texts.items() for t in each if _is_name(role.column)}
    for text in sorted(texts, key=lambda text: (-len(text), text)):
        names |= dict.fromkeys(_long_words(text), text)
    matches = (
        process.extractOne(word, names.keys(), scorer=fuzz.ratio, score_cutoff=_MIN_SIMILARITY)
        for word in _long_words(phrase)
    )
    best = max((match for match in matches if match), key=lambda match: match[1], default=None)
    return names[best[0]] if best else ""


def _long_words(text: str) -> list[str]:
    return [word.text for word in words(text) if len(word.text) >= _MIN_LETTERS]


def _is_name(column: str) -> bool:
    return column not in ("patient", "admission", "stay")


def _doubt_lines(doubt: Doubt) -> Iterator[str]:
    yield doubt.asks
    yield from (f"  {choice.name}" for choice in doubt.choices[:_CHOICES])
    if len(doubt.choices) > _CHOICES:
        yield f"  … and {len(doubt.choices) - _CHOICES} more"
