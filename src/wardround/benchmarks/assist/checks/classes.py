"""Classes of drugs in a text of either language, and whether drugs belong to them."""

import re
from collections.abc import Collection, Mapping
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.classes import drug_classes


def classes_in(text: str) -> frozenset[str]:
    """The classes that a text names.

    >>> sorted(classes_in("Avoid NSAIDs and 利尿剂"))
    ['diuretic', 'nsaid']
    """
    return frozenset(_by_name()[match.group()] for match in _pattern().finditer(plain(text)))


def class_spans(text: str) -> list[tuple[int, int]]:
    """The places of names of classes in a text."""
    return [match.span() for match in _pattern().finditer(plain(text))]


def is_of_class(drugs: Collection[str], name: str) -> bool:
    """True if one of some drugs, each with its ingredients joined by " + ", is of a class.

    >>> is_of_class(["ibuprofen"], "nsaid"), is_of_class(["furosemide"], "nsaid")
    (True, False)
    """
    return any(not members(name).isdisjoint(drug.split(" + ")) for drug in drugs)


@cache
def members(name: str) -> frozenset[str]:
    """The generic names of a class, or of the classes that it stands for."""
    groups = [group for group in drug_classes() if name in (group.name, *group.synonyms)]
    return frozenset(drug for group in groups for drug in group.members)


@cache
def _by_name() -> Mapping[str, str]:
    return {
        plain(form): name
        for name, english, chinese in read_rows(__package__, "classes.tsv")
        for form in (*split_cell(english), *split_cell(chinese))
    }


@cache
def _pattern() -> re.Pattern[str]:
    forms = sorted(_by_name(), key=len, reverse=True)
    latin = "|".join(re.escape(form) for form in forms if form.isascii())
    han = "|".join(re.escape(form) for form in forms if not form.isascii())
    return re.compile(rf"(?<![a-z])(?:{latin})(?![a-z])|{han}")
