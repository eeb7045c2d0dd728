"""What a part of an answer holds, and whether it is about a statement's subject."""

from dataclasses import dataclass
from functools import cached_property

from wardround.benchmarks.assist.checks.classes import classes_in, is_of_class
from wardround.benchmarks.assist.checks.items import (
    DETAILS,
    SUBJECTS,
    Statement,
    Term,
    Wanted,
    scores,
    stems,
    terms,
)
from wardround.benchmarks.assist.checks.lexicon import Meaning, meanings
from wardround.benchmarks.assist.tasks import Language
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.dates import dates, has_date
from wardround.ehr.text.quantities import Quantity, quantities, same

# Findings that are a test above or below its range.
FINDINGS: dict[str, tuple[str, Meaning]] = {
    "hyperkalemia": ("potassium", "high"),
    "hypokalemia": ("potassium", "low"),
    "hypernatremia": ("sodium", "high"),
    "hyponatremia": ("sodium", "low"),
    "hypercalcemia": ("calcium, total", "high"),
    "hypocalcemia": ("calcium, total", "low"),
    "hypomagnesemia": ("magnesium", "low"),
    "hypophosphatemia": ("phosphate", "low"),
    "hyperglycemia": ("glucose", "high"),
    "hypoglycemia": ("glucose", "low"),
    "leukocytosis": ("white blood cells", "high"),
    "thrombocytopenia": ("platelet count", "low"),
    "anemia": ("hemoglobin", "low"),
}


@dataclass(frozen=True)
class Reading:
    """A window of an answer, with what it holds."""

    text: str

    @cached_property
    def terms(self) -> frozenset[Term]:
        """Its terms; a test that is high or low is also the finding that it means."""
        named = set(terms(self.text, *SUBJECTS, *DETAILS))
        found = meanings(self.text)
        for finding, (test, level) in FINDINGS.items():
            if level in found and Term(kind="test", name=test) in named:
                named.add(Term(kind="diagnosis", name=finding))
        return frozenset(named)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its numbers with their units."""
        return quantities(self.text)

    @cached_property
    def dates(self) -> frozenset[str]:
        """Its dates."""
        return dates(self.text)

    @cached_property
    def scores(self) -> frozenset[str]:
        """The clinical scores that it names."""
        return frozenset(scores(self.text))

    def has_class(self, name: str) -> bool:
        """True if the window names a class of drugs, or one of them."""
        drugs = [term.name for term in self.terms if term.kind == "drug"]
        return name in classes_in(self.text) or is_of_class(drugs, name)

    def has_word(self, word: str, language: Language) -> bool:
        """True if the window has a word of an item; Chinese words may be spread over it."""
        if language == "en":
            return word in stems(self.text)
        text = plain(self.text)
        pairs = _pairs(word)
        return word in text or (bool(pairs) and all(pair in text for pair in pairs))


def is_about(statement: Statement, reading: Reading, language: Language) -> bool:
    """True if a text holds the subject of a forbidden statement."""
    if statement.classes:
        return any(reading.has_class(name) for name in statement.classes)
    subjects = {term for term in statement.terms if term.kind in SUBJECTS}
    if subjects:
        return bool(subjects & reading.terms)
    if statement.words:
        return all(reading.has_word(word, language) for word in statement.words)
    return bool(statement.dates) and not all(
        has_date(statement.dates, date) for date in reading.dates
    )


def same_quantity(given: Quantity, wanted: Wanted, statement: Statement) -> bool | None:
    """True if a quantity is a wanted one, perhaps converted; None if its unit is missing."""
    target = Quantity(wanted.value, wanted.unit, 0, 0, wanted.decimals)
    tests = [term.name for term in statement.terms if term.kind == "test"]
    return same(given, target, tests[0] if tests else "")


def _pairs(word: str) -> list[str]:
    return [word[n : n + 2] for n in range(len(word) - 1)]
