"""Whether an answer plainly asserts a statement, and whether all of it is understood.

A statement passes on a clause that is understood, asks and supposes nothing, and is about the
patient; it fails only where the answer is understood, or says something else of the same subject.
"""

import re

from wardround.benchmarks.assist.checks.clauses import Clause, clauses, sentences_of
from wardround.benchmarks.assist.checks.items import Statement, Term, Wanted
from wardround.benchmarks.assist.checks.lexicon import meanings
from wardround.benchmarks.assist.checks.quantities import Quantity, quantities
from wardround.benchmarks.assist.checks.readings import Reading, is_same
from wardround.benchmarks.assist.checks.word_forms import unknown_words
from wardround.benchmarks.assist.tasks import Language
from wardround.ehr.terms.chinese import mentions, plain

_FROM = re.compile(r"(?:\bfrom|由|从|自)\s*$", re.IGNORECASE)
_TO = re.compile(r"(?:\bto|至|到|为|→|->)\s*$", re.IGNORECASE)


def is_asserted(statement: Statement, reading: Reading, language: Language) -> bool:
    """True if the clauses of a window that bear a statement are understood and plain."""
    borne = False
    for sentence in sentences_of(reading.text):
        parts = clauses(sentence, statement.words)
        bearing = [n for n, part in enumerate(parts) if _bears(statement, part, language)]
        near = {m for n in bearing for m in (n - 1, n, n + 1) if 0 <= m < len(parts)}
        before = {m for n in bearing for m in (n - 1, n) if m >= 0}
        if not all(_is_plain(statement, parts[n]) for n in bearing):
            return False
        if any(_is_of_another(parts[n], statement) for n in before):
            return False
        if any(parts[n].has("unsure") and None not in parts[n].names for n in near):
            return False
        borne = borne or bool(bearing)
    return borne and all(_is_its_value(each, statement, reading) for each in statement.quantities)


def _is_plain(statement: Statement, part: Clause) -> bool:
    """True if a clause is understood, and denies only what an item denies."""
    if statement.latest and part.has("earlier"):
        return False
    stops = bool({"stop", "less"} & set(statement.directions))
    if not part.is_understood or (part.has("no") and not statement.negated and not stops):
        return False
    return True


def _advises(part: Clause) -> bool:
    """True if a clause has a word of advice."""
    return part.has("give", "take", "must", "stop", "unsafe", "no") or "again" in meanings(
        part.text
    )


def is_read(answer: str, statement: Statement) -> bool:
    """True if every word of an answer is known, and it asks nothing."""
    return all(
        None not in part.names and not part.question and not part.has("unsure", "other")
        for sentence in sentences_of(answer)
        for part in clauses(sentence, statement.words)
    )


def is_contradicted(statement: Statement, answer: str, language: Language) -> bool:
    """True if an understood clause gives the subject another value, and no word is unknown."""
    if not statement.quantities or next(unknown_words(answer, language), None) is not None:
        return False
    subjects = {t for t in statement.terms if t.kind in ("test", "drug")}
    return any(
        part.is_understood
        and any(part.text[q.start].isdigit() for q in quantities(part.text))
        and not part.has("earlier", "other", "no")
        and subjects <= Reading(part.text).terms
        for sentence in sentences_of(answer)
        for part in clauses(sentence, statement.words)
        if subjects
    )


def _is_of_another(clause: Clause, statement: Statement) -> bool:
    """True for a clause about another person whom the item does not name."""
    known = Clause(" ".join(statement.words))
    return clause.has("other") and not known.has("other")


def _bears(statement: Statement, clause: Clause, language: Language) -> bool:
    """True if a clause has a part of a statement; of an advice, only one that advises bears."""
    if statement.act == "recommend" and not _advises(clause):
        return False
    if statement.act == "recommend" and clause.has("pronoun"):
        return True
    reading = Reading(clause.text)
    if statement.quantities:
        return any(
            is_same(q, w, statement) for q in reading.quantities for w in statement.quantities
        )
    if reading.terms & set(statement.terms) or reading.dates & set(statement.dates):
        return True
    if any(reading.has_class(name) for name in statement.classes):
        return True
    if any(reading.has_word(word, language) for word in statement.words):
        return True
    if reading.scores & set(statement.scores):
        return True
    return not (statement.terms or statement.words) and bool(meanings(clause.text))


def _is_its_value(wanted: Wanted, statement: Statement, reading: Reading) -> bool:
    """True if a wanted quantity stands behind its subject, and at the right end of a trend."""
    places = [q for q in reading.quantities if is_same(q, wanted, statement)]
    return any(_is_at(place, statement, reading.text) for place in places)


def _is_at(place: Quantity, statement: Statement, text: str) -> bool:
    before = plain(text)[: place.start]
    if statement.latest and _FROM.search(before):
        return False
    if statement.first and _TO.search(before):
        return False
    kinds = {t.kind for t in statement.terms} & {"test", "drug"}
    named = [(m, kind) for kind in kinds for m in mentions(text, kind)]
    if not named:
        return True
    ahead = [(m, k) for m, k in named if m.end <= place.start]
    nearest = (
        max(ahead, key=lambda each: each[0].end)
        if ahead
        else min(named, key=lambda each: each[0].start)
    )
    return Term(kind=nearest[1], name=nearest[0].english) in statement.terms
