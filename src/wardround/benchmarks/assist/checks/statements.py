"""Decides whether an answer says what an item asks for, and not what it forbids.

An answer is read sentence by sentence. A statement holds where one sentence has all of its parts in
the same direction; it fails where a number, date or term of it is nowhere in the answer, or where a
sentence says the opposite. Everything else is left open.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from wardround.benchmarks.assist.checks.classes import classes_in, is_of_class
from wardround.benchmarks.assist.checks.dates import dates, has_date
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
    is_negated,
    meanings,
)
from wardround.benchmarks.assist.checks.model import Finding
from wardround.benchmarks.assist.checks.nearness import is_near
from wardround.benchmarks.assist.checks.quantities import Quantity, quantities, same
from wardround.benchmarks.assist.checks.sentences import points_back, segments, windows
from wardround.benchmarks.assist.tasks import Language
from wardround.core.verdict import State
from wardround.ehr.terms.chinese import plain

# Directions that a neighbour's verb does not give to a thing.
_OF_A_SUBJECT = frozenset({"stop", "less", "more"})
_ADVICE = frozenset({"start", "more", "suggest"})
# Findings that are a test above or below its range.
_FINDINGS: dict[str, tuple[str, Meaning]] = {
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
_PASSED = Finding("passed")


@dataclass(frozen=True)
class _Reading:
    """A window of an answer, with what it holds."""

    text: str

    @cached_property
    def terms(self) -> frozenset[Term]:
        """Its terms; a test that is high or low is also the finding that it means."""
        named = set(terms(self.text, *SUBJECTS, *DETAILS))
        found = meanings(self.text)
        for finding, (test, level) in _FINDINGS.items():
            if level in found and Term(kind="test", name=test) in named:
                named.add(Term(kind="diagnosis", name=finding))
        return frozenset(named)

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.text)

    @cached_property
    def dates(self) -> frozenset[str]:
        return dates(self.text)

    @cached_property
    def scores(self) -> frozenset[str]:
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


def decide_statement(statement: Statement, answer: str, language: Language) -> Finding:
    """Decides one statement on an answer.

    >>> from wardround.benchmarks.assist.checks.items import compile_statement
    >>> item = compile_statement("States the latest potassium as 4.5 mEq/L", "en")
    >>> for text in ("Potassium is 4.5 mEq/L.", "Potassium is 5.4 mEq/L.", "It was 4.5, I think."):
    ...     print(decide_statement(item, text, "en").state)
    passed
    failed
    failed
    """
    readings = [_Reading(window) for window in windows(answer)]
    if statement.forbidden:
        return _decide_forbidden(statement, readings, language)
    if not readings:
        return Finding("failed", "there is no answer")
    if absent := _absent(statement, _Reading(answer)):
        return Finding("failed", f"the answer has no {absent}")
    holding = [reading for reading in readings if _holds(statement, reading, language)]
    nearest = [reading for reading in holding if _advises(statement, reading, language)]
    agreed = {_agrees(statement, reading, language) for reading in nearest or holding}
    if "passed" in agreed:
        return _PASSED
    if agreed == {"failed"}:
        return Finding("failed", "the answer says the opposite")
    if agreed:
        return Finding("undecided", "the answer both says and denies it")
    if not statement.is_hard and not is_near(statement.words, answer, language):
        return Finding("failed", "the answer says nothing of it")
    return Finding("undecided", "no sentence of the answer has all of it")


def _decide_forbidden(
    statement: Statement, readings: Iterable[_Reading], language: Language
) -> Finding:
    """A forbidden statement passes where its subject is absent, or is denied wherever it is."""
    about = [reading for reading in readings if _is_about(statement, reading, language)]
    for reading in about:
        for segment in segments(reading.text):
            part = _Reading(segment)
            if not _is_about(statement, part, language):
                continue
            if is_negated(segment) != statement.negated:
                continue
            found = meanings(segment)
            if statement.act == "say" and found.issuperset(statement.directions):
                return Finding("failed", "the answer says it")
            if statement.act == "recommend" and _recommends(statement, found):
                return Finding("failed", "the answer recommends it")
    return _PASSED


def _recommends(statement: Statement, found: frozenset[Meaning]) -> bool:
    """True if a segment with these meanings advises a forbidden thing."""
    if found & {"stop", "less"}:
        return False
    return bool(found & ({"more"} if "more" in statement.directions else _ADVICE))


def _absent(statement: Statement, answer: _Reading) -> str:
    """The first number, date, score or term that is nowhere in the answer; "" if all are."""
    for wanted in statement.quantities:
        if all(_is_same(q, wanted, statement) is False for q in answer.quantities):
            return f"value {wanted.value:g} {wanted.unit}".strip()
    for date in statement.dates:
        if not has_date(answer.dates, date):
            return f"date {date}"
    for score in statement.scores:
        if score not in answer.scores:
            return f"score {score}"
    if group := _silent(statement, answer):
        return f"word for {' or '.join(sorted(group))}"
    # With words of its own, an item may mean a term in another way, but not a drug.
    missing = (t for t in statement.terms if t.kind == "drug" or _is_closed(t, statement))
    names = (f"{term.kind} {term.name}" for term in missing if term not in answer.terms)
    return next(names, "")


def _is_closed(term: Term, statement: Statement) -> bool:
    """True if an answer without a term cannot mean it in other words."""
    return not statement.words and term.name not in _FINDINGS


def _silent(statement: Statement, answer: _Reading) -> frozenset[Meaning]:
    """Directions of an item without words of its own that the answer neither says nor denies."""
    if statement.words or statement.terms:
        return frozenset()
    found = _directions(answer)
    for group in _groups(statement):
        against = {opposite for each in group for opposite in OPPOSITES.get(each, ())}
        if not found & (group | against):
            return group
    return frozenset()


def _holds(statement: Statement, reading: _Reading, language: Language) -> bool:
    """True if a window has all parts of a statement but its directions."""
    return (
        all(
            any(_is_same(q, w, statement) for q in reading.quantities) for w in statement.quantities
        )
        and all(has_date(reading.dates, date) for date in statement.dates)
        and reading.scores.issuperset(statement.scores)
        and reading.terms.issuperset(statement.terms)
        and all(reading.has_class(name) for name in statement.classes)
        and _has_words(statement, reading, language)
        and _has_directions(statement, reading)
    )


def _advises(statement: Statement, reading: _Reading, language: Language) -> bool:
    """True if a segment has both the subject of an advice and what is advised, or its opposite."""
    if statement.act != "recommend" or not statement.directions:
        return False
    wanted = frozenset(statement.directions)
    either = wanted.union(*(OPPOSITES.get(each, frozenset()) for each in wanted))
    return any(
        meanings(part) & either and _is_about(statement, _Reading(part), language)
        for part in segments(reading.text)
    )


def _has_words(statement: Statement, reading: _Reading, language: Language) -> bool:
    """True if a window has the words of a statement; beside numbers and dates one is enough."""
    found = [reading.has_word(word, language) for word in statement.words]
    if statement.quantities or statement.dates or statement.scores:
        return not found or bool(statement.terms or statement.scores) or any(found)
    return all(found)


def _has_directions(statement: Statement, reading: _Reading) -> bool:
    """True if a window says each direction or its opposite."""
    found = _directions(reading)
    return all(found & (group | _opposites(group)) for group in _groups(statement))


def _opposites(group: frozenset[Meaning]) -> frozenset[Meaning]:
    return frozenset(opposite for each in group for opposite in OPPOSITES.get(each, ()))


def _groups(statement: Statement) -> list[frozenset[Meaning]]:
    """The directions of a statement, those together of which either is meant."""
    wanted = frozenset(statement.directions)
    either = [group for group in ALIKE if group <= wanted]
    single = wanted.difference(*either)
    return [*either, *(frozenset({each}) for each in sorted(single))]


def _directions(reading: _Reading) -> frozenset[Meaning]:
    """The directions of a window; without a word for it, two numbers tell a rise from a fall."""
    found = meanings(reading.text)
    values = [q.value for q in reading.quantities]
    spoken = plain(reading.text)
    if found & {"rise", "fall"} or len(values) < 2 or not ("from" in spoken or "由" in spoken):
        return found
    return found | ({"rise"} if values[1] > values[0] else {"fall"})


def _agrees(statement: Statement, reading: _Reading, language: Language) -> State:
    """The verdict of a window: its directions are the item's, and it denies only what that does."""
    if not all(_says(statement, group, reading, language) for group in _groups(statement)):
        return "failed"
    parts = segments(reading.text)
    turned = [is_negated(p) for p in parts if meanings(p).intersection(statement.directions)]
    if statement.quantities and turned and all(turned) and not statement.negated:
        return "failed"
    bearing = [part for part in parts if _bears(statement, part, language)]
    closest = [part for part in bearing if _is_about(statement, _Reading(part), language)]
    denied = [is_negated(part) for part in closest or bearing]
    if statement.negated and not any(denied):
        # The denial may stand beside the words that it is about, or be one of omission.
        return "undecided" if is_negated(reading.text) or _stops(reading) else "failed"
    if statement.negated:
        return "passed"
    if not any(denied):
        return "passed"
    return "failed" if all(denied) else "undecided"


