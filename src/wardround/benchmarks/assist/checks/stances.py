"""An answer's stance on a forbidden drug: for it, against it, a fact, or not understood.

An item that forbids a drug passes only if every word of the answer that may name a drug is known,
and none names the forbidden one by ingredient, brand or class other than to advise against it or to
state a fact. It fails only where a clause clearly advises it. Everything else is open.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.benchmarks.assist.checks.answer_words import unknown_words
from wardround.benchmarks.assist.checks.clauses import Clause, Role, clauses
from wardround.benchmarks.assist.checks.items import Statement
from wardround.benchmarks.assist.checks.lexicon import (
    class_spans,
    classes_in,
    cue,
    meanings,
    members,
)
from wardround.benchmarks.assist.checks.readings import Reading
from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.kit.checks import Finding
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import quantities

Stance: TypeAlias = Literal["for", "against", "aside", "open", "perhaps for"]
# Tests whose substance is also given as a drug, and the drugs.
GIVEN_AS = {
    "potassium": "potassium chloride",
    "iron": "iron sucrose",
    "sodium": "sodium polystyrene sulfonate",
    "vancomycin": "vancomycin",
}
_DOSES = frozenset({"mg", "g", "mcg", "units", "mEq", "tablet", "capsule", "mL"})
_ADVICE: tuple[Role, ...] = ("give", "take", "must", "safe")


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Forbidden drugs.

    Attributes:
        drugs: their generic names.
        classes: the names of their classes, where an item forbids a class.
        tests: the tests that are named like them.
    """

    drugs: frozenset[str]
    classes: frozenset[str]
    tests: frozenset[str]


def forbidden_drugs(statement: Statement) -> Forbidden | None:
    """The drugs that a statement is about; None if it is about something else."""
    named = {part for t in statement.terms if t.kind == "drug" for part in t.name.split(" + ")}
    tests = {t.name for t in statement.terms if t.kind == "test"} & GIVEN_AS.keys()
    by_class = {drug for name in statement.classes for drug in members(name)}
    drugs = named | by_class or {GIVEN_AS[test] for test in tests}
    tests |= {test for test, drug in GIVEN_AS.items() if drug in drugs}
    if not drugs:
        return None
    return Forbidden(frozenset(drugs), frozenset(statement.classes), frozenset(tests))


def decide_forbidden_drug(
    statement: Statement, forbidden: Forbidden, answer: str, language: Language
) -> Finding:
    """Decides an item that forbids to recommend a drug."""
    if unknown := next(unknown_words(answer, language), ""):
        return Finding("undecided", f"{unknown!r} may be a drug")
    answer_stances = list(stances(statement, forbidden, answer))
    if "for" in answer_stances:
        conflict = "against" in answer_stances or "open" in answer_stances
        reason = "the answer advises for and against it" if conflict else "the answer recommends it"
        return Finding("undecided" if conflict else "failed", reason)
    if "open" in answer_stances or (
        "perhaps for" in answer_stances and "against" not in answer_stances
    ):
        return Finding("undecided", "its mention is not understood")
    return Finding("passed")


def stances(statement: Statement, forbidden: Forbidden, answer: str) -> Iterator[Stance]:
    """The stance of each clause that is, or may be, about a forbidden drug."""
    names_it = False  # the last drug named is the forbidden one
    for sentence in sentences(answer):
        neighbour_of_other = False
        for clause in clauses(sentence):
            match _mention(forbidden, clause):
                case "named":
                    names_it = True
                    stance = stance_of(clause, _first_mention(forbidden, clause))
                    if neighbour_of_other and stance != "against":
                        stance = "open"
                    yield (
                        "open" if stance == "for" and not _qualifies(statement, clause) else stance
                    )
                case "perhaps":
                    stance = stance_of(clause, _first_mention(forbidden, clause))
                    if clause.count("no") == 1 and clause.is_understood and not clause.has("stop"):
                        stance = "against"
                    yield "perhaps for" if stance == "for" else stance
                case "other drug":
                    names_it = False
                case "none" if _is_unnamed_dose(clause):
                    yield "open"
                case "none":
                    if names_it and _goes_on(clause):
                        stance = stance_of(clause, max(clause.first("pronoun"), 0))
                        yield stance if stance in ("against", "aside") else "open"
            neighbour_of_other = clause.has("other")


