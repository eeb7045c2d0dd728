"""What an agent's reply amounts to by its language: something found, nothing, a question."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.people.patterns import content_words, pattern

Outcome: TypeAlias = Literal["found", "nothing"]
Demand: TypeAlias = Literal["detail", "form", "schema", "work", "finish", "more", "leave"]

# What a question may be if it asks for no detail, in the order of trying.
KINDS: tuple[Demand, ...] = ("work", "schema", "form", "leave", "more")


@dataclass(frozen=True, slots=True)
class Heard:
    """What a reply amounts to.

    Attributes:
        outcome: what the agent reports; None when it reports no result at all.
        demand: what it wants of the user; None when it reports and wants nothing.

            - "detail": to be told more; "form": how the answer should look;
            - "schema": where things are stored; "work": its own work done;
            - "finish": the end of its sum worked out;
            - "more": any further wish; "leave": to go on, as it announces or offers.
        question: the sentences in which it asks; empty when it asks nothing.
    """

    outcome: Outcome | None = None
    demand: Demand | None = None
    question: str = ""


def hear(said: str) -> Heard:
    """Listens to a reply.

    An answer, tagged or called so, is a result whatever stands around it. Word that nothing was
    found counts before any question, since an agent that found nothing asks how to go on; other
    findings do so only when the question is a courtesy.

    >>> hear("I found no records for Lopressor. Should I look for the generic name?").outcome
    'nothing'
    >>> hear("There are two kinds. Which kind do you mean?")
    Heard(outcome='found', demand='detail', question='Which kind do you mean?')
    """
    answer = _answer(said)
    if answer is not None:
        return Heard("nothing" if _amounts_to_nothing(answer) else "found")
    sentences = _sentences(said)
    questions = [s for s in sentences if _asks(s)]
    outcome = _report(sentences, questions)
    if outcome == "nothing":
        return Heard("nothing")
    if questions:
        return _asked(outcome, questions, said)
    if pattern("hearing", "unfinished").search(said):
        return Heard(outcome, "finish", said)
    return Heard(outcome) if outcome else Heard(None, "leave")


def _answer(said: str) -> str | None:
    """What stands in the last answer tag, or else behind "the answer is"."""
    if tagged := re.findall(r"<answer>(.*?)</answer>", said, re.DOTALL | re.IGNORECASE):
        return str(tagged[-1])
    named = pattern("hearing", "answer").search(said)
    return named["answer"] if named else None


def _amounts_to_nothing(answer: str) -> bool:
    """Whether every part of an answer says that there is nothing; an empty one does."""
    return all(_is_nothing(part) for part in re.split(r"[,;\n]", answer) if part.strip())


def _sentences(said: str) -> list[str]:
    """Sentences and lines; a question that runs on from a statement is one of its own."""
    sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n+", said) if s.strip()]
    return [part for s in sentences for part in pattern("hearing", "question_break").split(s)]


def _asks(sentence: str) -> bool:
    asks = sentence.rstrip().endswith("?") or pattern("hearing", "asking").search(sentence)
    return bool(asks)


def _report(sentences: list[str], questions: list[str]) -> Outcome | None:
    """What the statements report; what is announced, supposed or only polite reports nothing."""
    stated = [s for s in sentences if not s.rstrip().endswith("?") and not _announces(s)]
    if any(_is_nothing(s) for s in stated):
        return "nothing"
    return "found" if any(s not in questions for s in stated) else None


def _announces(sentence: str) -> bool:
    return bool(pattern("hearing", "announcement").search(sentence))


def _is_nothing(statement: str) -> bool:
    """Whether a statement says that there is nothing; of counted people it says what they lack."""
    if pattern("hearing", "empty_answer").search(statement):
        return True
    rest = pattern("hearing", "counted").sub(" ", statement)
    excused = pattern("hearing", "about_the_request").search(rest)
    return bool(pattern("hearing", "nothing").search(rest)) and not excused


def _asked(outcome: Outcome | None, questions: list[str], said: str) -> Heard:
    """What is asked; a question that has no words of its own is about all that was said."""
    demands = {_demand(question) for question in questions}
    demand = next(kind for kind in ("detail", *KINDS) if kind in demands)
    if outcome and demand in ("leave", "more"):
        return Heard(outcome)
    question = " ".join(questions)
    return Heard(outcome, demand, question if content_words(question) else said)


def _demand(question: str) -> Demand:
    return next((kind for kind in KINDS if pattern("hearing", kind).search(question)), "detail")
