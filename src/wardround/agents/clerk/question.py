"""A physician's question, read: its intents and terms, and what it leaves to earlier turns."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from wardround.agents.clerk.intents import WRITES, Intent, intent_scores
from wardround.agents.clerk.names import Found, TermKind, find_terms, groups

Language: TypeAlias = Literal["en", "zh"]
_HAN = re.compile(r"[\u4e00-\u9fff]")
_BACK = re.compile(
    r"\b(?:it|its|that|this|those|these|them|they|their|same|still|since|there|then|both|either)\b"
    r"|[它这那其该此]|上述|同样|两者|后来|刚才|之前",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d|\b(?:tomorrow|today)\b|明天|今天", re.IGNORECASE)
_FRAGMENT = 4  # words, or pairs of Chinese letters, up to which a question without terms leans back
_CHOSEN, _BEST = 0.4, 0.15  # the least score of an intent, and of the best one
_MASKS: dict[TermKind, str] = {
    "panel": "TEST", "class": "DRUG", "diagnosis": "DX", "service": "SVC", "frequency": "FREQ",
    "priority": "PRIO",
}  # fmt: skip
PATIENT: tuple[Intent, ...] = ("symptoms", "adherence", "social", "function", "pain")
# Intents about terms of a kind.
_ABOUT: dict[Intent, tuple[TermKind, ...]] = {
    "labs": ("test", "panel"),
    "vitals": ("vital",),
    "orders": ("drug", "class"),
    "doses": ("drug", "class"),
    "adherence": ("drug", "class"),
    "imaging": ("service",),
    "score": ("score",),
    "medicate": ("drug",),
    "request": ("service", "test", "panel"),
    "flag": ("drug", "diagnosis"),
}
_LOOKUPS: dict[TermKind, Intent] = {
    "test": "labs", "panel": "labs", "vital": "vitals", "culture": "cultures", "drug": "orders",
    "class": "orders", "score": "score",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its terms and intents.

    Attributes:
        text: the words.
        language: their language.
        intents: what is wanted, the likeliest first.
        terms: the terms in it, and those taken over from earlier turns.
        leans_back: it leaves something to earlier turns.
    """

    text: str
    language: Language
    intents: tuple[Intent, ...]
    terms: tuple[Found, ...]
    leans_back: bool

    def names(self, *kinds: TermKind) -> tuple[str, ...]:
        """The names of the terms of some kinds, each once."""
        return tuple(dict.fromkeys(each.name for each in self.terms if each.kind in kinds))

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests, those of panels included."""
        panels = (groups()["panel", name].members for name in self.names("panel"))
        return tuple(dict.fromkeys((*self.names("test"), *(t for each in panels for t in each))))

    @property
    def writes(self) -> bool:
        """True if an order is wanted."""
        return any(intent in WRITES for intent in self.intents)


def read_question(text: str) -> Question:
    """Reads a question by itself.

    >>> question = read_question("What is the latest potassium?")
    >>> question.intents, question.tests
    (('labs',), ('potassium',))
    """
    terms = find_terms(text)
    scores = intent_scores(masked(text, terms))
    best: Intent = max(scores, key=lambda name: scores[name])
    chosen = [name for name in scores if scores[name] >= _CHOSEN or name == best]
    intents = sorted(chosen, key=lambda name: -scores[name]) if scores[best] >= _BEST else []
    intents = [best] if best in WRITES else [name for name in intents if name not in WRITES]
    own = tuple(terms)
    short = len(masked(text, terms).split()) <= _FRAGMENT and len(_HAN.findall(text)) <= _FRAGMENT
    leans = _BACK.search(text) is not None or short
    language: Language = "zh" if _HAN.search(text) else "en"
    return Question(text, language, tuple(_with_lookups(intents, own)), own, leans)


def masked(text: str, terms: Sequence[Found]) -> str:
    """A text with its terms as their kinds in capitals, and digits as 9.

    >>> masked("Start Lasix 40 mg", find_terms("Start Lasix 40 mg"))
    'Start DRUG 9 UNIT'
    """
    parts, place = [], 0
    for each in terms:
        parts += [text[place : each.start], _MASKS.get(each.kind, each.kind.upper())]
        place = each.end
    parts.append(text[place:])
    return re.sub(r"\d+(?:\.\d+)?", "9", _DATE.sub("DATE", "".join(parts)))


def resolved(question: Question, earlier: Sequence[Question]) -> Question:
    """A question with the terms that it leaves to earlier turns; a summary has those of all."""
    if "summary" in question.intents and not question.names("test", "panel", "drug", "class"):
        terms = [each for turn in earlier for each in turn.terms if each.kind in _LOOKUPS]
        return _with(question, terms)
    if "advice" in question.intents and not _terms_of(question, tuple(_LOOKUPS)):
        return _with(question, _latest(earlier, tuple(_LOOKUPS)))
    for intent in question.intents:
        kinds = _ABOUT.get(intent, ())
        if kinds and question.leans_back and not _terms_of(question, kinds):
            question = _with(question, _latest(earlier, kinds), look_up=False)
    return question


def _with(question: Question, terms: Iterable[Found], *, look_up: bool = True) -> Question:
    added = {(each.kind, each.name): each for each in terms}
    intents = question.intents
    if look_up:
        intents = tuple(_with_lookups(list(intents), tuple(added.values())))
    return replace(question, terms=(*question.terms, *added.values()), intents=intents)


def _latest(earlier: Sequence[Question], kinds: Sequence[TermKind]) -> tuple[Found, ...]:
    """The terms of some kinds in the last turn that has any."""
    found = (_terms_of(turn, kinds) for turn in reversed(earlier))
    return next(filter(None, found), ())


def _terms_of(question: Question, kinds: Sequence[TermKind]) -> tuple[Found, ...]:
    return tuple(each for each in question.terms if each.kind in kinds)


def _with_lookups(intents: list[Intent], terms: Sequence[Found]) -> list[Intent]:
    """The intents, and those of looking up terms that no intent is about."""
    if any(intent in WRITES or intent in PATIENT for intent in intents):
        return intents
    about = {kind for intent in intents for kind in _ABOUT.get(intent, ())}
    more = (_LOOKUPS[each.kind] for each in terms if each.kind in _LOOKUPS)
    added = [each for each in dict.fromkeys(more) if each not in intents]
    needed = [each for each in added if not about.intersection(_ABOUT.get(each, ()))]
    return [*intents, *needed]
