"""Plain assertions: an answer asserts a statement, and all of the answer is understood.

A statement passes on a clause that is understood, asks and supposes nothing, and is about the
patient; it fails only where the answer is understood, or says something else of the same subject.
"""

from collections.abc import Sequence

from wardround.benchmarks.assist.checks.answer_words import unknown_words
from wardround.benchmarks.assist.checks.clauses import Clause, clauses
from wardround.benchmarks.assist.checks.items import Statement, Term, Wanted, periods
from wardround.benchmarks.assist.checks.lexicon import cue, meanings
from wardround.benchmarks.assist.checks.readings import Reading, same_quantity
from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.terms.chinese import TermKind, plain
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import Quantity, quantities
from wardround.ehr.text.word_tables import ends_in

_TIMES = frozenset({"minute", "hour", "day", "week", "month", "year"})


def is_asserted(statement: Statement, reading: Reading, language: Language) -> bool:
    """True if the clauses of a window that bear a statement are understood and plain."""
    borne = False
    for sentence in sentences(reading.text):
        parts = clauses(sentence, statement.words)
        bearing = _bearing(statement, parts, language)
        near = {m for n in bearing for m in (n - 1, n, n + 1) if 0 <= m < len(parts)}
        before = {m for n in bearing for m in (n - 1, n) if m >= 0}
        if bearing and not _all_plain(statement, [parts[n] for n in bearing]):
            return False
        if any(_is_of_another(parts[n], statement) for n in before):
            return False
        if statement.act == "say" and any(_is_unsure(parts[n]) for n in near):
            return False
        borne = borne or bool(bearing)
    counted = set(periods(reading.text))
    if statement.period and counted and statement.period not in counted:
        return False
    return borne and all(_is_its_value(each, statement, reading) for each in statement.quantities)


def _bearing(statement: Statement, parts: Sequence[Clause], language: Language) -> list[int]:
    """The clauses that bear a statement; of those with its words alone, those with the most."""
    bearing = [n for n, part in enumerate(parts) if _bears(statement, part, language)]
    if statement.act == "recommend" or statement.terms or statement.quantities or not bearing:
        return bearing
    words = {
        n: sum(Reading(parts[n].text).has_word(word, language) for word in statement.words)
        for n in bearing
    }
    return [n for n in bearing if words[n] == max(words.values())]


def _all_plain(statement: Statement, bearing: Sequence[Clause]) -> bool:
    """True if the clauses are plain; of an advice one is enough, as others may advise more."""
    plain = [_is_plain(statement, part) for part in bearing]
    return any(plain) if statement.act == "recommend" else all(plain)


def _is_plain(statement: Statement, part: Clause) -> bool:
    """True if a clause is understood, and denies only what an item denies."""
    if _is_of_now(statement) and part.has("earlier") and not _is_latest(statement, part):
        return False
    stops = bool({"stop", "less"} & set(statement.directions))
    denies = part.has("no") and not statement.negated and not stops
    past = part.has("fact") and not part.has("check")
    obliges = cue("obliges").search(part.text) is not None
    other_mood = past if statement.act == "recommend" else obliges
    return part.is_understood and not denies and not other_mood


def _is_of_now(statement: Statement) -> bool:
    """True for an item about the latest value, or about the single one of a score."""
    if statement.latest or statement.first or statement.dates:
        return statement.latest
    named = statement.scores or (statement.words and not statement.terms)
    names_time = Clause(" ".join(statement.words)).has("earlier")
    measured = [q for q in statement.quantities if q.unit not in _TIMES]
    return bool(named) and statement.act == "say" and len(measured) == 1 and not names_time


def _is_latest(statement: Statement, part: Clause) -> bool:
    """True if a word for the latest stands nearer before the value than one for an earlier one."""
    values = [
        q
        for q in quantities(part.text)
        for w in statement.quantities
        if same_quantity(q, w, statement)
    ]
    if not values:
        return False
    start = values[0].start
    marks = [m.start() for m in cue("latest").finditer(part.text) if m.start() < start]
    earlier = [at for at, _, role in part.roles if role == "earlier" and at < start]
    return bool(marks) and max(marks) > max(earlier, default=-1)


def _advises(part: Clause) -> bool:
    """True if a clause has a word of advice; the Chinese name of replacing potassium is one."""
    advice = part.has("give", "take", "must", "stop", "unsafe", "no", "check")
    return advice or "again" in meanings(part.text) or "补" in part.text


def is_read(answer: str, statement: Statement) -> bool:
    """True if every word of an answer is known, and it asks nothing."""
    return all(
        None not in part.names and not part.question and not part.has("unsure", "other")
        for sentence in sentences(answer)
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
        for sentence in sentences(answer)
        for part in clauses(sentence, statement.words)
        if subjects
    )


def _is_unsure(clause: Clause) -> bool:
    """True for an understood clause that supposes something."""
    return clause.has("unsure") and None not in clause.names


def _is_of_another(clause: Clause, statement: Statement) -> bool:
    """True for a clause about another person whom the item does not name."""
    words_of_item = Clause(" ".join(statement.words))
    return clause.has("other") and not words_of_item.has("other")


def _bears(statement: Statement, clause: Clause, language: Language) -> bool:
    """True if a clause mentions a part of a statement; for an advice it must also advise."""
    if statement.act == "recommend" and not _advises(clause):
        return False
    if statement.act == "recommend" and clause.has("pronoun") and not clause.has("unsure"):
        return True
    reading = Reading(clause.text)
    if statement.quantities:
        return any(
            same_quantity(q, w, statement) for q in reading.quantities for w in statement.quantities
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
    places = [q for q in reading.quantities if same_quantity(q, wanted, statement)]
    return any(_is_at(quantity, statement, reading.text) for quantity in places)


def _is_at(quantity: Quantity, statement: Statement, text: str) -> bool:
    before = plain(text)[: quantity.start]
    if _is_of_now(statement) and ends_in(cue("from"), before):
        return False
    if statement.first and ends_in(cue("to"), before):
        return False
    kinds: set[TermKind] = {term.kind for term in statement.terms} & {"test", "drug"}
    named = mentions(text, *sorted(kinds))
    if not named:
        return True
    ahead = [mention for mention in named if mention.end <= quantity.start]
    nearest = max(ahead, key=lambda m: m.end) if ahead else min(named, key=lambda m: m.start)
    return Term(kind=nearest.kind, name=nearest.name) in statement.terms
