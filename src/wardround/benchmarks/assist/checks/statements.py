"""Decides whether an answer says what an item asks for, and not what it forbids.

An answer is read sentence by sentence. A statement holds where one sentence has all of its parts in
the same direction; it fails where a number, date or term of it is nowhere in the answer, or where a
sentence says the opposite. Everything else is left open.
"""

from wardround.benchmarks.assist.checks.answer_words import is_near
from wardround.benchmarks.assist.checks.assertions import (
    is_asserted,
    is_contradicted,
    is_read,
)
from wardround.benchmarks.assist.checks.items import (
    DETAILS,
    Statement,
    Term,
)
from wardround.benchmarks.assist.checks.lexicon import (
    OPPOSITES,
    Meaning,
    is_negated,
    meanings,
)
from wardround.benchmarks.assist.checks.readings import (
    FINDINGS,
    Reading,
    directions_of,
    groups,
    has_directions,
    is_about,
    same_quantity,
    says_directions,
)
from wardround.benchmarks.assist.checks.sentences import segments, windows
from wardround.benchmarks.assist.checks.stances import (
    decide_forbidden_drug,
    forbidden_drugs,
    stances,
)
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.kit.checks import Finding
from wardround.core.verdict import State
from wardround.ehr.text.dates import has_date

_ADVICE = frozenset({"start", "more", "suggest"})
_PASSED = Finding("passed")


def decide_statement(statement: Statement, answer: str, language: Language) -> Finding:
    """Decides one statement on an answer.

    >>> from wardround.benchmarks.assist.checks.items import compile_statement
    >>> item = compile_statement("States the latest potassium as 4.5 mEq/L", "en")
    >>> for text in ("Potassium is 4.5 mEq/L.", "Potassium is 5.4 mEq/L.", "It was 4.5, I think."):
    ...     print(decide_statement(item, text, "en").state)
    passed
    failed
    undecided
    """
    if statement.forbidden:
        return _decide_forbidden(statement, answer, language)
    readings = [Reading(window) for window in windows(answer)]
    if not readings:
        return Finding("failed", "there is no answer")
    if absent := _absent(statement, Reading(answer)):
        return _failed_if_read(f"the answer has no {absent}", statement, answer, language)
    holding = [reading for reading in readings if _holds(statement, reading, language)]
    nearest = [reading for reading in holding if _advises(statement, reading, language)]
    agreed = {r: _agrees(statement, r, language) for r in nearest or holding}
    if passing := [r for r, state in agreed.items() if state == "passed"]:
        if any(is_asserted(statement, reading, language) for reading in passing):
            return _PASSED
        return Finding("undecided", "the sentence that may say it is not understood")
    if set(agreed.values()) == {"failed"}:
        if not _is_turned(statement, answer):
            return Finding("undecided", "the answer may advise it in other words")
        return _failed_if_read("the answer says the opposite", statement, answer, language)
    if agreed:
        return Finding("undecided", "the answer both says and denies it")
    if not statement.is_hard and not is_near(statement.words, answer, language):
        return _failed_if_read("the answer says nothing of it", statement, answer, language)
    return Finding("undecided", "no sentence of the answer has all of it")


def _is_turned(statement: Statement, answer: str) -> bool:
    """True if an advice about a drug is turned in an understood clause; for any other statement."""
    drugs = forbidden_drugs(statement)
    if statement.act != "recommend" or drugs is None or not statement.directions:
        return True
    answer_stances = set(stances(statement, drugs, answer))
    stops = {"stop", "less"} & set(statement.directions)
    wanted, turned = ("against", "for") if stops else ("for", "against")
    return turned in answer_stances and not answer_stances & {wanted, "open"}


def _failed_if_read(reason: str, statement: Statement, answer: str, language: Language) -> Finding:
    """A failure, if the answer is understood; else an open verdict."""
    if is_read(answer, statement) or is_contradicted(statement, answer, language):
        return Finding("failed", reason)
    return Finding("undecided", f"{reason}, or in words that are not understood")


def _decide_forbidden(statement: Statement, answer: str, language: Language) -> Finding:
    """A forbidden statement passes where its subject is absent, or is denied wherever it is."""
    drugs = forbidden_drugs(statement) if statement.act == "recommend" else None
    if drugs is not None:
        return decide_forbidden_drug(statement, drugs, answer, language)
    if not is_read(answer, statement):
        return Finding("undecided", "the answer may say it in words that are not understood")
    readings = [Reading(window) for window in windows(answer)]
    about = [reading for reading in readings if is_about(statement, reading, language)]
    for reading in about:
        for segment in segments(reading.text):
            part = Reading(segment)
            if not is_about(statement, part, language):
                continue
            if is_negated(segment) != statement.negated:
                continue
            expressed = meanings(segment)
            if statement.act == "say" and expressed.issuperset(statement.directions):
                return Finding("failed", "the answer says it")
            if statement.act == "recommend" and _recommends(statement, expressed):
                return Finding("failed", "the answer recommends it")
    if not about and _may_mean(statement, answer, language):
        return Finding("undecided", "the answer may say it in other words")
    return _PASSED


