"""Readings of parts of an answer: terms, numbers, directions, the subject of a statement."""

from dataclasses import dataclass
from functools import cached_property

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
from wardround.benchmarks.assist.checks.lexicon import (
    ALIKE,
    OPPOSITES,
    Meaning,
    classes_in,
    is_of_class,
    meanings,
)
from wardround.benchmarks.assist.checks.sentences import points_back, segments
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.dates import days, has_date
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
# Directions that a neighbour's verb does not give to a thing.
_OF_A_SUBJECT = frozenset({"stop", "less", "more"})


@dataclass(frozen=True)
class Reading:
    """A window of an answer, with what it holds."""

    text: str

    @cached_property
    def terms(self) -> frozenset[Term]:
        """Its terms, the drugs in a mixture too; a test's level is the finding that it means."""
        named = set(terms(self.text, *SUBJECTS, *DETAILS))
        drugs = [term for term in named if term.kind == "drug"]
        named.update(Term(kind="drug", name=each) for t in drugs for each in t.name.split(" + "))
        expressed = meanings(self.text)
        for finding, (test, level) in FINDINGS.items():
            if level in expressed and Term(kind="test", name=test) in named:
                named.add(Term(kind="diagnosis", name=finding))
        return frozenset(named)

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its numbers with their units."""
        return quantities(self.text)

    @cached_property
    def dates(self) -> frozenset[str]:
        """Its dates."""
        return days(self.text)

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


def has_directions(statement: Statement, reading: Reading) -> bool:
    """True if a window says each direction or its opposite."""
    directions = directions_of(reading)
    return all(directions & (group | opposites(group)) for group in groups(statement))


def opposites(group: frozenset[Meaning]) -> frozenset[Meaning]:
    """The directions that exclude one of a group."""
    return frozenset(opposite for each in group for opposite in OPPOSITES.get(each, ()))


def groups(statement: Statement) -> list[frozenset[Meaning]]:
    """The directions of a statement, those together of which either is meant."""
    wanted = frozenset(statement.directions)
    either = [group for group in ALIKE if group <= wanted]
    single = wanted.difference(*either)
    return [*either, *(frozenset({each}) for each in sorted(single))]


def directions_of(reading: Reading) -> frozenset[Meaning]:
    """The directions of a window; without a word for it, two numbers tell a rise from a fall."""
    expressed = meanings(reading.text)
    values = [q.value for q in reading.quantities]
    spoken = plain(reading.text)
    if expressed & {"rise", "fall"} or len(values) < 2 or not ("from" in spoken or "由" in spoken):
        return expressed
    return expressed | ({"rise"} if values[1] > values[0] else {"fall"})


def says_directions(
    statement: Statement, group: frozenset[Meaning], reading: Reading, language: Language
) -> bool:
    """True if a window says a direction, of the subject itself if anything is said of that."""
    parts = segments(reading.text)
    about = [part for part in parts if is_about(statement, Reading(part), language)]
    directions = [meanings(part) & (group | opposites(group)) for part in about]
    near = [each for each in directions if each]
    if near:
        return any(each & group for each in near)
    if about and group & _OF_A_SUBJECT:
        return any(points_back(part) and meanings(part) & group for part in parts)
    return bool(directions_of(reading) & group)
