"""Clinical words the agent knows beforehand: lab tests, vital signs, drug classes, formal names."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from wardround.agents.keyword.patterns import words_for
from wardround.ehr.terms import find_drugs, formal_names, lab_names
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.labs import labs
from wardround.ehr.terms.packaged import rows


class Word(NamedTuple):
    """A known word in a text: `text[start:end]` is of this kind."""

    start: int
    end: int
    kind: str


def known_words(text: str) -> Iterator[Word]:
    """The vital signs, lab tests, drug classes and drugs in a text, possibly overlapping.

    >>> sorted({word.kind for word in known_words("potassium, heart rate, SSRIs and Lasix")})
    ['class', 'drug', 'lab', 'vital']
    """
    low = text.lower()
    for kind, pattern in _patterns().items():
        yield from (Word(m.start(), m.end(), kind) for m in pattern.finditer(low))
    yield from (Word(m.start, m.end, "drug") for m in find_drugs(text))


def known_conditions(text: str) -> Iterator[Word]:
    """The conditions in a lower-case text that have a common name.

    >>> [word.kind for word in known_conditions("pneumonia or kidney failure")]
    ['diagnosis', 'diagnosis']
    """
    for match in _conditions().finditer(text):
        yield Word(match.start(), match.end(), "diagnosis")


def is_term(kind: str, phrase: str) -> bool:
    """Whether a phrase is a clinical term as a whole, rather than a way of speaking.

    >>> is_term("diagnosis", "lung infection"), is_term("diagnosis", "heart rhythm problem")
    (True, False)
    """
    words = [*known_words(phrase), *known_conditions(phrase.lower())]
    whole = any(word.start == 0 and word.end == len(phrase) for word in words)
    return whole or len(formal(kind, phrase)) > 1


@cache
def _conditions() -> re.Pattern[str]:
    names = {name for known in conditions() for name in known.names}
    return _either(name for name in names | {row[0] for row in rows("lay_terms.tsv")} if name[3:])


def formal(kind: str, phrase: str) -> tuple[str, ...]:
    """What records may call the thing, the likeliest first.

    >>> formal("vital", "pulse"), formal("lab", "hgb")
    (('heart rate',), ('hemoglobin', 'hgb'))
    >>> formal("diagnosis", "family history of breast cancer")
    ('family history of breast cancer', 'family history of malignant neoplasm of breast')
    """
    if kind == "vital":
        patterns = words_for("vitals").items()
        return tuple(name for name, said in patterns if said.fullmatch(phrase)) or (phrase,)
    if kind == "lab":
        return tuple(dict.fromkeys([*lab_names(phrase), phrase]))
    if kind in ("diagnosis", "procedure"):
        history, _, thing = phrase.rpartition("history of ")
        start = f"{history}history of " if history else ""
        return tuple(dict.fromkeys([phrase, *(start + name for name in formal_names(thing))]))
    return (phrase,)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    vitals = "|".join(pattern.pattern for pattern in words_for("vitals").values())
    tests = {name for lab in labs() for name in (lab.name, *lab.synonyms) if len(name) > 1}
    classes = {name for each in drug_classes() for name in (each.name, *each.synonyms)}
    return {
        "vital": re.compile(rf"\b(?:{vitals})\b"),
        "lab": _either(tests),
        "class": _either(classes, "s?"),
    }


def _either(names: Iterable[str], ending: str = "") -> re.Pattern[str]:
    """Any of the names as a whole word, the longest first."""
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    said = "|".join(re.escape(name) for name in longest_first)
    return re.compile(rf"(?<![\w-])(?:{said}){ending}(?![\w-])")
