"""The packaged drug names in memory: those written by hand first, then the built list."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.names import key

LONGEST = 5  # words in the longest packaged drug name


@dataclass(frozen=True)
class Vocabulary:
    """Names and what they stand for; all keys are folded or lower case."""

    generics: Mapping[str, tuple[str, ...]]  # folded name -> ingredients
    brands: Mapping[str, tuple[str, ...]]  # ingredients -> brands, best known first
    spellings: Mapping[str, tuple[str, ...]]  # ingredients -> other spellings, charting names
    same: Mapping[str, tuple[str, ...]]  # ingredient -> other salts and prodrugs of it
    prime: frozenset[str]  # folded names well enough attested to correct a misspelling


@cache
def vocabulary() -> Vocabulary:
    """Read the packaged names; those written by hand come first and win."""
    names: dict[str, tuple[str, ...]] = {}
    tables: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    prime: set[str] = set()
    for name, kind, drugs, source in _all_rows():
        ingredients = tuple(drugs.split(" + "))
        if kind == "same":
            tables[kind][name][drugs] = tables[kind][drugs][name] = None
        elif set(names.setdefault(key(name), ingredients)) == set(ingredients):
            tables[kind][mixture_of(ingredients)][name] = None
            prime |= {key(name)} if source != "dner" else set()
    single = {drug for found in names.values() for drug in found}
    single.update(drug for found in drug_classes() for drug in found.members)
    for drug in sorted(single):
        names.setdefault(key(drug), (drug,))
    return Vocabulary(
        names,
        _tuples(tables["brand"]),
        _tuples(tables["synonym"]),
        _tuples(tables["same"]),
        frozenset(prime) | {key(drug) for drug in single},
    )


def _all_rows() -> Iterator[tuple[str, str, str, str]]:
    for name, kind, drugs in read_rows(__package__, "drugs_by_hand.tsv"):
        yield name, kind, drugs, "hand"
    for name, kind, drugs, source in read_rows(__package__, "drugs.tsv"):
        yield name, kind, drugs, source


def _tuples(table: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(found) for name, found in table.items()}


def mixture_of(ingredients: Iterable[str]) -> str:
    """Join ingredients in one order, whatever the order they were written in."""
    return " + ".join(sorted(ingredients))
