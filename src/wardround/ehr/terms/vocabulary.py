"""The packaged drug names in memory: hand-written names, then the built list."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.names import key

LONGEST = 5  # words in the longest packaged drug name


@dataclass(frozen=True)
class Vocabulary:
    """Drug names; all keys are normalized or lower case."""

    generics: Mapping[str, tuple[str, ...]]  # normalized name -> ingredients
    brands: Mapping[str, tuple[str, ...]]  # ingredients -> brands, best known first
    spellings: Mapping[str, tuple[str, ...]]  # ingredients -> alternative spellings, chart names
    same: Mapping[str, tuple[str, ...]]  # ingredient -> other salts and prodrugs
    prime: frozenset[str]  # normalized names reliable enough to correct a misspelling
    agreed: frozenset[str]  # normalized names that two sources have, or a person wrote
    mixtures: Mapping[frozenset[str], str]  # ingredients -> the mixture's name, in the listed order


@cache
def vocabulary() -> Vocabulary:
    """The packaged names; hand-written ones take precedence."""
    names: dict[str, tuple[str, ...]] = {}
    tables: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    prime: set[str] = set()
    agreed: set[str] = set()
    mixtures: dict[frozenset[str], str] = {}
    for name, kind, drugs, source in _all_rows():
        ingredients = tuple(drugs.split(" + "))
        if kind == "same":
            tables[kind][name][drugs] = tables[kind][drugs][name] = None
        elif set(names.setdefault(key(name), ingredients)) == set(ingredients):
            tables[kind][mixture_of(ingredients)][name] = None
            mixtures.setdefault(frozenset(ingredients), drugs)
            prime |= {key(name)} if source != "dner" else set()
            agreed |= {key(name)} if source in ("hand", "both") else set()
    single = {drug for ingredients in names.values() for drug in ingredients}
    single.update(drug for group in drug_classes() for drug in group.members)
    for drug in sorted(single):
        names.setdefault(key(drug), (drug,))
    return Vocabulary(
        names,
        _tuples(tables["brand"]),
        _tuples(tables["synonym"]),
        _tuples(tables["same"]),
        frozenset(prime) | {key(drug) for drug in single},
        frozenset(agreed),
        mixtures,
    )


def _all_rows() -> Iterator[tuple[str, str, str, str]]:
    for name, kind, drugs in read_rows(__package__, "drugs_by_hand.tsv"):
        yield name, kind, drugs, "hand"
    for name, kind, drugs, source in read_rows(__package__, "drugs.tsv"):
        yield name, kind, drugs, source


def _tuples(table: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(values) for name, values in table.items()}


def drug_name(ingredients: Sequence[str]) -> str:
    """The one name of a drug with some ingredients, in whatever order they are written.

    >>> drug_name(("trimethoprim", "sulfamethoxazole")), drug_name(("furosemide",))
    ('sulfamethoxazole + trimethoprim', 'furosemide')
    """
    return vocabulary().mixtures.get(frozenset(ingredients)) or " + ".join(ingredients)


def mixture_of(ingredients: Iterable[str]) -> str:
    """The ingredients joined in a canonical order."""
    return " + ".join(sorted(ingredients))
