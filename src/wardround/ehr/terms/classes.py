"""Classes of drugs: their members, their ATC codes and what they treat."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.diagnoses import same_condition
from wardround.ehr.terms.names import key


@dataclass(frozen=True)
class DrugClass:
    """A class of drugs.

    Attributes:
        name: What hospitals call it, in the singular and lower case.
        atc: WHO ATC code of the group that most members belong to.
        members: Generic names.
        treats: Conditions, in lay and formal words.
        synonyms: Other names of the class and of wider groups it is part of.
        side_effects: Well-known conditions that its members can cause.
    """

    name: str
    atc: str
    members: tuple[str, ...]
    treats: tuple[str, ...]
    synonyms: tuple[str, ...]
    side_effects: tuple[str, ...]


def classes_with(drugs: Iterable[str]) -> tuple[DrugClass, ...]:
    """Return the classes that any of the generic names is a member of."""
    return tuple(dict.fromkeys(found for drug in drugs for found in _by_member().get(drug, ())))


@cache
def _by_member() -> dict[str, list[DrugClass]]:
    by_member: dict[str, list[DrugClass]] = defaultdict(list)
    for found in drug_classes():
        for drug in found.members:
            by_member[drug].append(found)
    return by_member


@cache
def drug_classes() -> tuple[DrugClass, ...]:
    """Every packaged drug class."""
    effects = {
        name: split_cell(found) for name, found in read_rows(__package__, "side_effects.tsv")
    }
    return tuple(
        DrugClass(
            name,
            atc,
            split_cell(members),
            split_cell(treats),
            split_cell(synonyms),
            effects.get(name, ()),
        )
        for name, atc, members, treats, synonyms in read_rows(__package__, "drug_classes.tsv")
    )


def members(name: str) -> tuple[str, ...]:
    """Return the generic names in a class; a wider name ("antidepressant") joins several classes.

    >>> members("SSRIs")[:2], "furosemide" in members("water pill")
    (('fluoxetine', 'sertraline'), True)
    """
    return tuple(dict.fromkeys(drug for found in classes_named(name) for drug in found.members))


def classes_named(name: str) -> tuple[DrugClass, ...]:
    """Return the class of this name, else those that list it as a synonym."""
    wanted = _class_key(name)
    exact = tuple(found for found in drug_classes() if _class_key(found.name) == wanted)
    wider = (found for found in drug_classes() if wanted in map(_class_key, found.synonyms))
    return exact or tuple(wider)


def classes_for(condition: str) -> tuple[DrugClass, ...]:
    """Return the classes that treat a condition, named in lay or formal words.

    >>> [found.name for found in classes_for("high cholesterol")][:2]
    ['statin', 'fibrate']
    """
    wanted = {key(word) for word in same_condition(condition)}
    return tuple(found for found in drug_classes() if wanted & set(map(key, found.treats)))


def _class_key(name: str) -> str:
    folded = re.sub(r"\b(drugs?|medications?|medicines?|agents?|class) *$", "", key(name)).strip()
    return folded.removesuffix("s") if not folded.endswith("ss") else folded
