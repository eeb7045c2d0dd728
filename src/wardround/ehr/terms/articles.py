"""Articles of the offline reference, generated from the packaged vocabularies."""

from collections.abc import Iterator
from dataclasses import dataclass

from wardround.ehr.terms.classes import DrugClass, classes_named, drug_classes
from wardround.ehr.terms.conditions import Condition, Procedure, conditions, procedures
from wardround.ehr.terms.diagnoses import lay_names
from wardround.ehr.terms.drugs import also_known_as, brands, drug_class, sold_drugs
from wardround.ehr.terms.labs import Lab, Range, labs

OURS = "wardround clinical reference, written by its authors from general medical knowledge"
NAMES = "drug names: FDA UNII, MedlinePlus, NHS, MeSH and DrugBank Open Data vocabularies"
ATC = "ATC codes: WHO Collaborating Centre for Drug Statistics Methodology"
WARNING = "For evaluating software only, not for the care of patients."
_BRANDS = 12  # brand names listed in an article


@dataclass(frozen=True)
class Article:
    """A search result: plain text with its source."""

    title: str
    text: str
    source: str


@dataclass(frozen=True)
class IndexedArticle:
    """An article with the names that it is indexed under."""

    article: Article
    names: tuple[str, ...]


def articles() -> Iterator[IndexedArticle]:
    """All articles: conditions, drug classes, drugs, tests, procedures."""
    yield from map(_about_condition, conditions())
    yield from map(_about_class, drug_classes())
    yield from map(_about_drug, sold_drugs())
    yield from map(_about_lab, labs())
    yield from map(_about_procedure, procedures())


def _about_condition(condition: Condition) -> IndexedArticle:
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
    return _indexed_article(title, text, f"{OURS}; {NAMES}; {ATC}", names)


def _class_with_drugs(name: str) -> str:
    return f"{name} ({', '.join(drug for group in classes_named(name) for drug in group.members)})"


def _procedures(group: tuple[str, ...]) -> str:
    procedure, *alternatives = group
    suffix = f" (alternatives: {', '.join(alternatives)})" if alternatives else ""
    return f"Procedure: {procedure}{suffix}. "


def _about_class(group: DrugClass) -> IndexedArticle:
    sold = [f"{drug} ({', '.join(names[:3])})" for drug in group.members if (names := brands(drug))]
    text = (
        f"Drug class, ATC code {group.atc}. "
        + _line("Also called", group.synonyms)
        + _line("Members", group.members)
        + _line("Treats", group.treats)
        + _line("Known side effects", group.side_effects)
        + _line("Brand names", sold)
    )
    return _indexed_article(
        group.name, text, f"{OURS}; {NAMES}; {ATC}", (group.name, *group.synonyms)
    )


def _about_drug(mixture: tuple[str, ...]) -> IndexedArticle:
    title = " and ".join(mixture)
    sold = brands(title)
    text = (
        f"Generic name: {title}. "
        + _line("Brand names", sold[:_BRANDS])
        + "".join(_membership(drug, group) for drug in mixture for group in drug_class(drug))
    )
    synonyms = also_known_as(title) if len(mixture) == 1 else sold
    return _indexed_article(title, text, f"{OURS}; {NAMES}; {ATC}", (title, *synonyms))


def _membership(drug: str, group: DrugClass) -> str:
    alternatives = [member for member in group.members if member != drug]
    return (
        f"{drug.capitalize()} is in the class {group.name} (ATC {group.atc}). "
        + _line("Others in the class", alternatives)
        + _line("Used for", group.treats)
        + _line("Known side effects of the class", group.side_effects)
    )


def _about_lab(lab: Lab) -> IndexedArticle:
    ranges = [f"{sex} {_range_text(values)}" for sex, values in lab.by_sex.items()]
    ranges += [f"adults {_range_text(lab.adult)}"] if lab.adult else []
    text = (
        f"Test of {lab.assesses}. "
        + _line("Also called", lab.synonyms)
        + _line("Reference range", ranges)
        + _line("Alternative tests", lab.alternatives)
    )
    return _indexed_article(
        lab.name, text, f"{OURS}; test labels: MIMIC-IV", (lab.name, *lab.synonyms)
    )


def _about_procedure(procedure: Procedure) -> IndexedArticle:
    text = (
        "Procedure. "
        + _line("Also called", procedure.synonyms)
        + _line("Alternative procedures", procedure.alternatives)
        + _line("Done for", procedure.conditions)
    )
    return _indexed_article(procedure.name, text, OURS, (procedure.name, *procedure.synonyms))


def _range_text(values: Range) -> str:
    return f"{values.low:g} to {values.high:g} {values.unit}"


def _line(label: str, values: list[str] | tuple[str, ...]) -> str:
    return f"{label}: {', '.join(values)}. " if values else ""


def _indexed_article(title: str, text: str, source: str, names: tuple[str, ...]) -> IndexedArticle:
    return IndexedArticle(Article(title, text + WARNING, source), names)
