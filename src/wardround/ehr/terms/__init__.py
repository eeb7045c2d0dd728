"""Clinical vocabularies: drugs and classes, diagnoses, lab tests, and an offline reference."""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.ehr.terms.articles import Article
    from wardround.ehr.terms.classes import DrugClass, classes_for, members
    from wardround.ehr.terms.conditions import Condition, alternative_procedures, condition_named
    from wardround.ehr.terms.diagnoses import formal_names, lab_names, lay_names, same_condition
    from wardround.ehr.terms.drugs import also_known_as, brands, drug_class, generics, spelled_like
    from wardround.ehr.terms.labs import Range, alternative_labs, reference_range
    from wardround.ehr.terms.reference import SearchProvider, search
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "articles": ("Article",),
            "classes": ("DrugClass", "classes_for", "members"),
            "conditions": ("Condition", "alternative_procedures", "condition_named"),
            "diagnoses": ("formal_names", "lab_names", "lay_names", "same_condition"),
            "drugs": ("also_known_as", "brands", "drug_class", "generics", "spelled_like"),
            "labs": ("Range", "alternative_labs", "reference_range"),
            "reference": ("SearchProvider", "search"),
        },
    )

__all__ = [
    "Article",
    "Condition",
    "DrugClass",
    "Range",
    "SearchProvider",
    "also_known_as",
    "alternative_labs",
    "alternative_procedures",
    "brands",
    "classes_for",
    "condition_named",
    "drug_class",
    "formal_names",
    "generics",
    "lab_names",
    "lay_names",
    "members",
    "reference_range",
    "same_condition",
    "search",
    "spelled_like",
]
