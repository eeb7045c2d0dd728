"""Compares a reworded text with its old one: form, terms, numbers, negations, directions, order."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from wardround.authoring.assist.gates.chinese_twins import KINDS, numbers, sense_words, terms
from wardround.authoring.assist.gates.switches import switches
from wardround.authoring.rewording.comparison import qualifiers
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.text.cues import negations
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import quantities

_SINCE_WHEN = re.compile(r"\bsince (?:when|wh(?:at|ich) \w+)\b", re.IGNORECASE)
_HAN = re.compile(r"[\u4e00-\u9fff]")
_MARKS = re.compile(r"[{}\[\]|<>@#*_`\n\t\"]")
_ENDS = (".", "?", "。", "？")
# Qualifiers of which a value is wanted (`authoring/rewording/qualifiers.toml`).
# "Next" is none: "what next?" asks for an advice.
_ORDER = frozenset(("first", "last", "before", "after", "most", "least", "highest", "mean"))


class Refusal(NamedTuple):
    """A reason to refuse a wording.

    Attributes:
        reason: the reason, without values of the patient.
        words: the words that are lost or added; only the writer is told them.
    """

    reason: str
    words: str = ""


def form_faults(text: str, language: Language) -> Iterator[Refusal]:
    """The reasons why a text is no question in a language.

    >>> [each.reason for each in form_faults("它现在是多少？", "en")]
    ['a wording is in another language']
    >>> list(form_faults("它现在是多少？", "zh"))
    []
    """
    if not text.endswith(_ENDS) or _MARKS.search(text):
        yield Refusal("a wording is not a plain sentence")
    if bool(_HAN.search(text)) != (language == "zh"):
        yield Refusal("a wording is in another language")


def changed_facts(old: str, new: str, language: Language) -> Iterator[Refusal]:
    """The reasons why a reworded text does not ask for what the old one does.

    >>> list(changed_facts("Is warfarin taken?", "Do they take apixaban?", "en"))
    [Refusal(reason='a wording has other terms: drug', words='lost: warfarin; added: apixaban')]
    >>> [each.reason for each in changed_facts("In three days?", "In 5 days, please?", "en")]
    ['a wording has other numbers']
    """
    for kind in KINDS:
        before, after = terms(old, kind), terms(new, kind)
        if before != after:
            yield Refusal(f"a wording has other terms: {kind}", _differing(before, after))
    if numbers(old) != numbers(new) or _amounts(old) != _amounts(new):
        differing = _differing(numbers(old), numbers(new))
        yield Refusal("a wording has other numbers", differing)
    if bool(negations(old, language)) != bool(negations(new, language)):
        yield Refusal("a wording has another negation")
    directions = [sense_words(text, language, "direction") for text in (old, new)]
    if directions[0] != directions[1]:
        yield Refusal("a wording has another direction", _differing(*directions))
    if language == "en":
        before, after = _orders(old), _orders(new)
        if before != after:
            reason = "a wording asks for values of another time or order"
            yield Refusal(reason, _differing(before, after))
    if switches(old) != switches(new):
        yield Refusal("a wording switches other drugs")


def named_terms(text: str) -> dict[str, str]:
    """The names of a text that every wording of it keeps, each with its English name.

    >>> named_terms("最近一次华法林给药，以及最新血红蛋白？")
    {'华法林': 'warfarin', '血红蛋白': 'hemoglobin'}
    """
    shown = sorted(mentions(text, *KINDS), key=lambda mention: mention.start)
    return {text[each.start : each.end]: each.name for each in shown}


def _orders(text: str) -> frozenset[str]:
    """The qualifiers of an English text that choose among values; "since when" asks for a day."""
    return qualifiers(_SINCE_WHEN.sub(" ", text)) & _ORDER


def _differing(before: Collection[str], after: Collection[str]) -> str:
    """The words that only one of two texts has."""
    lost, added = sorted({*before} - {*after}), sorted({*after} - {*before})
    parts = (("lost", lost), ("added", added))
    return "; ".join(f"{name}: {', '.join(words)}" for name, words in parts if words)


def _amounts(text: str) -> Counter[tuple[float, str]]:
    """The quantities of a text that have a unit, in digits or in words.

    A word without one is often no number: 最近一次 (the latest), 下一步 (the next step).
    """
    return Counter((each.value, each.unit) for each in quantities(text) if each.unit)
