"""Lay and database names of diagnoses and lab tests."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.conditions import condition_named
from wardround.ehr.terms.names import key

_CANCER = re.compile(r"(?P<organ>[a-z ]+?) (cancer|carcinoma|malignancy)")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9./'-]*")
_LONGEST = 6  # words in the longest lay term


def formal_names(text: str) -> tuple[str, ...]:
    """The ICD wording of a lay term, or of every lay term in a sentence.

    In a sentence, terms of up to three letters must be in capitals.

    >>> formal_names("Breast cancer")
    ('malignant neoplasm of breast',)
    >>> formal_names("had a blood clot in the lung, then AKI")[:2]
    ('pulmonary embolism', 'acute kidney failure')
    """
    return formal_names_of_term(text) or _formal_in_sentence(text)


def formal_names_of_term(text: str) -> tuple[str, ...]:
    """The ICD wording of a lay term; none if only a part of the text is one.

    >>> formal_names_of_term("Breast cancer"), formal_names_of_term("bad breast cancer scare")
    (('malignant neoplasm of breast',), ())
    """
    term = key(text)
    formal = _lay_terms().get(term) or _lay_terms().get(term.removesuffix("s"))
    organ = _CANCER.fullmatch(term)
    if formal is None and organ:
        return (f"malignant neoplasm of {organ['organ']}",)
    return formal or ()


def _formal_in_sentence(text: str) -> tuple[str, ...]:
    names: dict[str, None] = {}
    words = [word.strip(".") for word in _WORD.findall(text)]
    while words:
        length, formal = _first_term(words)
        names.update(dict.fromkeys(formal))
        words = words[length:]
    return tuple(names)


def _first_term(words: list[str]) -> tuple[int, tuple[str, ...]]:
    """The word count of the longest leading term, and its formal names."""
    for length in range(min(_LONGEST, len(words)), 0, -1):
        span = " ".join(words[:length])
        if (len(span) > 3 or span.isupper()) and (formal := _lay_terms().get(key(span))):
            return length, formal
    return 1, ()


def lay_names(formal: str) -> tuple[str, ...]:
    """The lay names of a formal diagnosis.

    >>> "heart attack" in lay_names("myocardial infarction")
    True
    """
    return _formal_terms().get(key(formal), ())


def same_condition(name: str) -> tuple[str, ...]:
    """The name and all synonyms of the condition, including subtypes with the same treatment.

    Suits searching for treatments and articles; to count patients, use the narrower `formal_names`.

    >>> same_condition("GERD")[1:3]
    ('gastroesophageal reflux disease', 'acid reflux')
    """
    condition = condition_named(name)
    synonyms = condition.names if condition else ()
    return tuple(dict.fromkeys((key(name), *synonyms, *formal_names_of_term(name))))


def lab_names(term: str) -> tuple[str, ...]:
    """The database labels of a lab test or vital sign.

    >>> lab_names("WBC"), lab_names("Hb"), lab_names("esr")
    (('white blood cells',), ('hemoglobin',), ('sedimentation rate',))
    """
    return _lab_terms().get(key(term), ())


@cache
def _lay_terms() -> Mapping[str, tuple[str, ...]]:
    return {
        key(term): split_cell(formal) for term, formal in read_rows(__package__, "lay_terms.tsv")
    }


@cache
def _formal_terms() -> Mapping[str, tuple[str, ...]]:
    reverse: dict[str, list[str]] = defaultdict(list)
    for term, formal in read_rows(__package__, "lay_terms.tsv"):
        for name in split_cell(formal):
            if key(name) != key(term):
                reverse[key(name)].append(term)
    return {name: tuple(terms) for name, terms in reverse.items()}


@cache
def _lab_terms() -> Mapping[str, tuple[str, ...]]:
    terms = {
        key(term): split_cell(labels) for term, labels in read_rows(__package__, "lab_terms.tsv")
    }
    labels_by_key = {key(label): (label,) for labels in terms.values() for label in labels}
    return labels_by_key | terms
