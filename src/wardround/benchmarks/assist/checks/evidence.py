"""The evidence of an answer: all that was asked, said and returned before it."""

from collections.abc import Sequence
from dataclasses import dataclass

from wardround.benchmarks.assist.turns import PlayedCall, PlayedTurn
from wardround.core.actions import Call


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that an answer can rest on.

    Attributes:
        texts: the questions, earlier answers, results of calls, and the patient's words.
        calls: the calls up to the answer.
        clock: the session's day as YYYY-MM-DD; "" if it is not known.
    """

    texts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    clock: str = ""


def evidence_of(opening: str, turns: Sequence[PlayedTurn], clock: str) -> Evidence:
    """The evidence of the last of some turns."""
    calls: list[PlayedCall] = [call for turn in turns for call in turn.calls]
    messages = [text for turn in turns[:-1] for text in (turn.question, turn.answer)]
    spoken = [text for turn in turns for text in turn.spoken]
    results = [call.result for call in calls]
    given = [str(value) for call in calls for value in call.arguments.values()]
    texts = (opening, turns[-1].question, *messages, *spoken, *results, *given)
    return Evidence(texts, tuple(Call(c.tool, c.arguments) for c in calls), clock[:10])
