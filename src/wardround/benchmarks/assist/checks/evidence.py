"""The evidence of a turn: its question, calls, results, the patient's words and the writes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wardround.benchmarks.assist.checks.reading import read
from wardround.benchmarks.assist.tasks import GoldTurn, Language
from wardround.benchmarks.assist.turns import PlayedCall, PlayedTurn

_TOPICS = ("test", "score", "drug")


@dataclass(frozen=True, slots=True)
class TurnEvidence:
    """What an answer can rest on.

    Attributes:
        question: the physician's question.
        gold: the turn's gold.
        language: the session's language.
        calls: the turn's calls with their results.
        earlier: the calls of earlier turns.
        said: the questions and answers of earlier turns.
        spoken: the patient's answers, of earlier turns too.
        written: the resources that the turn wrote.
        clock: the session's day as YYYY-MM-DD; "" if it is not known.
    """

    question: str
    gold: GoldTurn
    language: Language
    calls: tuple[PlayedCall, ...] = ()
    earlier: tuple[PlayedCall, ...] = ()
    said: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()
    written: tuple[Mapping[str, Any], ...] = ()
    clock: str = ""
    opening: str = field(default="")

    @property
    def topic(self) -> tuple[tuple[str, str], ...]:
        """The test, score or drug that the question is about, else that of the gold's calls."""
        texts = [self.question, *_arguments(self.gold)]
        for text in texts:
            heads = read(text).of(*_TOPICS)
            if heads:
                return tuple((head.kind, head.names[0]) for head in heads[:1])
        return ()

    @property
    def texts(self) -> Iterator[str]:
        """Every text that a number of the answer may come from."""
        yield from (self.question, self.opening, *self.said, *self.spoken)
        yield from (call.result for call in (*self.calls, *self.earlier))
        yield from (
            json.dumps(c.arguments, ensure_ascii=False) for c in (*self.calls, *self.earlier)
        )


def turn_evidence(
    played: Sequence[PlayedTurn],
    number: int,
    gold: GoldTurn,
    language: Language,
    clock: str = "",
    opening: str = "",
) -> TurnEvidence:
    """The evidence of a turn, from the turns as they were played."""
    turn, before = played[number], played[:number]
    return TurnEvidence(
        turn.question,
        gold,
        language,
        turn.calls,
        tuple(call for each in before for call in each.calls),
        tuple(text for each in before for text in (each.question, each.answer)),
        tuple(text for each in (*before, turn) for text in each.spoken),
        turn.written,
        clock[:10],
        opening,
    )


def _arguments(gold: GoldTurn) -> Iterator[str]:
    for call in gold.calls:
        yield from (str(call.arguments[n]) for n in ("code", "medication") if n in call.arguments)
