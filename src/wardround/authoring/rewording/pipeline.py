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
    """The verdict of a judge on a new wording.

    Attributes:
        same: Whether it asks what the template asks.
        natural: How natural it sounds, from 1 to 5.
    """

    same: bool
    natural: int = Field(ge=1, le=5)


# Returns the problem of a text, given the texts before it; "" if it has none.
Check: TypeAlias = Callable[[Text, Sequence[Text]], str]
Judge: TypeAlias = Callable[[Text], Awaitable[Verdict | None]]
# Yields the distance of each text, the best first, to the unpruned texts before it.
Distances: TypeAlias = Callable[[Sequence[Text]], Iterator[float]]


@dataclass(frozen=True)
class Rewording(Generic[Text]):
    """A new wording with the results of the steps.

    Attributes:
        text: the wording.
        checks: the problem found by each step; "" for a passed step.
        natural: the judge's rating of naturalness, from 1 to 5.
        distance: the distance to the nearest wording ranked before it, from 0 to 1.
        rank: the place among unpruned wordings, 1 for the best.
    """

    text: Text
    checks: Mapping[str, str] = field(default_factory=dict)
    natural: int | None = None
    distance: float | None = None
    rank: int | None = None

    @property
    def passes(self) -> bool:
        """True if no step found a problem."""
        return not any(self.checks.values())


@dataclass(frozen=True)
class Pipeline(Generic[Text]):
    """The steps that new wordings go through.

    Attributes:
        checks: checks by name, in order; the first that a wording fails prunes it.
        judge: compares a wording with the original; None for no judge.
        distances: measures the distances between wordings; None for no pruning by distance.
        least: the smallest distance between unpruned wordings.
    """

    checks: Mapping[str, Check[Text]]
    judge: Judge[Text] | None = None
    distances: Distances[Text] | None = None
    least: float = 0.0

    async def run(
        self, texts: Sequence[Text], before: Sequence[Text] = ()
    ) -> tuple[Rewording[Text], ...]:
        """Returns the unpruned wordings, the best first, then the pruned ones.

        Args:
            texts: new wordings.
            before: earlier wordings.

        Raises:
            InfraError: the judge's provider fails.
        """
        checked = list(self._checked(texts, before))
        judged = [await self._judged(rewording) for rewording in checked if rewording.passes]
        judged.sort(key=lambda rewording: (not rewording.passes, -(rewording.natural or 0)))
        measured = list(self._measured([rewording for rewording in judged if rewording.passes]))
        ranked = [rewording for rewording in measured if rewording.passes]
        return (
            *(replace(rewording, rank=rank) for rank, rewording in enumerate(ranked, start=1)),
            *(pruned for pruned in (*measured, *judged, *checked) if not pruned.passes),
        )

    def _checked(self, texts: Sequence[Text], before: Sequence[Text]) -> Iterator[Rewording[Text]]:
        for index, text in enumerate(texts):
            problems: dict[str, str] = {}
            for name, check in self.checks.items():
                problems[name] = check(text, [*before, *texts[:index]])
                if problems[name]:
                    break
            yield Rewording(text, problems)

    async def _judged(self, rewording: Rewording[Text]) -> Rewording[Text]:
        """Adds the judge's verdict to a wording, if the judge gives one."""
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
        distances = self.distances([rewording.text for rewording in ranked])
        for rewording, distance in zip(ranked, distances, strict=True):
            problem = "too much like one before it" if distance < self.least else ""
            checks = {**rewording.checks, "distance": problem}
            yield replace(rewording, checks=checks, distance=round(distance, 2))


async def request_wordings(
    model: Model,
    instructions: str,
    text: str,
    known: Sequence[str],
    count: int,
    name: str = "question",
) -> tuple[str, ...]:
    """Requests other wordings of a text from a model.

    Args:
        model: the model.
        instructions: the system prompt.
        text: the text with filled slots.
        known: its known wordings.
        count: the number of wordings.
        name: the name of such a text in the request.

    Raises:
        MalformedAnswerError: the answer holds no wordings.
    """
    lines = [
        f"The {name}: {text}",
        *(f"Said otherwise: {wording}" for wording in known),
        f"Put it in {count} other ways, none of them one of these.",
    ]
    messages = [Message("system", instructions), Message("user", "\n".join(lines))]
    field = f"{name.split()[0]}s"  # small models write what the field is called
    answer = await model.structured(messages, _wordings(field, count))
    return tuple(getattr(answer, field)[:count])


async def request_verdict(
    model: Model, instructions: str, question: str, candidate: str
) -> Verdict | None:
    """Asks a judge if two questions are the same; None if it gives no verdict."""
    pair = f"First: {question}\nSecond: {candidate}"
    messages = [Message("system", instructions), Message("user", pair)]
    try:
        return await model.structured(messages, Verdict)
    except MalformedAnswerError:
        return None


def _wordings(field: str, count: int) -> type[BaseModel]:
    """The schema of the answer; `maxItems` keeps small models from endless lists."""
    several = Annotated[list[str], Field(min_length=1, json_schema_extra={"maxItems": count})]
    model: type[BaseModel] = create_model("Wordings", **{field: (several, ...)})  # type: ignore[call-overload]
    return model
