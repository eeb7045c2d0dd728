"""A parsed instruction: a broad goal, steps, and information that waits for its occasion."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TypeAlias

from wardround.people.patterns import content_words
from wardround.people.reply_classifier import Outcome

# Pieces are asked for their words at each turn of each trial.
_words = lru_cache(maxsize=4096)(content_words)


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence to say, in the first person.

    Attributes:
        text: the sentence.
        follows: True if it refers back to the step before it.
        depends: True if it is said because of the agent's report.
        condition: the condition on what was found, of which the piece speaks without naming it.
    """

    text: str
    follows: bool = False
    depends: bool = False
    condition: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The content words of the sentence and of its condition."""
        return _words(f"{self.text} {self.condition}")


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the conversation."""


@dataclass(frozen=True, slots=True)
class Junction:
    """A branch on the agent's reported outcome; an empty branch changes nothing."""

    found: tuple["Step", ...] = ()
    nothing: tuple["Step", ...] = ()

    def after(self, outcome: Outcome) -> tuple["Step", ...]:
        """Returns the branch for an outcome."""
        return self.found if outcome == "found" else self.nothing


Step: TypeAlias = Piece | Junction | Stop


@dataclass(frozen=True, slots=True)
class Answer:
    """Information to give only when the agent asks for it."""

    cue: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Steps for a report that states something in particular, say that a patient is dead.

    Attributes:
        condition: the statement; empty for any other report.
        steps: the steps once it is reported.
    """

    condition: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Instruction:
    """A parsed instruction.

    Attributes:
        goal: the broad goal, a phrase to follow "I want to"; empty if there is none.
        script: the steps, in order.
        alternatives: groups of steps for particular reports; a report takes one of a group.
        answer_formats: how the answer should look.
        answers: information to give when asked.
        withheld: words not to be said before the agent says any of them.
    """

    goal: str = ""
    script: tuple[Step, ...] = ()
    alternatives: tuple[tuple[Alternative, ...], ...] = ()
    answer_formats: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    withheld: frozenset[str] = frozenset()


def matching_answer(answers: Sequence[Answer], asked: frozenset[str]) -> Answer | None:
    """Returns the answer whose cue, or else whose text, shares words with a question.

    An answer without a cue suits any question that no other answer suits.
    """
    asked_stems = stems(asked)
    by_cue = (answer for answer in answers if stems(answer.cue) & asked_stems)
    by_text = (answer for answer in answers if content_words(answer.text) & asked)
    uncued = (answer for answer in answers if not answer.cue)
    return next(chain(by_cue, by_text, uncued), None)


def stems(words: frozenset[str]) -> frozenset[str]:
    """Returns the first five letters of each word, which its forms share."""
    return frozenset(word[:5] for word in words)
