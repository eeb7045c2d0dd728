"""Drug names: brands, generics, spellings and misspellings."""

import re
from collections.abc import Iterator
from functools import cache

from wardround.core.packaged_data import read_lines
from wardround.ehr.terms.classes import DrugClass, classes_with, drug_classes
from wardround.ehr.terms.names import key, salts
from wardround.ehr.terms.vocabulary import LONGEST, mixture_of, vocabulary

_NUMBER = re.compile(r"[\d.]+[a-z%]*")


def generics(name: str) -> tuple[str, ...]:
    """Return the active ingredients of a drug, `()` if the name is unknown.

    Case, hyphens, salts, and words of dose, form and route do not matter. Spelling does.

    >>> generics("Lopressor"), generics("PERCOCET"), generics("metoprolol tartrate 25 mg tab")
    (('metoprolol',), ('oxycodone', 'acetaminophen'), ('metoprolol',))
    >>> generics("penguin")
    ()
    """
    known = vocabulary().generics.get(key(name))
    return known if known is not None else _named_in_order(name)


def _named_in_order(order: str) -> tuple[str, ...]:
    """Read a medication order: its drugs, if every other word is about dose or form."""
    main = re.sub(r"\([^)]*\)", " ", order)
    words = key(re.sub(r"[/,+&]", " ", main)).split()
    found: dict[str, None] = {}
    for text, ingredients in _matches(words):
        if not ingredients and not _is_about_form(text):
            return ()
        found.update(dict.fromkeys(ingredients))
    return tuple(found)


def _is_about_form(word: str) -> bool:
    return word in _form_words() or word in salts() or _NUMBER.fullmatch(word) is not None


def _matches(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Split words into the longest known names, and single words with no ingredients."""
    start = 0
    while start < len(words):
        end = _longest_end(words, start)
        text = " ".join(words[start:end])
        yield text, vocabulary().generics.get(text, ())
        start = end


def _longest_end(words: list[str], start: int) -> int:
    names = vocabulary().generics
    ends = range(min(start + LONGEST, len(words)), start + 1, -1)
    return next((end for end in ends if " ".join(words[start:end]) in names), start + 1)


def brands(generic: str) -> tuple[str, ...]:
    """Return the brand names of a generic, those known best in hospitals first.

    >>> brands("warfarin")[:2]
    ('coumadin', 'jantoven')
    """
    return vocabulary().brands.get(mixture_of(generics(generic)), ())


def also_known_as(name: str) -> tuple[str, ...]:
    """Return every other name worth searching for: generics, then brands, then other spellings.

    An unknown name is taken for a slip of the pen if `spelled_like` finds one drug.

    >>> also_known_as("Coumadin")[:2]
    ('warfarin', 'jantoven')
    """
    found = generics(name) or generics(spelled_like(name) or "")
    words = vocabulary()
    related = (other for drug in found for other in words.same.get(drug, ()))
    mixture = mixture_of(found)
    names = (*found, *related, *words.brands.get(mixture, ()), *words.spellings.get(mixture, ()))
    return tuple(other for other in dict.fromkeys(names) if key(other) != key(name))


def sold_drugs() -> tuple[tuple[str, ...], ...]:
    """Return the ingredients of every drug and mixture that has a brand name or a class."""
    in_classes = {drug for found in drug_classes() for drug in found.members}
    mixtures = sorted(vocabulary().brands.keys() | in_classes)
    return tuple(tuple(mixture.split(" + ")) for mixture in mixtures)


def spelled_like(name: str) -> str | None:
    """Return the one drug name that a misspelling can mean, or None.

    One letter may be wrong, added, missing or swapped, two in a name of nine letters and more; the
    first letter must be right. If names of different drugs are that near, or nearly, there is
    no answer: hydralazine and hydroxyzine must never be taken for each other.

    >>> spelled_like("lopresser"), spelled_like("zantax or xanac")
    ('lopressor', None)
    """
    from rapidfuzz.distance import DamerauLevenshtein
    from rapidfuzz.process import extract

    wrong = key(name)
    if len(wrong) < 6 or wrong in vocabulary().generics:
        return None
    names = sorted(other for other in vocabulary().prime if other[0] == wrong[0])
    near = extract(
        wrong,
        names,
        scorer=DamerauLevenshtein.distance,
        score_cutoff=3,
        limit=None,
    )
    if not near or near[0][1] > (2 if len(wrong) >= 9 else 1):
        return None
    rivals = [other for other, distance, _ in near if distance <= near[0][1] + 1]
    drugs = {frozenset(vocabulary().generics[other]) for other in rivals}
    return str(rivals[0]) if len(drugs) == 1 else None


def drug_class(generic: str) -> tuple[DrugClass, ...]:
    """Return the classes that a drug belongs to.

    >>> [found.name for found in drug_class("fluoxetine")]
    ['ssri']
    """
    return classes_with(generics(generic))


@cache
def _form_words() -> frozenset[str]:
    return frozenset(read_lines(__package__, "form_words.txt"))
