"""Requests, checks, judges, ranks and prunes new wordings (Lee et al. 2022, 3.3).

In the paper T5 and translation models reword a question, a duplicate-question model filters,
GPT-Neo's perplexity ranks, and the Levenshtein distance prunes. Here a language model writes, and
the same or another model judges and ranks.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, Field, create_model

from wardround.core.errors import MalformedAnswerError
from wardround.models import Message, Model

Text = TypeVar("Text")


# The name and docstring are sent to the model: recordings are found by them.
class Verdict(BaseModel):
    """What a judge says of a new wording.

    Attributes:
        same: Whether it asks what the template asks.
        natural: How natural it sounds, from 1 to 5.
    """

    same: bool
    natural: int = Field(ge=1, le=5)


# The problem of a text, given the texts before it; "" if it has none.
Check: TypeAlias = Callable[[Text, Sequence[Text]], str]
Judge: TypeAlias = Callable[[Text], Awaitable[Verdict | None]]
# The distance of each text, the best first, to the texts before it that are not pruned.
Distances: TypeAlias = Callable[[Sequence[Text]], Iterator[float]]


@dataclass(frozen=True)
class Rewording(Generic[Text]):
    """A new wording, with the results of the steps.

    Attributes:
        text: The wording.
        checks: The problem that each step found; "" for a step that it passed.
        natural: How natural the judge finds it, from 1 to 5.
        distance: Its distance to the nearest wording ranked before it, from 0 to 1.
        rank: Its place among the wordings that are not pruned, 1 the best.
    """

    text: Text
    checks: Mapping[str, str] = field(default_factory=dict)
    natural: int | None = None
    distance: float | None = None
    rank: int | None = None

    @property
    def passes(self) -> bool:
        """True if no step found anything wrong."""
        return not any(self.checks.values())


@dataclass(frozen=True)
class Pipeline(Generic[Text]):
    """The steps that new wordings go through.

    Attributes:
        checks: By name, in their order; the first that a wording fails prunes it.
        judge: Compares a wording with the original; None for no judge.
        distances: Measures how far wordings are apart; None for no pruning by distance.
        least: The least distance of two wordings that may both stay.
    """

    checks: Mapping[str, Check[Text]]
    judge: Judge[Text] | None = None
    distances: Distances[Text] | None = None
    least: float = 0.0

    async def run(
        self, texts: Sequence[Text], before: Sequence[Text] = ()
    ) -> tuple[Rewording[Text], ...]:
        """Returns the wordings, the best first, then those that were pruned.

        Args:
            texts: New wordings, as they came.
            before: Wordings that came earlier.

        Raises:
            InfraError: The judge's provider fails.
        """
        checked = list(self._checked(texts, before))
        judged = [await self._judged(each) for each in checked if each.passes]
        judged.sort(key=lambda each: (not each.passes, -(each.natural or 0)))
        measured = list(self._measured([each for each in judged if each.passes]))
        ranked = [each for each in measured if each.passes]
        return (
            *(replace(each, rank=rank) for rank, each in enumerate(ranked, start=1)),
            *(each for each in (*measured, *judged, *checked) if not each.passes),
        )

    def _checked(self, texts: Sequence[Text], before: Sequence[Text]) -> Iterator[Rewording[Text]]:
        for place, text in enumerate(texts):
            problems: dict[str, str] = {}
            for name, check in self.checks.items():
                problems[name] = check(text, [*before, *texts[:place]])
                if problems[name]:
                    break
            yield Rewording(text, problems)

    async def _judged(self, rewording: Rewording[Text]) -> Rewording[Text]:
        """The wording with the judge's verdict; as it is if the judge gives none."""
        verdict = await self.judge(rewording.text) if self.judge else None
        if verdict is None:
            return rewording
        problem = "" if verdict.same else "asks something else, says the judge"
        checks = {**rewording.checks, "meaning": problem}
        return replace(rewording, natural=verdict.natural, checks=checks)

    def _measured(self, ranked: Sequence[Rewording[Text]]) -> Iterator[Rewording[Text]]:
        if self.distances is None:
            yield from ranked
            return
        distances = self.distances([each.text for each in ranked])
        for rewording, distance in zip(ranked, distances, strict=True):
            problem = "too much like one before it" if distance < self.least else ""
            checks = {**rewording.checks, "distance": problem}
            yield replace(rewording, checks=checks, distance=round(distance, 2))


async def request_wordings(
    model: Model, instructions: str, question: str, known: Sequence[str], count: int
) -> tuple[str, ...]:
    """Ask a model for other wordings of a question.

    Args:
        model: The model.
        instructions: The system prompt.
        question: The question with its slots filled.
        known: Its known wordings.
        count: The number of wordings.

    Raises:
        MalformedAnswerError: It gives none.
    """
    lines = [
        f"The question: {question}",
        *(f"Said otherwise: {wording}" for wording in known),
        f"Put it in {count} other ways, none of them one of these.",
    ]
    messages = [Message("system", instructions), Message("user", "\n".join(lines))]
    given = await model.structured(messages, _wordings(count))
    return tuple(given.questions[:count])  # type: ignore[attr-defined]


async def request_verdict(
    model: Model, instructions: str, question: str, candidate: str
) -> Verdict | None:
    """Ask a judge if two questions are the same; None if it gives no verdict."""
    pair = f"First: {question}\nSecond: {candidate}"
    messages = [Message("system", instructions), Message("user", pair)]
    try:
        return await model.structured(messages, Verdict)
    except MalformedAnswerError:
        return None


def _wordings(count: int) -> type[BaseModel]:
    """The form of the answer; `maxItems` keeps small models from going on for ever."""
    several = Annotated[list[str], Field(min_length=1, json_schema_extra={"maxItems": count})]
    return create_model("Wordings", questions=(several, ...))
