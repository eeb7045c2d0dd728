"""Names in an answer that say nothing by themselves: coded titles, side effects, forms of drugs."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from wardround.benchmarks.assist.checks.lexicon import cue, word_pattern
from wardround.core.packaged_data import read_lines
from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.names import salts
from wardround.ehr.text.dates import without_times
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.segments import Span, phrases

_TEXTS = 4096  # cached texts
CODE = re.compile(
    r"(?<![A-Za-z0-9.])(?:[A-TV-Z]\d{2}|\d{3})[0-9A-Z]*(?:\.[0-9A-Z]+)?(?![A-Za-z0-9])"
)
_CODE_IN_BRACKETS = re.compile(rf"\s*[(（]\s*({CODE.pattern}|[EV]\d{{3,4}})\s*[)）]")
# The signs and words that a title stands behind.
_BEFORE_TITLE = re.compile(r"[:;：；、]\s*|[)）]\s*[,，]\s*|\b(?:is|are|was|were)\s+|为|是")
_BEFORE_ADVICE = re.compile(r"\W*(?:(?:then|now|please|so|also)\b\W*)?", re.IGNORECASE)


@lru_cache(_TEXTS)
def silent_names(text: str) -> tuple[Span, ...]:
    """The places of names that state nothing, whatever words they hold.

    >>> text = "Further diagnoses: Old myocardial infarction (412), Do not intubate (V4986)."
    >>> [text[each.start : each.end] for each in silent_names(text)]
    ['Old myocardial infarction']
    >>> text = "Enalapril maleate has a known risk of angioedema."
    >>> [text[each.start : each.end] for each in silent_names(text)]
    ['maleate', 'angioedema']
    """
    # Potassium is a salt, and a test.
    named = [mention.span for mention in mentions(text, "drug", "test")]
    listed = (Span(*match.span()) for match in _listed().finditer(plain(text)))
    alone = (each for each in listed if not any(n.start <= each.start < n.end for n in named))
    return tuple(sorted([*_coded_titles(text), *alone]))


def _coded_titles(text: str) -> Iterator[Span]:
    """The titles before codes in brackets; one that names an order or begins as advice is none."""
    end = 0
    for code in _CODE_IN_BRACKETS.finditer(without_times(text)):
        starts = [m.end() for m in _BEFORE_TITLE.finditer(text, end, code.start())]
        start, end = (starts[-1] if starts else end), code.end()
        title = text[start : code.start()]
        if not _begins_as_advice(title) and not _names_an_order(title):
            yield Span(start, code.start())


def _begins_as_advice(title: str) -> bool:
    before = _BEFORE_ADVICE.match(title)
    return cue("advice").match(title, before.end() if before else 0) is not None


def _names_an_order(title: str) -> bool:
    return bool(mentions(title, "drug", "service")) and not cue("long-term use").match(title)


@cache
def _listed() -> re.Pattern[str]:
    """The side effects of classes, and the salts and forms that stand beside a drug's name."""
    effects = {effect for group in drug_classes() for effect in group.side_effects}
    words = [word for word in read_lines("wardround.ehr.terms", "form_words.txt") if len(word) > 1]
    joining = {word for word in words if phrases(f"a {word} b", "en")[0].end == 1}
    forms = {word for word in words if not mentions(f"5 {word}", "unit", "route", "frequency")}
    return re.compile(word_pattern(map(plain, effects | forms - joining | set(salts()))))
