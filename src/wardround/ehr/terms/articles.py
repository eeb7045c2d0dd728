"""The articles of the offline reference, written out from the packaged vocabularies."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.ehr.terms.classes import DrugClass, classes_named, drug_classes
from wardround.ehr.terms.conditions import Condition, conditions
from wardround.ehr.terms.diagnoses import lay_names
from wardround.ehr.terms.drugs import also_known_as, brands, drug_class, sold_drugs
from wardround.ehr.terms.labs import Lab, Range, labs
from wardround.ehr.terms.procedures import Procedure, procedures

OURS = "wardround clinical reference, written by its authors from general medical knowledge"
NAMES = "drug names: FDA UNII, MedlinePlus, NHS, MeSH and DrugBank Open Data vocabularies"
ATC = "ATC codes: WHO Collaborating Centre for Drug Statistics Methodology"
WARNING = "For evaluating software only, not for the care of patients."
_SHOWN = 12  # brand names that an article lists


@dataclass(frozen=True)
class Article:
    """What a search returns: plain text, and an honest word on where it is from."""

    title: str
    text: str
    source: str


@dataclass(frozen=True)
class Entry:
    """An article with the names that it should be found under."""

    article: Article
    names: tuple[str, ...]


def entries() -> Iterator[Entry]:
    """Yield every article: conditions, drug classes, drugs, tests, procedures."""
    yield from map(_about_condition, conditions())
    yield from map(_about_class, drug_classes())
    yield from map(_about_drug, sold_drugs())
    yield from map(_about_lab, labs())
    yield from map(_about_procedure, procedures())


def _about_condition(condition: Condition) -> Entry:
    title, *other_names = condition.names
    first = "; ".join(map(_class_with_drugs, condition.first_line))
    second = "; ".join(map(_class_with_drugs, condition.alternatives))
    lay = (lay for name in condition.names for lay in lay_names(name))
    text = (
        _line("Also called", other_names)
        + f"First-line drug classes: {first}. Alternative drug classes: {second}. "
        + _line("Tests", condition.labs)
        + "".join(map(_procedures, condition.procedures))
        + _line("Well-known complications", condition.complications)
        + _line("Often seen with", condition.related)
    )
    names = tuple(dict.fromkeys((*condition.names, *lay)))
    return _entry(title, text, f"{OURS}; {NAMES}; {ATC}", names)


def _class_with_drugs(name: str) -> str:
    return f"{name} ({', '.join(drug for found in classes_named(name) for drug in found.members)})"


def _procedures(group: tuple[str, ...]) -> str:
    procedure, *others = group
    instead = f" (alternatives: {', '.join(others)})" if others else ""
    return f"Procedure: {procedure}{instead}. "


def _about_class(found: DrugClass) -> Entry:
    sold = [f"{drug} ({', '.join(names[:3])})" for drug in found.members if (names := brands(drug))]
    text = (
        f"Drug class, ATC code {found.atc}. "
        + _line("Also called", found.synonyms)
        + _line("Members", found.members)
        + _line("Treats", found.treats)
        + _line("Known side effects", found.side_effects)
        + _line("Brand names", sold)
    )
    return _entry(found.name, text, f"{OURS}; {NAMES}; {ATC}", (found.name, *found.synonyms))


def _about_drug(mixture: tuple[str, ...]) -> Entry:
    title = " and ".join(mixture)
    sold = brands(title)
    text = (
        f"Generic name: {title}. "
        + _line("Brand names", sold[:_SHOWN])
        + "".join(_membership(drug, found) for drug in mixture for found in drug_class(drug))
    )
    others = also_known_as(title) if len(mixture) == 1 else sold
    return _entry(title, text, f"{OURS}; {NAMES}; {ATC}", (title, *others))


def _membership(drug: str, found: DrugClass) -> str:
    others = [other for other in found.members if other != drug]
    return (
        f"{drug.capitalize()} is in the class {found.name} (ATC {found.atc}). "
        + _line("Others in the class", others)
        + _line("Used for", found.treats)
        + _line("Known side effects of the class", found.side_effects)
    )


def _about_lab(lab: Lab) -> Entry:
    usual = [f"{sex} {_shown(values)}" for sex, values in lab.by_sex.items()]
    usual += [f"adults {_shown(lab.adult)}"] if lab.adult else []
    text = (
        f"Test of {lab.assesses}. "
        + _line("Also called", lab.synonyms)
        + _line("Reference range", usual)
        + _line("Alternative tests", lab.alternatives)
    )
    return _entry(lab.name, text, f"{OURS}; test labels: MIMIC-IV", (lab.name, *lab.synonyms))


def _about_procedure(procedure: Procedure) -> Entry:
    text = (
        "Procedure. "
        + _line("Also called", procedure.synonyms)
        + _line("Alternative procedures", procedure.alternatives)
        + _line("Done for", procedure.conditions)
    )
    return _entry(procedure.name, text, OURS, (procedure.name, *procedure.synonyms))


def _shown(values: Range) -> str:
    return f"{values.low:g} to {values.high:g} {values.unit}"


def _line(label: str, values: list[str] | tuple[str, ...]) -> str:
    return f"{label}: {', '.join(values)}. " if values else ""


def _entry(title: str, text: str, source: str, names: tuple[str, ...]) -> Entry:
    return Entry(Article(title, text + WARNING, source), names)
