"""Checks, judges, ranks and prunes new wordings (Lee et al. 2022, 3.3).

The paper has T5 and translation models word a question anew, a duplicate-question model keep what
asks the same, GPT-Neo's perplexity rank it and the Levenshtein distance prune it. Here a language
model writes, and a second pass of it, or another model, judges and ranks.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeAlias, TypeVar

from wardround.authoring.rewording.requests import Verdict

Text = TypeVar("Text")

# What is wrong with a text, given the texts before it; "" if nothing is.
Check: TypeAlias = Callable[[Text, Sequence[Text]], str]
Judge: TypeAlias = Callable[[Text], Awaitable[Verdict | None]]
# The distance of each text, the best first, to those that stay before it.
Distances: TypeAlias = Callable[[Sequence[Text]], Iterator[float]]


@dataclass(frozen=True)
class Rewording(Generic[Text]):
    """A new wording, and what each step found.

    Attributes:
        text: The wording.
        checks: What each step found wrong, "" for a step that it passed.
        natural: How natural the judge finds it, from 1 to 5.
        distance: Its distance to the nearest wording that goes before it, from 0 to 1.
        rank: Its place among those that are not pruned, 1 the best.
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
        checks: By name, in their order; a wording is pruned by the first that it fails.
        judge: Compares a wording with the original; None for no judge.
        distances: Measures how far wordings are apart; None to prune none for it.
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
        judged = [await self._judged(one) for one in checked if one.passes]
        judged.sort(key=lambda one: (not one.passes, -(one.natural or 0)))
        measured = list(self._measured([one for one in judged if one.passes]))
        stays = [one for one in measured if one.passes]
        return (
            *(replace(one, rank=rank) for rank, one in enumerate(stays, start=1)),
            *(one for one in (*measured, *judged, *checked) if not one.passes),
        )

    def _checked(self, texts: Sequence[Text], before: Sequence[Text]) -> Iterator[Rewording[Text]]:
        for place, text in enumerate(texts):
            found: dict[str, str] = {}
            for name, check in self.checks.items():
                found[name] = check(text, [*before, *texts[:place]])
                if found[name]:
                    break
            yield Rewording(text, found)

    async def _judged(self, one: Rewording[Text]) -> Rewording[Text]:
        """The wording with the judge's verdict; as it is where the judge gives none."""
        verdict = await self.judge(one.text) if self.judge else None
        if verdict is None:
            return one
        fault = "" if verdict.same else "asks something else, says the judge"
        return replace(one, natural=verdict.natural, checks={**one.checks, "meaning": fault})

    def _measured(self, ranked: Sequence[Rewording[Text]]) -> Iterator[Rewording[Text]]:
        if self.distances is None:
            yield from ranked
            return
        distances = self.distances([one.text for one in ranked])
        for one, distance in zip(ranked, distances, strict=True):
            fault = "too much like one before it" if distance < self.least else ""
            checks = {**one.checks, "distance": fault}
            yield replace(one, checks=checks, distance=round(distance, 2))