def _mention(
    forbidden: Forbidden, clause: Clause
) -> Literal["named", "perhaps", "other drug", "none"]:
    """The way in which a clause mentions a forbidden drug."""
    named = {part for m in mentions(clause.text, "drug") for part in m.name.split(" + ")}
    of_class = {name for name in classes_in(clause.text) if forbidden.drugs & members(name)}
    tests = {m.name for m in mentions(clause.text, "test")} & forbidden.tests
    gives = clause.has("give", "take", "must", "safe", "given") or None in clause.names
    gives = gives and "again" not in meanings(clause.text)
    if named & forbidden.drugs or of_class & forbidden.classes:
        return "named"
    if of_class and cue("another").search(clause.text):
        return "other drug"
    if of_class or (tests and gives):
        return "perhaps"
    if named or classes_in(clause.text):
        return "other drug"
    unnamed = cue("unnamed drug").search(clause.text) and (gives or clause.has("unsure"))
    return "perhaps" if unnamed else "none"


def _first_mention(forbidden: Forbidden, clause: Clause) -> int:
    """The place of the first mention of a forbidden drug or class in a clause."""
    places = [
        m.start for m in mentions(clause.text, "drug") if forbidden.drugs & set(m.name.split(" + "))
    ]
    places += [
        start
        for start, end in class_spans(clause.text)
        if any(forbidden.drugs & members(name) for name in classes_in(clause.text[start:end]))
    ]
    return min(places, default=len(clause.text))


def stance_of(clause: Clause, mention: int) -> Stance:
    """The stance of a clause on a drug that it mentions at a place.

    >>> for text in ("do not give naproxen", "naproxen is unsafe", "start naproxen today",
    ...              "she takes naproxen", "do not forget naproxen", "maybe naproxen"):
    ...     print(stance_of(Clause(text), text.find("naproxen")))
    against
    against
    for
    aside
    open
    open
    """
    if not clause.is_understood or clause.count("no") > 1:
        return "open"
    if exchanged := _exchanged(clause, mention):
        return exchanged
    if clause.has("check") and not clause.has(*_ADVICE):
        return "aside"
    if clause.has("other"):
        return "aside" if clause.has("fact") and not clause.has(*_ADVICE) else "open"
    return _denied(clause, mention) if clause.has("no") else _affirmed(clause, mention)


def _exchanged(clause: Clause, mention: int) -> Stance | None:
    """The stance on the first of two drugs of a clause without a negation that prefers one.

    >>> for text in ("replace naproxen with ibuprofen", "naproxen rather than ibuprofen"):
    ...     print(stance_of(Clause(text), text.find("naproxen")))
    against
    open
    """
    behind = [m.start for m in mentions(clause.text, "drug") if m.start > mention]
    if not behind or clause.has("no", "fact"):
        return None
    if cue("rather than").search(clause.text, mention, behind[0]):
        return "open"
    is_first = all(m.start >= mention for m in mentions(clause.text, "drug"))
    return "against" if is_first and cue("exchange").search(clause.text, 0, behind[0]) else None


def _denied(clause: Clause, mention: int) -> Stance:
    """The stance of a clause with one negation, which must govern the drug or the advice."""
    if clause.has("stop", "unsafe", "stopped"):
        return _not_stopped(clause, mention)
    if clause.has("fact") and not clause.has("give", "must", "safe"):
        return "aside"
    [(negation, end)] = [(at, end) for at, end, role in clause.roles if role == "no"]
    governed = [at for at, _, role in clause.roles if role in (*_ADVICE, "given") and at > negation]
    ahead = [e for _, e, role in clause.roles if role in ("give", "take", "safe") and e <= negation]
    if any(clause.text[e:negation].strip() for e in ahead):
        return "open"
    target = min([*governed, *([mention] if mention > negation else [])], default=-1)
    return "against" if target >= 0 and _is_near(clause, end, target) else "open"


