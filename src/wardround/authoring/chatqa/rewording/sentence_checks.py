"""Checks that a sentence in other words keeps its values, numbers, bounds, negations and order."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, TypeAlias

from wardround.authoring.chatqa.instructions import Sentence
from wardround.authoring.chatqa.spoken_values import everyday_words
from wardround.authoring.rewording.comparison import changed_senses, same_words
from wardround.authoring.rewording.pipeline import Check
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import quantities
from wardround.ehr.text.segments import sentences
from wardround.people.instruction import Junction, Step, Stop
from wardround.people.instruction_parser import read_instruction

OPENINGS = ("Your goal is to", "Specifically, you", "You", "If")
_MARKS = re.compile(r"[{}\[\]|<>@#*_`\t\n]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MOST_WORDS = 4 / 3
_KINDS = ("drug", "test", "diagnosis", "complaint")
_LATER = re.compile(r"\b(?:after|follow(?:ed|ing|s)?|later than|subsequent to)\b(?! (?:it|that)\b)")
_EARLIER = re.compile(r"\b(?:first|before|prior to|preced\w+|ahead of|earlier than)\b")

_Fault: TypeAlias = Callable[[Sentence, str], str]


def checks_of(sentence: Sentence, answer: Sequence[str]) -> dict[str, Check[str]]:
    """The checks of a sentence's wordings by name, in order.

    Args:
        sentence: the sentence.
        answer: the values of the task's answer.

    >>> sentence = Sentence("condition", "You want only stays without heparin.", ("heparin",))
    >>> checks = checks_of(sentence, ())
    >>> checks["senses"]("You need just the stays with heparin.", ())
    'changes: exclusion'
    """
    faults: dict[str, _Fault] = {
        "form": _form_fault,
        "novelty": lambda old, new: "the same words" if same_words(old.text, new) else "",
        "values": _values_fault,
        "names": _names_fault,
        "answer": lambda old, new: _answer_fault(old, new, answer),
        "numbers": _numbers_fault,
        "senses": _senses_fault,
        "order": _order_fault,
        "reading": _reading_fault,
    }
    return {name: partial(_checked, sentence, fault) for name, fault in faults.items()}


def opening(text: str) -> str:
    """The words that a sentence of an instruction begins with."""
    return next(words for words in OPENINGS if text.startswith(words))


def _checked(sentence: Sentence, fault: _Fault, wording: str, before: Sequence[str]) -> str:
    return fault(sentence, wording)


def _form_fault(old: Sentence, new: str) -> str:
    if not new.startswith(opening(old.text)):
        return "another beginning"
    if _MARKS.search(new) or not new.endswith(".") or len(sentences(new, "en")) > 1:
        return "no single sentence"
    too_long = len(new.split()) > _MOST_WORDS * len(old.text.split())
    return "more than a third longer" if too_long else ""


def _values_fault(old: Sentence, new: str) -> str:
    """The fault of a wording that has other values, or has them in another order."""
    if _placed(old.text, old.values) != _placed(new, old.values):
        return "other values, or in another order"
    return ""


def _placed(text: str, values: Sequence[str]) -> list[str]:
    """The values in a text, from left to right; one within another does not count."""
    if not values:
        return []
    return [match[0].lower() for match in _any_of(values).finditer(text)]


def _any_of(values: Sequence[str]) -> re.Pattern[str]:
    longest = sorted(map(re.escape, values), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(longest)})(?!\w)", re.IGNORECASE)


def _names_fault(old: Sentence, new: str) -> str:
    """The fault of a wording that names another thing of the records."""
    added = _names(_bare(old, new)) - _names(_bare(old, old.text))
    return "another name" if added else ""


def _names(text: str) -> set[str]:
    lower = text.lower()
    everyday = {word for word in everyday_words() if re.search(rf"\b{re.escape(word)}\b", lower)}
    return everyday | {each.name for each in mentions(text, *_KINDS)}


def _answer_fault(old: Sentence, new: str, answer: Sequence[str]) -> str:
    named = [value for value in answer if re.search(rf"\b{re.escape(value)}\b", new, re.IGNORECASE)]
    return "a value of the answer" if any(value not in old.text for value in named) else ""


def _numbers_fault(old: Sentence, new: str) -> str:
    return "other numbers" if _numbers(_bare(old, old.text)) != _numbers(_bare(old, new)) else ""


def _numbers(text: str) -> Counter[float]:
    """The numbers of a text, in digits or in words."""
    return Counter((*map(float, _NUMBER.findall(text)), *(q.value for q in quantities(text))))


def _senses_fault(old: Sentence, new: str) -> str:
    changed = changed_senses(*(_bare(old, text, number="7") for text in (old.text, new)))
    return f"changes: {', '.join(changed)}" if changed else ""


def _bare(sentence: Sentence, text: str, number: str = "X") -> str:
    """A text with its values blanked; those in digits are `number`."""
    if not sentence.values:
        return text
    return _any_of(sentence.values).sub(
        lambda match: number if match[0].replace(".", "").isdecimal() else "X", text
    )


def _order_fault(old: Sentence, new: str) -> str:
    """The fault of a wording that does not surely put two things in the old order of time."""
    names = [value for value in old.values if not _NUMBER.fullmatch(value)]
    if len(names) != 2 or not (_LATER.search(old.text) or _EARLIER.search(old.text)):
        return ""
    before, after = (_order(text, names) for text in (old.text, new))
    return "" if before == after != "unclear" else "another order of time, or an unclear one"


def _order(text: str, names: Sequence[str]) -> Literal["earlier", "later", "unclear"]:
    """The time of the thing that is named first, beside the second."""
    places = [match.span() for match in _any_of(names).finditer(text)]
    if len(places) != 2:
        return "unclear"
    between = text[places[0][1] : places[1][0]]
    if _EARLIER.search(between):
        return "earlier"
    return "later" if _LATER.search(between) else "unclear"


def _reading_fault(old: Sentence, new: str) -> str:
    """The fault of a wording that the simulated user would say at another time."""
    return "" if _reading(old.text) == _reading(new) else "read as another kind of wish"


def _reading(text: str) -> object:
    read = read_instruction(text)
    groups = tuple(len(group) for group in read.alternatives)
    formats, answers = len(read.answer_formats), len(read.answers)
    return bool(read.goal), tuple(_shapes(read.script)), groups, formats, answers, read.withheld


def _shapes(steps: Sequence[Step]) -> Iterator[object]:
    """The kinds of steps, without their words."""
    for step in steps:
        if isinstance(step, Junction):
            yield tuple(_shapes(step.found)), tuple(_shapes(step.nothing))
        else:
            yield "stop" if isinstance(step, Stop) else step.depends
