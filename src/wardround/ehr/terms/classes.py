"""Drug classes: members, ATC codes and indications."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.diagnoses import same_condition
from wardround.ehr.terms.names import key

_ANTIBACTERIAL = "J01"  # the ATC group of antibacterials for systemic use
# ATC groups of drugs that nobody swallows: insulins and the like, heparins, inhaled and eye drugs.
_APPLIED = ("A10A", "A10BJ", "B01AB", "R03AC", "R03B", "S01EE")


@dataclass(frozen=True)
class DrugClass:
    """A class of drugs.

    Attributes:
        name: The usual clinical name, singular and lower case.
        atc: WHO ATC code of the group that most members belong to.
        members: Generic names.
        treats: Conditions it treats, in lay and formal words.
        synonyms: Other names of the class and of groups that contain it.
        side_effects: Well-known adverse effects of its members.
    """

    name: str
    atc: str
    members: tuple[str, ...]
    treats: tuple[str, ...]
    synonyms: tuple[str, ...]
    side_effects: tuple[str, ...]


def classes_with(drugs: Iterable[str]) -> tuple[DrugClass, ...]:
    """The classes of any of the generic names."""
    return tuple(dict.fromkeys(group for drug in drugs for group in _by_member().get(drug, ())))


def is_swallowed(drug: str) -> bool:
    """True unless a drug, by its generic name, is in a class that is injected or inhaled.

    >>> is_swallowed("furosemide"), is_swallowed("insulin glargine"), is_swallowed("albuterol")
    (True, False, False)
    """
    return not any(group.atc.startswith(_APPLIED) for group in classes_with([drug]))


@cache
def _by_member() -> dict[str, list[DrugClass]]:
    by_member: dict[str, list[DrugClass]] = defaultdict(list)
    for group in drug_classes():
        for drug in group.members:
            by_member[drug].append(group)
    return by_member


@cache
def drug_classes() -> tuple[DrugClass, ...]:
    """Every packaged drug class."""
    effects = {
        name: split_cell(conditions)
        for name, conditions in read_rows(__package__, "side_effects.tsv")
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
    """The generic names in a class; a wider name ("antidepressant") joins several classes.

    >>> members("SSRIs")[:2], "furosemide" in members("water pill")
    (('fluoxetine', 'sertraline'), True)
    """
    return tuple(dict.fromkeys(drug for group in classes_named(name) for drug in group.members))


def classes_named(name: str) -> tuple[DrugClass, ...]:
    """The class of this name, else those with it as a synonym."""
    sought = _class_key(name)
    exact = tuple(group for group in drug_classes() if _class_key(group.name) == sought)
    wider = (group for group in drug_classes() if sought in map(_class_key, group.synonyms))
    return exact or tuple(wider)


@cache
def antibiotics() -> frozenset[str]:
    """The names of the classes of antibiotics that act on the whole body.

    >>> sorted(antibiotics() & {"penicillin", "oxazolidinone", "rifamycin", "topical antibiotic"})
    ['oxazolidinone', 'penicillin']
    """
    named = classes_named("antibiotic")
    return frozenset(group.name for group in named if group.atc.startswith(_ANTIBACTERIAL))


def classes_for(condition: str) -> tuple[DrugClass, ...]:
    """The classes that treat a condition, given in lay or formal words.

    >>> [group.name for group in classes_for("high cholesterol")][:2]
    ['statin', 'fibrate']
    """
    sought = {key(word) for word in same_condition(condition)}
    return tuple(group for group in drug_classes() if sought & set(map(key, group.treats)))


def _class_key(name: str) -> str:
    folded = re.sub(r"\b(drugs?|medications?|medicines?|agents?|class) *$", "", key(name)).strip()
    return folded.removesuffix("s") if not folded.endswith("ss") else folded
