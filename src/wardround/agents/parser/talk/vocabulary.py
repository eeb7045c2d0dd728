"""Finds known clinical terms: tests, vital signs, drugs, procedures and diagnoses."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from wardround.agents.parser.talk.patterns import word_patterns
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms import formal_names, lab_names
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.conditions import conditions, procedures
from wardround.ehr.terms.labs import labs
from wardround.ehr.text.mentions import find_drugs

# Short names are everyday words too; they count only in capitals or if unlike any such word.
_SHORT = re.compile(r"[a-z][a-z+-]?|(?=[a-z]*[aeiouy])[a-z]{3}")


class Term(NamedTuple):
    """A clinical term at `text[start:end]`, with its kind."""

    start: int
    end: int
    kind: str


def find_terms(text: str) -> Iterator[Term]:
    """The vital signs, tests, drug classes, drugs, procedures and diagnoses in a text.

    Ranges may overlap, as the same word may be a drug and a test.

    >>> sorted({word.kind for word in find_terms("potassium, heart rate, SSRIs and Lasix")})
    ['class', 'drug', 'lab', 'vital']
    >>> [word.kind for word in find_terms("pneumonia or kidney failure")]
    ['diagnosis', 'diagnosis']
    """
    low = text.lower()
    for kind, pattern in _patterns().items():
        for match in pattern.finditer(low):
            if not _SHORT.fullmatch(text[match.start() : match.end()]):
                yield Term(match.start(), match.end(), kind)
    yield from (Term(m.start, m.end, "drug") for m in find_drugs(text))


def is_clinical_term(kind: str, phrase: str) -> bool:
    """True if a whole phrase is a clinical term.

    >>> is_clinical_term("diagnosis", "lung infection")
    True
    >>> is_clinical_term("diagnosis", "heart rhythm problem")
    False
    """
    whole = any(word.start == 0 and word.end == len(phrase) for word in find_terms(phrase))
    return whole or len(clinical_names(kind, phrase)) > 1


def kinds_of(phrase: str) -> set[str]:
    """The kinds of record that a whole phrase is a known term of.

    >>> kinds_of("potassium"), kinds_of("the most visits")
    ({'lab'}, set())
    """
    terms = [each for each in find_terms(phrase.upper()) if each[:2] == (0, len(phrase))]
    return {"drug" if each.kind == "class" else each.kind for each in terms}


def clinical_names(kind: str, phrase: str) -> tuple[str, ...]:
    """The names that records may have for a term, the likeliest first.

    >>> clinical_names("vital", "pulse"), clinical_names("lab", "hgb")
    (('heart rate',), ('hemoglobin', 'hgb'))
    >>> clinical_names("diagnosis", "family history of breast cancer")
    ('family history of breast cancer', 'family history of malignant neoplasm of breast')
    """
    if kind == "vital":
        patterns = word_patterns("vitals").items()
        return tuple(name for name, wording in patterns if wording.fullmatch(phrase)) or (phrase,)
    if kind == "lab":
        return tuple(dict.fromkeys([*lab_names(phrase), phrase]))
    if kind == "procedure":
        names = (name for each in phrase.split("; ") for name in _procedure_names(each))
        return tuple(dict.fromkeys(names))
    if kind == "diagnosis":
        history, _, thing = phrase.rpartition("history of ")
        start = f"{history}history of " if history else ""
        return tuple(dict.fromkeys([phrase, *(start + name for name in formal_names(thing))]))
    return (phrase,)


def _procedure_names(phrase: str) -> tuple[str, ...]:
    """The phrase with all names of the procedures that go by it."""
    names = [(procedure.name, *procedure.synonyms) for procedure in procedures()]
    called = (phrase, phrase.removesuffix("s"))
    same = (name for group in names if not set(called).isdisjoint(group) for name in group)
    return (phrase, *same, *formal_names(phrase))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    vitals = "|".join(pattern.pattern for pattern in word_patterns("vitals").values())
    tests = {name for lab in labs() for name in (lab.name, *lab.synonyms)}
    tests |= {row[0] for row in read_rows("wardround.ehr.terms", "lab_terms.tsv")}
    classes = {name for each in drug_classes() for name in (each.name, *each.synonyms)}
    operations = {
        name for procedure in procedures() for name in (procedure.name, *procedure.synonyms)
    }
    diagnoses = {name for condition in conditions() for name in condition.names}
    diagnoses |= {row[0] for row in read_rows("wardround.ehr.terms", "lay_terms.tsv")}
    return {
        "vital": re.compile(rf"\b(?:{vitals})\b"),
        "lab": _either(tests),
        "class": _either(classes, "s?"),
        "procedure": _either(operations, "s?"),
        "diagnosis": _either(diagnoses),
    }


def _either(names: Iterable[str], ending: str = "") -> re.Pattern[str]:
    """A pattern of any of the names as a whole word."""
    longest_first = sorted({name for name in names if len(name) > 1}, key=lambda n: (-len(n), n))
    wording = "|".join(re.escape(name) for name in longest_first)
    return re.compile(rf"(?<![\w-])(?:{wording}){ending}(?![\w-])")