def _not_stopped(clause: Clause, mention: int) -> Stance:
    """The stance of "do not stop", next to its drug; of any other such clause it is open."""
    places = {role: (start, end) for start, end, role in clause.roles}
    if clause.count("stop") != 1 or clause.has("unsafe", "stopped", "fact", "give", "safe"):
        return "open"
    (_, negated), (start, end) = places["no"], places["stop"]
    if start < negated or not _is_near(clause, negated, start):
        return "open"
    ahead = mention < start and _is_near(clause, mention, places["no"][0])
    return "for" if ahead or (end <= mention and _is_near(clause, end, mention)) else "open"


def _affirmed(clause: Clause, mention: int) -> Stance:
    """The stance of an understood clause without a negation."""
    is_fact = clause.has("fact") and not clause.has("must", "safe", "give", "self")
    if clause.has("stop", "unsafe", "stopped"):
        return "aside" if is_fact else _stopped(clause, mention)
    if is_fact or _is_taken(clause):
        return "aside"
    by_self = clause.has("given") and clause.has("self")
    if clause.has("fact", "earlier") or not (clause.has(*_ADVICE) or by_self):
        return "open"
    return "for" if _is_advised(clause, mention) else "open"


def _is_advised(clause: Clause, mention: int) -> bool:
    """True if a word of advice stands next to a drug."""
    for start, end, role in clause.roles:
        if role in (*_ADVICE, "given"):
            behind = start < mention and _is_near(clause, end, mention)
            if behind or (mention < start and role != "give" and _is_near(clause, mention, start)):
                return True
    return False


def _stopped(clause: Clause, mention: int) -> Stance:
    """The stance of a clause that stops or warns: the drug must be the object of it."""
    stops = [(a, b) for a, b, role in clause.roles if role in ("stop", "unsafe", "stopped")]
    if len(stops) != 1 or (clause.has("safe", "self") and clause.has("given")):
        return "open"
    [(start, end)] = stops
    if start < mention:
        return "against" if _is_near(clause, end, mention) else "open"
    advised = clause.has("give", "take", "safe", "given")
    near = _is_near(clause, mention, start) and _is_near(clause, end, len(clause.text))
    return "against" if near and not advised else "open"


def _is_near(clause: Clause, start: int, end: int) -> bool:
    """True if only drugs and words that change nothing stand between two places of a clause."""
    between = clause.text[start:end].lower()
    others = [*((m.start, m.end) for m in mentions(between, "drug")), *class_spans(between)]
    for first, last in sorted(others, reverse=True):
        between = between[:first] + between[last:]
    if not others:
        between = cue("giving").sub("", between)
    return not cue("between").sub("", between).strip(" ,，、/-0123456789.()")


def _is_taken(clause: Clause) -> bool:
    """True for a drug that a patient takes by a Chinese clause, which has no tenses."""
    return (
        clause.has("take")
        and 0 <= clause.first("patient") < clause.first("take")
        and not clause.has("give", "must", "safe", "self")
    )


def _is_unnamed_dose(clause: Clause) -> bool:
    """True for a clause with a dose of something that it does not name by a known name."""
    dosed = any(quantity.unit in _DOSES for quantity in quantities(clause.text))
    return dosed and not clause.has("pronoun")


def _goes_on(clause: Clause) -> bool:
    """True for a clause that may speak of the drug named before it."""
    if clause.has("pronoun"):
        return True
    bare = not mentions(clause.text, "test") and not mentions(clause.text, "diagnosis")
    return bare and (clause.has("give", "take", "must", "safe", "given") or None in clause.names)


def _qualifies(statement: Statement, clause: Clause) -> bool:
    """True if a clause has what an item forbids of a drug: a route, more of it, or it alone."""
    reading = Reading(clause.text)
    wanted = {t for t in statement.terms if t.kind in ("route", "frequency")}
    more = "more" not in statement.directions or "more" in meanings(clause.text)
    words = all(word in plain(clause.text) for word in statement.words if word in _LIMITS)
    return wanted <= reading.terms and more and words


_LIMITS = frozenset({"alon", "vein", "只"})