def _may_mean(statement: Statement, answer: str, language: Language) -> bool:
    """True if an answer may say in other words what an item forbids.

    An item without a subject, as of never missing a dose, may be meant by any denial like its own.
    """
    if statement.act == "say" and statement.words and not statement.terms:
        return is_near(statement.words, answer, language)
    denies = any(is_negated(part) for sentence in windows(answer) for part in segments(sentence))
    subject = statement.terms or statement.classes or statement.words or statement.dates
    return not subject and denies == statement.negated


def _recommends(statement: Statement, expressed: frozenset[Meaning]) -> bool:
    """True if a segment with these meanings advises a forbidden thing."""
    if expressed & {"stop", "less"}:
        return False
    return bool(expressed & ({"more"} if "more" in statement.directions else _ADVICE))


def _absent(statement: Statement, answer: Reading) -> str:
    """The first number, date, score or term that is nowhere in the answer; "" if all are."""
    for wanted in statement.quantities:
        if all(same_quantity(q, wanted, statement) is False for q in answer.quantities):
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
    names = (f"{t.kind} {t.name}" for t in missing if t not in answer.terms and _differs(t, answer))
    return next(names, "")


def _differs(term: Term, answer: Reading) -> bool:
    """True if a missing term is another in the answer; without numbers, any missing one differs."""
    if any(each.kind == term.kind for each in answer.terms):
        return True
    return term.kind not in DETAILS and not (answer.quantities or answer.dates)


def _is_closed(term: Term, statement: Statement) -> bool:
    """True if an answer without a term cannot mean it in other words."""
    return not statement.words and term.name not in FINDINGS


def _silent(statement: Statement, answer: Reading) -> frozenset[Meaning]:
    """Directions of an item without words of its own that the answer neither says nor denies."""
    if statement.words or statement.terms:
        return frozenset()
    directions = directions_of(answer)
    for group in groups(statement):
        against = {opposite for each in group for opposite in OPPOSITES.get(each, ())}
        if not directions & (group | against):
            return group
    return frozenset()


def _holds(statement: Statement, reading: Reading, language: Language) -> bool:
    """True if a window has all parts of a statement but its directions."""
    return (
        all(
            any(same_quantity(q, w, statement) for q in reading.quantities)
            for w in statement.quantities
        )
        and all(has_date(reading.dates, date) for date in statement.dates)
        and reading.scores.issuperset(statement.scores)
        and reading.terms.issuperset(statement.terms)
        and all(reading.has_class(name) for name in statement.classes)
        and _has_words(statement, reading, language)
        and has_directions(statement, reading)
    )


def _advises(statement: Statement, reading: Reading, language: Language) -> bool:
    """True if a segment has both the subject of an advice and what is advised, or its opposite."""
    if statement.act != "recommend" or not statement.directions:
        return False
    wanted = frozenset(statement.directions)
    either = wanted.union(*(OPPOSITES.get(each, frozenset()) for each in wanted))
    return any(
        meanings(part) & either and is_about(statement, Reading(part), language)
        for part in segments(reading.text)
    )


def _has_words(statement: Statement, reading: Reading, language: Language) -> bool:
    """True if a window has the words of a statement; beside numbers and dates one is enough."""
    matches = [reading.has_word(word, language) for word in statement.words]
    if statement.quantities or statement.dates or statement.scores:
        return not matches or bool(statement.terms or statement.scores) or any(matches)
    return all(matches)


def _agrees(statement: Statement, reading: Reading, language: Language) -> State:
    """The verdict of a window: its directions and negations agree with the item's."""
    if not all(says_directions(statement, group, reading, language) for group in groups(statement)):
        return "failed"
    parts = segments(reading.text)
    turned = [is_negated(p) for p in parts if meanings(p).intersection(statement.directions)]
    if statement.quantities and turned and all(turned) and not statement.negated:
        return "failed"
    bearing = [part for part in parts if _bears(statement, part, language)]
    closest = [part for part in bearing if is_about(statement, Reading(part), language)]
    denied = [is_negated(part) for part in closest or bearing]
    if statement.negated and not any(denied):
        # The denial may stand beside the words that it is about, or be one of omission.
        return "undecided" if is_negated(reading.text) or _stops(reading) else "failed"
    if statement.negated:
        return "passed"
    if not any(denied):
        return "passed"
    return "failed" if all(denied) else "undecided"


def _stops(reading: Reading) -> bool:
    return "stop" in meanings(reading.text)


def _bears(statement: Statement, segment: str, language: Language) -> bool:
    """True if a segment has a part of a statement that a negation would turn."""
    part = Reading(segment)
    if statement.quantities:
        return any(
            same_quantity(q, w, statement) for q in part.quantities for w in statement.quantities
        )
    if statement.directions:
        return bool(meanings(segment).intersection(statement.directions))
    if any(part.has_word(word, language) for word in statement.words):
        return True
    return bool(part.terms.intersection(statement.terms))
