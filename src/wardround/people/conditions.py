"""Separates a part's condition from its main clause, and tells what the condition waits for."""

import re
from dataclasses import dataclass

from wardround.people.clause_classifier import ConditionKind
from wardround.people.clause_classifier import condition_kind as classified_kind
from wardround.people.patterns import pattern
from wardround.people.sentences import restore

# Possible ends of a condition: a comma, a colon, a dash, or a comma within a quote.
_BREAK = re.compile(r"[,:](?=\s)|(?<=[,?][\"'\u201d\u2019])(?=\s)|\s[\u2013\u2014-](?=\s)")


@dataclass(frozen=True, slots=True)
class Clause:
    """A main clause and the condition on it.

    Attributes:
        body: the main clause.
        condition: the condition without its conjunction; empty if there is none.
        negated: True if the conjunction is "unless".
    """

    body: str
    condition: str = ""
    negated: bool = False


def read_clause(part: str) -> Clause:
    """Splits a part of an instruction into a main clause and its condition.

    >>> read_clause("if warfarin, heparin or aspirin is found, ask for the dose").condition
    'warfarin, heparin or aspirin is found'
    >>> read_clause("you want to know if it was found").condition
    ''
    """
    opening = pattern("grammar", "conjunction").match(part)
    if opening:
        return _condition_first(part, opening) or Clause(part)
    return _condition_last(part) or Clause(part)


def condition_kind(condition: str) -> ConditionKind:
    """Returns the event that a condition waits for.

    >>> condition_kind("the agent asks which ward you mean"), condition_kind("there are ties")
    ('question', 'data')
    >>> condition_kind("more than ten drugs come up"), condition_kind("the agent finds none")
    ('statement', 'nothing')
    """
    condition = restore(condition)
    if pattern("grammar", "asked").search(condition):
        return "question"
    about_dialogue = pattern("grammar", "speaker").search(condition)
    if about_dialogue and not _is_failure(condition):
        kind = classified_kind(condition)
        if kind in ("question", "turn"):
            return "turn" if condition.lower().startswith("you ") else kind
    elif not about_dialogue and pattern("grammar", "standing").search(condition):
        return "data"
    if pattern("grammar", "comparison").search(condition):
        return "statement"
    if pattern("grammar", "nothing").search(condition):
        return "nothing"
    if pattern("grammar", "found").search(condition):
        return "found"
    kind = classified_kind(condition)
    # Without a word for ties or duplicates, a condition before a request is about a report.
    return "statement" if kind == "data" else kind


def asked_about(condition: str) -> str:
    """Returns what the agent asks about, or reports.

    >>> asked_about("the agent wants to know the ward"), asked_about("you are asked for a date")
    ('the ward', 'a date')
    """
    return pattern("grammar", "asker").sub("", condition)


def is_rule(clause: Clause) -> bool:
    """True for "unless" and a statement that the agent has to look at itself.

    "When giving times" is one too: a participle has the agent for its subject, and reports nothing.
    """
    if pattern("grammar", "participle").match(clause.condition):
        return True
    return clause.negated and not pattern("grammar", "reported").search(clause.condition)


def _condition_first(part: str, opening: re.Match[str]) -> Clause | None:
    rest = part[opening.end() :]
    for end in _BREAK.finditer(rest):
        condition, body = rest[: end.start()], rest[end.end() :].strip()
        if _is_predicate(condition) and body and not pattern("grammar", "list_item").match(body):
            return _clause(body, condition, opening)
    if then := pattern("grammar", "unmarked_main").search(rest):
        return _clause(rest[then.end() :], rest[: then.start()], opening)
    return None


def _condition_last(part: str) -> Clause | None:
    """Splits off a condition at the end, unless the agent has to apply it to the records."""
    for opening in reversed(list(pattern("grammar", "late_conjunction").finditer(part))):
        clause = _clause(part[: opening.start()], part[opening.end() :], opening)
        if pattern("grammar", "asking_end").search(clause.body):
            continue
        if _is_held(clause):
            return clause
    return None


def _is_held(clause: Clause) -> bool:
    """True if a condition at the end is the user's to observe, not the agent's to apply."""
    kind = condition_kind(clause.condition)
    is_spoken = bool(pattern("grammar", "speaker").search(clause.condition))
    if kind in ("question", "turn"):
        return kind == "question" or is_spoken
    if is_spoken or pattern("grammar", "negation").match(clause.body):
        return True
    if not pattern("grammar", "addressed").match(clause.body):
        return False
    if clause.negated or kind == "statement":
        return bool(
            pattern("grammar", "back_reference" if clause.negated else "reported").search(
                clause.condition
            )
        )
    return kind in ("found", "nothing")


def _is_failure(condition: str) -> bool:
    """True if the agent does not find or know something, other than what the user means."""
    negated = pattern("grammar", "nothing").search(condition)
    return bool(negated) and not pattern("grammar", "doubt").search(condition)


def _clause(body: str, condition: str, opening: re.Match[str]) -> Clause:
    negated = "unless" in opening[0].lower()
    body = pattern("grammar", "then").sub("", body.strip(" ,"))
    return Clause(body, condition.strip(" ,"), negated)


def _is_predicate(condition: str) -> bool:
    return bool(pattern("grammar", "predicate").search(condition))
