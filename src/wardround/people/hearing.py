"""What an agent's reply amounts to by its language: something found, nothing, a question."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.people.patterns import pattern

Outcome: TypeAlias = Literal["found", "nothing"]
Demand: TypeAlias = Literal["detail", "schema", "work", "finish"]


@dataclass(frozen=True, slots=True)
class Heard:
    """What a reply amounts to.

    Attributes:
        outcome: what the agent reports; None when it reports no result at all.
        demand: what it wants of the user: a detail, where things are stored ("schema"), its own
            work done ("work"), or a half answer finished ("finish"); None when it wants nothing.
        question: the sentences in which it asks; empty when it asks nothing.
    """

    outcome: Outcome | None = None
    demand: Demand | None = None
    question: str = ""


def hear(said: str) -> Heard:
    """Listens to a reply.

    A tagged answer is a result whatever stands around it. Word that nothing was found counts
    before any question, since an agent that found nothing asks how to go on.

    >>> hear("I found no records for Lopressor. Would you like me to try the generic name?").outcome
    'nothing'
    >>> hear("Which time frame do you mean?").demand
    'detail'
    """
    if answers := re.findall(r"<answer>(.*?)</answer>", said, re.DOTALL | re.IGNORECASE):
        return Heard(_outcome(answers[-1]))
    sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n+", said) if s.strip()]
    questions = [s for s in sentences if _asks(s)]
    statements = [s for s in sentences if not s.rstrip().endswith("?")]
    if _reports_nothing(statements):
        return Heard("nothing")
    if questions:
        return Heard(None, _demand(" ".join(questions)), " ".join(questions))
    if pattern("hearing", "unfinished").search(said):
        return Heard(None, "finish", said)
    return Heard(None if _stalls(statements) else "found")


def _outcome(answer: str) -> Outcome:
    empty = not answer.strip() or pattern("hearing", "empty_answer").search(answer)
    return "nothing" if empty or _reports_nothing([answer]) else "found"


def _reports_nothing(statements: list[str]) -> bool:
    nothing, excused = pattern("hearing", "nothing"), pattern("hearing", "about_the_request")
    return any(nothing.search(s) and not excused.search(s) for s in statements)


def _asks(sentence: str) -> bool:
    if pattern("hearing", "courtesy").search(sentence):
        return False
    asks = sentence.rstrip().endswith("?") or pattern("hearing", "asking").search(sentence)
    return bool(asks)


def _demand(question: str) -> Demand:
    if pattern("hearing", "work").search(question):
        return "work"
    if pattern("hearing", "schema").search(question):
        return "schema"
    return "detail"


def _stalls(statements: list[str]) -> bool:
    """Whether the reply only announces what is to be done: it says so, and has no figure."""
    text = " ".join(statements).strip()
    announces = pattern("hearing", "stalling").search(text)
    return not text or bool(announces and not re.search(r"\d", text))
