"""From a template to candidates: asked for, checked, judged, ranked and pruned (EHRSQL, 3.3).

The paper has T5 and translation models word a question anew, a duplicate-question model keep what
asks the same, GPT-Neo's perplexity rank it and the Levenshtein distance prune it. Here a language
model writes and a second pass of it, or another one, judges and ranks.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from wardround.authoring.ehrsql.paraphrases.checks import fault_of
from wardround.authoring.ehrsql.paraphrases.requests import (
    Verdict,
    ask_for_wordings,
    ask_if_same,
)
from wardround.authoring.ehrsql.paraphrases.review_file import Line
from wardround.authoring.ehrsql.paraphrases.similarity import apart
from wardround.authoring.ehrsql.paraphrases.stand_ins import StandIns, stand_ins
from wardround.authoring.ehrsql.paraphrases.template_wordings import Asked
from wardround.authoring.ehrsql.questions import wordings
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel

_KNOWN_SHOWN = 2


@dataclass(frozen=True)
class Paraphraser:
    """Words templates anew.

    Attributes:
        writer: The model that gives wordings.
        judge: The model that compares them with the template, and ranks them.
        count: How many wordings of a template are asked for at once.
        least: The least distance of two wordings that may both stay, from 0 to 1.
        seed: The same seed asks the same.
        record: Hears of each request.
    """

    writer: LanguageModel
    judge: LanguageModel
    count: int = 10
    least: float = 0.15
    seed: int = 0
    record: Callable[[Requested], None] = lambda request: None

    async def candidates(self, asked: Asked, before: Sequence[Line] = ()) -> tuple[Line, ...]:
        """New candidates for a template, the best first, then those that were pruned.

        Args:
            asked: The template.
            before: What earlier askings gave for it.

        Raises:
            MalformedAnswerError: If the writer gives no wordings.
            InfraError: If a provider fails.
        """
        seed = derive_seed(self.seed, asked.id, len(before))
        names = stand_ins(asked)
        texts = await self._texts(asked, names, seed)
        checked = list(_checked(map(names.restored, texts), asked, before))
        judge = self.judge.bind("judge", self.record, seed)
        question = names.spoken(asked.question)
        judged = [
            (line, await ask_if_same(judge, question, names.spoken(line.wording)))
            for line in checked
            if not line.reason
        ]
        known = [*wordings(asked.id), *(line.wording for line in before if _stands(line))]
        found = _pruned(_ranked(judged), known, self.least)
        return (*found, *(line for line in checked if line.reason))

    async def _texts(self, asked: Asked, names: StandIns, seed: int) -> tuple[str, ...]:
        others = wordings(asked.id)[1:]
        drawn = random.Random(seed).sample(others, min(_KNOWN_SHOWN, len(others)))
        texts = await ask_for_wordings(
            self.writer.bind("paraphraser", self.record, seed),
            names.spoken(asked.question),
            [names.spoken(wording) for wording in drawn],
            names.shown,
            self.count,
        )
        return tuple(map(tidy, texts))


def tidy(text: str) -> str:
    """A model's sentence with a capital, without a number, quotes or spaces around it.

    >>> tidy('2. "what is  the sex of patient 10027?"')
    'What is the sex of patient 10027?'
    """
    text = re.sub(r"\s+", " ", text.replace("\u2019", "'")).strip()
    bare = re.sub(r"^(?:\d+[.)]|[-*•])\s+", "", text).strip(' "\u201c\u201d')
    return bare[:1].upper() + bare[1:]


def _checked(found: Iterator[str], asked: Asked, before: Sequence[Line]) -> Iterator[Line]:
    there = [line.wording for line in before]
    for wording in found:
        reason = fault_of(wording, asked, there)
        there.append(wording)
        yield Line("", asked.id, wording, reason=reason)


def _ranked(judged: Sequence[tuple[Line, Verdict | None]]) -> list[Line]:
    """Those that ask the same, the most natural first; then the others."""
    lines = [_with(line, verdict) for line, verdict in judged]
    return sorted(lines, key=lambda line: (line.reason != "", -int(line.natural or 0)))


def _with(line: Line, verdict: Verdict | None) -> Line:
    if verdict is None:
        return line
    reason = "" if verdict.same else "meaning: asks something else, says the judge"
    return replace(line, natural=str(verdict.natural), reason=reason)


def _pruned(ranked: Sequence[Line], known: Sequence[str], least: float) -> Iterator[Line]:
    same = [line for line in ranked if not line.reason]
    alike = []
    rank = 0
    for line, found in zip(same, apart([s.wording for s in same], known, least), strict=True):
        measured = replace(line, distance=f"{found:.2f}")
        if found < least:
            alike.append(replace(measured, reason="distance: too much like one before it"))
        else:
            rank += 1
            yield replace(measured, rank=str(rank))
    yield from alike
    yield from (line for line in ranked if line.reason)


def _stands(line: Line) -> bool:
    return line.decision == "accept" or not (line.reason or line.decision)