def _stops(reading: _Reading) -> bool:
    return "stop" in meanings(reading.text)


def _says(
    statement: Statement, group: frozenset[Meaning], reading: _Reading, language: Language
) -> bool:
    """True if a window says a direction, of the subject itself if anything is said of that."""
    parts = segments(reading.text)
    about = [part for part in parts if _is_about(statement, _Reading(part), language)]
    said = [meanings(part) & (group | _opposites(group)) for part in about]
    near = [each for each in said if each]
    if near:
        return any(each & group for each in near)
    if about and group & _OF_A_SUBJECT:
        return any(points_back(part) and meanings(part) & group for part in parts)
    return bool(_directions(reading) & group)


def _bears(statement: Statement, segment: str, language: Language) -> bool:
    """True if a segment has a part of a statement that a negation would turn."""
    part = _Reading(segment)
    if statement.quantities:
        return any(_is_same(q, w, statement) for q in part.quantities for w in statement.quantities)
    if statement.directions:
        return bool(meanings(segment).intersection(statement.directions))
    if any(part.has_word(word, language) for word in statement.words):
        return True
    return bool(part.terms.intersection(statement.terms))


def _is_about(statement: Statement, reading: _Reading, language: Language) -> bool:
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


def _is_same(given: Quantity, wanted: Wanted, statement: Statement) -> bool | None:
    target = Quantity(wanted.value, wanted.unit, 0, 0, wanted.decimals)
    tests = [term.name for term in statement.terms if term.kind == "test"]
    return same(given, target, tests[0] if tests else "")


def _pairs(word: str) -> list[str]:
    return [word[n : n + 2] for n in range(len(word) - 1)]
