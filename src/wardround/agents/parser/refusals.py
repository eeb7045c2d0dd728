"""Says why a question is refused: an unknown patient, a name not in the records, or a word."""

import re
from collections.abc import Collection, Iterator, Sequence

from wardround.agents.parser.abstention_rules import Doubt
from wardround.agents.parser.grammar.grammar import Grammar, NotComposed
from wardround.agents.parser.grammar.lexicon import known_words
from wardround.agents.parser.grammar.tagger import Item
from wardround.agents.parser.parser import Parsed, Parser
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.tokens import words

_CHOICES = 10
_PATIENT = re.compile(r"\bpatients?(?:\s+(?:id|number|no\.?|#))?\s+(\d[\d-]*)\b", re.IGNORECASE)

# A recorded name this similar to an unknown one is worth naming.
_MIN_SIMILARITY = 75.0
_MIN_LETTERS = 4


def refusal_reasons(
    question: str, parsed: Parsed, composed: NotComposed | None, parser: Parser
) -> Iterator[str]:
    """Sentences on why a question is refused.

    Args:
        question: The question.
        parsed: Its best parse as a learned kind.
        composed: What the grammar did not understand; None without a grammar.
        parser: The parser.
    """
    patients = _recorded(parser, "patient")
    unknown = [number for number in _PATIENT.findall(question) if number not in patients]
    if unknown and patients:
        yield from (f"There is no patient {number} in the records." for number in unknown)
        return
    if parsed.sql is not None and parsed.misread and not parsed.unexplained:
        yield from (f'I do not understand "{word}" here.' for word in parsed.misread)
        return
    is_missing = parsed.guess is None or not parsed.unexplained
    phrases = () if parsed.doubts and is_missing else _not_understood(parsed, composed)
    if phrases:
        yield from (_word_reason(phrase, parser.grammar) for phrase in phrases)
    elif parsed.doubts:
        yield from (line for doubt in parsed.doubts for line in _doubt_lines(doubt))
    else:
        yield "I am not sure enough of what was asked."


def _recorded(parser: Parser, column: str) -> Collection[str]:
    texts = parser.grammar.texts if parser.grammar else {}
    return {text for role, each in texts.items() if role.column == column for text in each}


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
    first, last = reading.words[item.first], reading.words[item.last - 1]
    return reading.question[first.start : last.end]


def _word_reason(phrase: str, grammar: Grammar | None) -> str:
    if {word.text for word in words(phrase)} <= known_words() or grammar is None:
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
