"""Rubric items as typed checks, compiled from their sentences in either language."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from wardround.benchmarks.assist.checks.lexicon import (
    Meaning,
    class_spans,
    classes_in,
    cue,
    is_negated,
    meanings,
    spans,
    without_negation,
)
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.kit.checks import Check
from wardround.core.packaged_data import read_lines
from wardround.ehr.terms.chinese import TermKind, plain
from wardround.ehr.text.dates import days, without_times
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import NAMED, quantities
from wardround.ehr.text.segments import blanked

Act: TypeAlias = Literal["say", "recommend"]
# Kinds of terms that a statement is about, and those that say something of them.
SUBJECTS: tuple[TermKind, ...] = ("test", "drug", "diagnosis")
DETAILS: tuple[TermKind, ...] = ("route", "frequency")
# Intervals that divide a day, by the frequency with as many doses.
_TIMES_A_DAY = {
    "every 12 hours": "twice daily",
    "every 8 hours": "three times daily",
    "every 6 hours": "four times daily",
}
# "Once" is part of "the last time" in Chinese.
_ONCE = "once"
_TEXTS = 4096  # cached texts
_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)
# The grammatical subject of an item with its verb: "The answer should", "医生的回答应".
_SUBJECT = re.compile(
    r"^(?:(?:the|this|a|an|its)\s+)?(?:doctor|physician|assistant|answer|response|reply)"
    r"(?:['\u2019]s)?(?:\s+(?:answer|response|reply|recommendation|plan|analysis))?\s+"
    r"(?:(?:should|must)\s+(?!not))?"
    r"|^(?:该|此)?(?:医生|医师|助手|回答|答案|答复)(?:的(?:回答|答案|建议|推荐|分析|解释))?"
    r"(?:应该|应当|应|需要|需|必须)?",
    re.IGNORECASE,
)
_PERIOD = re.compile(
    r"(?<!in )(?<!within )(?<!after )\b(?:an?|per|each|every|over a|over the) "
    r"(?P<noun>day|week|weekend|month|year)\b|\b(?P<adverb>dai|week|month|year)ly\b"
    r"|每个?(?P<chinese>[天日周月年])",
    re.IGNORECASE,
)
_CHINESE_PERIODS = {"天": "day", "日": "day", "周": "week", "月": "month", "年": "year"}
_REFUSAL = re.compile(r"(?:(?:does|do|must|should) not|never|avoids?) \w+ ", re.IGNORECASE)
_LATIN = re.compile(r"[a-z][a-z']+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")


class Wanted(BaseModel):
    """A quantity that an answer must hold."""

    model_config = _CONFIG
    value: float
    unit: str = ""
    decimals: int = 0


class Term(BaseModel):
    """A term, by its kind and English name."""

    model_config = _CONFIG
    kind: TermKind
    name: str


class Statement(Check):
    """Something that an answer must say, or must not.

    Attributes:
        forbidden: the answer must not say or recommend it.
        act: it is said, or recommended.
        negated: what is said is itself negative, as in "saw no bleeding".
        terms: the tests, drugs, diagnoses, routes and frequencies in it.
        quantities: the numbers in it.
        dates: the dates in it.
        scores: clinical scores in it, in lower case.
        classes: classes of drugs in it.
        directions: rising or falling, high or low, starting or stopping.
        words: its other words: stems in English, runs of letters in Chinese.
        period: the time in which its numbers are counted: "six beers a day".
        latest: it is about the latest value or dose.
        first: it is about the first one.
    """

    kind: Literal["statement"] = "statement"
    forbidden: bool = False
    act: Act = "say"
    negated: bool = False
    terms: tuple[Term, ...] = ()
    quantities: tuple[Wanted, ...] = ()
    dates: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    directions: tuple[Meaning, ...] = ()
    words: tuple[str, ...] = ()
    period: str = ""
    latest: bool = False
    first: bool = False

    @property
    def is_hard(self) -> bool:
        """True if it holds more than plain words."""
        return bool(
            self.terms
            or self.quantities
            or self.dates
            or self.scores
            or self.classes
            or self.directions
        )


def compile_statement(text: str, language: Language) -> Statement:
    """The statement that an item asks for.

    >>> item = compile_statement("Says that the potassium fell to 4.5 mEq/L", "en")
    >>> item.terms, item.directions, item.quantities[0].value
    ((Term(kind='test', name='potassium'),), ('fall',), 4.5)
    >>> compile_statement("没有建议使用胺碘酮", "zh").forbidden
    True
    """
    text = _SUBJECT.sub("", text)
    refusal = cue("refuses").match(text)
    claim = text[refusal.end() :].lstrip() if refusal else text
    recommends = cue("recommends").match(claim) is not None
    body = _without_prefix(text, language)
    return Statement(
        forbidden=refusal is not None,
        act="recommend" if recommends else "say",
        negated=is_negated(body),
        terms=terms(body, *SUBJECTS, *DETAILS),
        quantities=tuple(
            Wanted(value=q.value, unit=q.unit, decimals=q.decimals)
            for q in quantities(body)
            if not _counts_frequency(body, q.start)
        ),
        dates=tuple(sorted(days(body))),
        scores=tuple(scores(body)),
        classes=tuple(sorted(classes_in(body))),
        directions=tuple(sorted(_directions(body, recommends=recommends))),
        words=tuple(words(body, language)),
        period=next(iter(periods(body)), "") if quantities(body) else "",
        latest=cue("latest").search(body) is not None,
        first=cue("first").search(body) is not None,
    )


def times_a_day(frequency: str) -> str:
    """The name of a frequency, or of that with as many doses a day.

    >>> times_a_day("every 12 hours"), times_a_day("once weekly")
    ('twice daily', 'once weekly')
    """
    return _TIMES_A_DAY.get(frequency, frequency)


def periods(text: str) -> Iterator[str]:
    """The times in which a text counts something.

    >>> list(periods("six beers a day, 每周两次")), list(periods("recheck it in a week"))
    (['day', 'week'], [])
    """
    for match in _PERIOD.finditer(text):
        name = match[match.lastgroup or 0].lower()
        yield _CHINESE_PERIODS.get(name, name.replace("dai", "day"))


@lru_cache(_TEXTS)
def terms(text: str, *kinds: TermKind) -> tuple[Term, ...]:
    """The terms of some kinds in a text, each once."""
    mentioned = (
        Term(kind=mention.kind, name=times_a_day(mention.name))
        for mention in mentions(text, *kinds)
        if mention.name != _ONCE
    )
    return tuple(dict.fromkeys(mentioned))


def scores(text: str) -> Iterator[str]:
    """The clinical scores that a text names.

    >>> list(scores("a CURB-65 of 2 and MELD"))
    ['meld', 'curb65']
    """
    for match in cue("score").finditer(text):
        yield _joined(match[0])
    for match in NAMED.finditer(text):
        if _joined(match[0]) in ("curb65", "cha2ds2vasc"):
            yield _joined(match[0])


def words(text: str, language: Language) -> Iterator[str]:
    """The words of a text but terms, numbers, directions and words of reporting.

    >>> list(words("the patient walks with a walker", "en")), list(words("患者拄拐杖行走", "zh"))
    (['walk', 'walker'], ['拄拐杖行走'])
    """
    rest = without_negation(_without_elements(text))
    if language == "en":
        stems = (stem(word) for word in _LATIN.findall(rest) if word not in _stop_words())
        yield from dict.fromkeys(stem for stem in stems if stem not in _stop_words())
        return
    for word in _chinese_stop_words():
        rest = rest.replace(word, " ")
    yield from dict.fromkeys(_HAN.findall(rest))


def stems(text: str) -> frozenset[str]:
    """The stems of the English words of a text."""
    return frozenset(map(stem, _LATIN.findall(text.lower())))


def _without_elements(text: str) -> str:
    """The text in lower case with everything blanked out that a statement holds by itself."""
    lower = without_times(plain(text))
    places = [(q.start, q.end) for q in quantities(text)]
    places += [mention.span for mention in mentions(text, *SUBJECTS, *DETAILS)]
    places += list(spans(lower, "rise", "fall", "high", "low", "normal", "stop", "start"))
    places += list(spans(lower, "less", "more", "again", "suggest"))
    places += [m.span() for m in (*cue("score").finditer(lower), *NAMED.finditer(lower))]
    places += class_spans(text)
    return blanked(lower, places)


def _without_prefix(text: str, language: Language) -> str:
    """An item without its verb of reporting: "Says that", "说明"."""
    if language == "zh":
        for name in ("refuses", "reports"):
            prefix = cue(name).match(text)
            text = text[prefix.end() :] if prefix else text
        return text.removeprefix("了")
    if refusal := _REFUSAL.match(text):
        return text[refusal.end() :]
    return re.sub(r"^\w+ (?:that )?", "", text, count=1)


def _directions(text: str, *, recommends: bool) -> frozenset[Meaning]:
    directions = meanings(text) - {"suggest", "check"}
    if not recommends:
        # "lower" in a description is not an order to give less.
        directions -= {"less", "more", "start"}
        return directions
    return directions - {"rise", "fall", "high", "low", "normal"}


def _counts_frequency(text: str, start: int) -> bool:
    """True for a number within a frequency, such as the three of "three times a day"."""
    return any(m.start <= start < m.end for m in mentions(text, "frequency"))


def _joined(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def stem(word: str) -> str:
    """A word without its ending."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _stop_words() -> frozenset[str]:
    return frozenset(read_lines(__package__, "stop_words.txt"))


def _chinese_stop_words() -> tuple[str, ...]:
    return tuple(sorted(read_lines(__package__, "stop_words_zh.txt"), key=len, reverse=True))
