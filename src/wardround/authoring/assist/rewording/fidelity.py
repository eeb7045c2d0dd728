"""Compares a reworded text with its old one: form, terms, numbers, negations, directions, order."""

import re
from collections import Counter
from collections.abc import Iterator

from wardround.authoring.assist.gates.chinese_twins import KINDS, numbers, sense_words, terms
from wardround.authoring.assist.gates.switches import switches
from wardround.authoring.rewording.comparison import qualifiers
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.text.cues import negations
from wardround.ehr.text.quantities import quantities

_HAN = re.compile(r"[\u4e00-\u9fff]")
_MARKS = re.compile(r"[{}\[\]|<>@#*_`\n\t\"]")
_ENDS = (".", "?", "。", "？")
# Qualifiers of which a value is wanted (`authoring/rewording/qualifiers.toml`).
# "Next" is none: "what next?" asks for an advice.
_ORDER = frozenset(("first", "last", "before", "after", "most", "least", "highest", "mean"))


def form_faults(text: str, language: Language) -> Iterator[str]:
    """The reasons why a text is no question in a language.

    >>> list(form_faults("它现在是多少？", "zh")), list(form_faults("它现在是多少？", "en"))
    ([], ['a wording is in another language'])
    """
    if not text.endswith(_ENDS) or _MARKS.search(text):
        yield "a wording is not a plain sentence"
    if bool(_HAN.search(text)) != (language == "zh"):
        yield "a wording is in another language"


def changed_facts(old: str, new: str, language: Language) -> Iterator[str]:
    """The reasons why a reworded text does not ask for what the old one does.

    >>> list(changed_facts("Is warfarin taken?", "Do they take apixaban?", "en"))
    ['a wording has other terms: drug']
    >>> list(changed_facts("In three days?", "In 5 days, please?", "en"))
    ['a wording has other numbers']
    """
    for kind in KINDS:
        if terms(old, kind) != terms(new, kind):
            yield f"a wording has other terms: {kind}"
    if numbers(old) != numbers(new) or _amounts(old) != _amounts(new):
        yield "a wording has other numbers"
    if bool(negations(old, language)) != bool(negations(new, language)):
        yield "a wording has another negation"
    if sense_words(old, language, "direction") != sense_words(new, language, "direction"):
        yield "a wording has another direction"
    if language == "en" and qualifiers(old) & _ORDER != qualifiers(new) & _ORDER:
        yield "a wording asks for values of another time or order"
    if switches(old) != switches(new):
        yield "a wording switches other drugs"


def _amounts(text: str) -> Counter[tuple[float, str]]:
    """The quantities of a text that have a unit, in digits or in words.

    A word without one is often no number: 最近一次 (the latest), 下一步 (the next step).
    """
    return Counter((each.value, each.unit) for each in quantities(text) if each.unit)
