"""Classifies an agent's reply by its wording: something found, nothing found, a question."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.ehr.text.segments import sentences, texts
from wardround.people.patterns import content_words, pattern

Outcome: TypeAlias = Literal["found", "nothing"]
Demand: TypeAlias = Literal["detail", "form", "schema", "work", "finish", "more", "leave"]

# Question kinds other than "detail", in matching order.
KINDS: tuple[Demand, ...] = ("work", "schema", "form", "leave", "more")


@dataclass(frozen=True, slots=True)
class ReplyClass:
    """The class of a reply.

    Attributes:
        outcome: the reported result; None if it reports none.
        demand: the request to the user in it; None if it asks for nothing.

            - "detail": more information; "form": the answer's format;
            - "schema": where data is stored; "work": a task of the agent's own;
            - "finish": the rest of a calculation;
            - "more": further wishes; "leave": permission to go on.
        question: its questions; empty if there are none.
    """

    outcome: Outcome | None = None
    demand: Demand | None = None
    question: str = ""


def classify_reply(message: str) -> ReplyClass:
    """Classifies a reply.

    A tagged or named answer is a result whatever surrounds it. A report of absence takes
    precedence over questions, since an agent that found nothing asks how to go on; other
    reports only over questions asked out of courtesy.

    >>> classify_reply("I found no records for Lopressor. Should I try its generic name?").outcome
    'nothing'
    >>> classify_reply("There are two kinds. Which kind do you mean?")
    ReplyClass(outcome='found', demand='detail', question='Which kind do you mean?')
    """
    answer = _answer(message)
    if answer is not None:
        return ReplyClass("nothing" if _amounts_to_nothing(answer) else "found")
    parts = _sentences(message)
    questions = [part for part in parts if _asks(part)]
    outcome = _reported_outcome(parts, questions)
    if outcome == "nothing":
        return ReplyClass("nothing")
    if questions:
        return _question_class(outcome, questions, message)
    if pattern("reply_patterns", "unfinished").search(message):
        return ReplyClass(outcome, "finish", message)
    return ReplyClass(outcome) if outcome else ReplyClass(None, "leave")


def _answer(message: str) -> str | None:
    """Returns the content of the last answer tag, or else of "the answer is …"."""
    if tagged := re.findall(r"<answer>(.*?)</answer>", message, re.DOTALL | re.IGNORECASE):
        return str(tagged[-1])
    named = pattern("reply_patterns", "answer").search(message)
    return named["answer"] if named else None


def _amounts_to_nothing(answer: str) -> bool:
    """True if every part of an answer says that there is nothing, or if it is empty."""
    return all(_reports_absence(part) for part in re.split(r"[,;\n]", answer) if part.strip())


def _sentences(message: str) -> list[str]:
    """Splits into sentences and lines, and a statement from a question that follows it."""
    question_break = pattern("reply_patterns", "question_break")
    parts = texts(message, sentences(message, "en"))
    return [part for sentence in parts for part in question_break.split(sentence)]


def _asks(sentence: str) -> bool:
    asks = sentence.rstrip().endswith("?") or pattern("reply_patterns", "asking").search(sentence)
    return bool(asks)


def _reported_outcome(parts: list[str], questions: list[str]) -> Outcome | None:
    """Returns the outcome of the statements, without announcements and courtesies."""
    stated = [s for s in parts if not s.rstrip().endswith("?") and not _announces(s)]
    if any(_reports_absence(s) for s in stated):
        return "nothing"
    return "found" if any(s not in questions for s in stated) else None


def _announces(sentence: str) -> bool:
    return bool(pattern("reply_patterns", "announcement").search(sentence))


def _reports_absence(statement: str) -> bool:
    """True if a statement reports absence; counted people who lack something do not count."""
    if pattern("reply_patterns", "empty_answer").search(statement):
        return True
    rest = pattern("reply_patterns", "counted").sub(" ", statement)
    excused = pattern("reply_patterns", "about_the_request").search(rest)
    return bool(pattern("reply_patterns", "nothing").search(rest)) and not excused


def _question_class(outcome: Outcome | None, questions: list[str], message: str) -> ReplyClass:
    """Classifies questions; one without content words is about the whole message."""
    demands = {_demand(question) for question in questions}
    demand = next(kind for kind in ("detail", *KINDS) if kind in demands)
    if outcome and demand in ("leave", "more"):
        return ReplyClass(outcome)
    question = " ".join(questions)
    return ReplyClass(outcome, demand, question if content_words(question) else message)


def _demand(question: str) -> Demand:
    matching = (kind for kind in KINDS if pattern("reply_patterns", kind).search(question))
    return next(matching, "detail")
