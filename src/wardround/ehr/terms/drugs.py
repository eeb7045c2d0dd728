"""Drug names: generics, brands, alternative spellings and misspellings."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from wardround.core.packaged_data import read_lines
from wardround.ehr.terms.classes import DrugClass, classes_with, drug_classes
from wardround.ehr.terms.names import key, salts
from wardround.ehr.terms.vocabulary import LONGEST, mixture_of, vocabulary

_NUMBER = re.compile(r"[\d.]+[a-z%]*")
_MOST_EDITS = 3  # by which a rival of a correction may differ


def generics(name: str) -> tuple[str, ...]:
    """The active ingredients of a drug, `()` if the name is unknown.

    Ignores case, hyphens, salts, and words for dose, form and route, but not misspellings.

    >>> generics("Lopressor"), generics("PERCOCET"), generics("metoprolol tartrate 25 mg tab")
    (('metoprolol',), ('oxycodone', 'acetaminophen'), ('metoprolol',))
    >>> generics("penguin")
    ()
    """
    ingredients = vocabulary().generics.get(key(name))
    return ingredients if ingredients is not None else _named_in_order(name)


def _named_in_order(order: str) -> tuple[str, ...]:
    """The drugs of a medication order, if every other word is a dose or form."""
    main = re.sub(r"\([^)]*\)", " ", order)
    words = key(re.sub(r"[/,+&]", " ", main)).split()
    drugs: dict[str, None] = {}
    for text, ingredients in _matches(words):
        if not ingredients and not _is_about_form(text):
            return ()
        drugs.update(dict.fromkeys(ingredients))
    return tuple(drugs)


def _is_about_form(word: str) -> bool:
    return word in _form_words() or word in salts() or _NUMBER.fullmatch(word) is not None


def _matches(words: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Split words into the longest known names, and single unknown words."""
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
    """The brand names of a generic, best known first.

    >>> brands("warfarin")[:2]
    ('coumadin', 'jantoven')
    """
    return vocabulary().brands.get(mixture_of(generics(generic)), ())


def agreed_brands(generic: str) -> tuple[str, ...]:
    """The brand names of a generic that two sources have or a person wrote, best known first.

    >>> agreed_brands("bisacodyl")[0], "agaroletten" in agreed_brands("bisacodyl")
    ('dulcolax', False)
    """
    return tuple(name for name in brands(generic) if key(name) in vocabulary().agreed)


def also_known_as(name: str) -> tuple[str, ...]:
    """All other names of a drug: generics, then brands, then alternative spellings.

    An unknown name is corrected if `spelled_like` finds a drug.

    >>> also_known_as("Coumadin")[:2]
    ('warfarin', 'jantoven')
    """
    drugs = generics(name) or generics(spelled_like(name) or "")
    words = vocabulary()
    related = (variant for drug in drugs for variant in words.same.get(drug, ()))
    mixture = mixture_of(drugs)
    names = (*drugs, *related, *words.brands.get(mixture, ()), *words.spellings.get(mixture, ()))
    return tuple(synonym for synonym in dict.fromkeys(names) if key(synonym) != key(name))


def sold_drugs() -> tuple[tuple[str, ...], ...]:
    """The ingredients of every drug and mixture with a brand name or a class."""
    in_classes = {drug for group in drug_classes() for drug in group.members}
    mixtures = sorted(vocabulary().brands.keys() | in_classes)
    return tuple(tuple(mixture.split(" + ")) for mixture in mixtures)


def spelled_like(name: str) -> str | None:
    """The unambiguous correction of a misspelled drug name, or None.

    Allows one edit (Damerau-Levenshtein), or two in names of nine or more letters; the first
    letter must match. Returns None if another drug is almost as close, so that look-alikes such
    as hydralazine and hydroxyzine are never confused.

    >>> spelled_like("lopresser"), spelled_like("zantax or xanac")
    ('lopressor', None)
    """
    from rapidfuzz.distance import DamerauLevenshtein
    from rapidfuzz.process import extract

    misspelled = key(name)
    if len(misspelled) < 6 or misspelled in vocabulary().generics:
        return None
    names = _names_by_initial().get(misspelled[0], ())
    near = extract(
        misspelled,
        [candidate for candidate in names if abs(len(candidate) - len(misspelled)) <= _MOST_EDITS],
        scorer=DamerauLevenshtein.distance,
        score_cutoff=_MOST_EDITS,
        limit=None,
    )
    if not near or near[0][1] > (2 if len(misspelled) >= 9 else 1):
        return None
    rivals = [rival for rival, distance, _ in near if distance <= near[0][1] + 1]
    drugs = {frozenset(vocabulary().generics[rival]) for rival in rivals}
    return str(rivals[0]) if len(drugs) == 1 else None


@cache
def _names_by_initial() -> Mapping[str, Sequence[str]]:
    """The names that a misspelling may be corrected to, ascending."""
    names = defaultdict(list)
    for name in sorted(vocabulary().prime):
        names[name[0]].append(name)
    return names


def drug_class(generic: str) -> tuple[DrugClass, ...]:
    """The classes of a drug.

    >>> [group.name for group in drug_class("fluoxetine")]
    ['ssri']
    """
    return classes_with(generics(generic))


@cache
def _form_words() -> frozenset[str]:
    return frozenset(read_lines(__package__, "form_words.txt"))
