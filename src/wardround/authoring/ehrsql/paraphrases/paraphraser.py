"""Rewords a question template: stand-ins for its slots, a model's wordings, and the pipeline."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wardround.authoring.ehrsql.paraphrases import prompts
from wardround.authoring.ehrsql.paraphrases.candidates import Paraphrase, candidate_of
from wardround.authoring.ehrsql.paraphrases.checks import checks_of
from wardround.authoring.ehrsql.paraphrases.stand_ins import stand_ins
from wardround.authoring.ehrsql.paraphrases.templates import Template
from wardround.authoring.ehrsql.questions import wordings
from wardround.authoring.rewording.comparison import distances
from wardround.authoring.rewording.pipeline import (
    Pipeline,
    Verdict,
    request_verdict,
    request_wordings,
)
from wardround.authoring.slots import StandIns
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Model
from wardround.models.prompts import fill

# Known wordings that the writer is shown beside the template's own.
_SHOWN = 2


@dataclass(frozen=True)
class Paraphraser:
    """Rewords templates.

    Attributes:
        writer: The model that gives wordings.
        judge: The model that compares them with the template, and ranks them.
        count: How many wordings of a template are asked for at once.
        least: The least distance of two wordings that may both stay, from 0 to 1.
        seed: The same seed asks the same.
        record: Called with each request.
    """

    writer: LanguageModel
    judge: LanguageModel
    count: int = 10
    least: float = 0.15
    seed: int = 0
    record: Callable[[Requested], None] = lambda request: None

    async def candidates(
        self, template: Template, before: Sequence[Paraphrase] = ()
    ) -> tuple[Paraphrase, ...]:
        """New candidates for a template, the best first, then those that were pruned.

        Args:
            template: The template.
            before: Its candidates so far.

        Raises:
            MalformedAnswerError: The writer gives no wordings.
            InfraError: A provider fails.
        """
        seed = derive_seed(self.seed, template.id, len(before))
        names = stand_ins(template)
        texts = await self._texts(template, names, seed)
        judge = self.judge.bind("judge", self.record, seed)
        pipeline = self._pipeline(template, names, judge, before)
        found = await pipeline.run(
            [names.restored(text) for text in texts], [candidate.text for candidate in before]
        )
        numbers = range(_next_number(before), _next_number(before) + len(found))
        return tuple(map(candidate_of, [template.id] * len(found), numbers, found))

    async def _texts(self, template: Template, names: StandIns, seed: int) -> tuple[str, ...]:
        others = wordings(template.id)[1:]
        shown = random.Random(seed).sample(others, min(_SHOWN, len(others)))
        texts = await request_wordings(
            self.writer.bind("paraphraser", self.record, seed),
            fill(prompts.__name__, "paraphrase.md", kept=names.required),
            names.filled(template.question),
            [names.filled(wording) for wording in shown],
            self.count,
        )
        return tuple(map(tidy, texts))

    def _pipeline(
        self, template: Template, names: StandIns, judge: Model, before: Sequence[Paraphrase]
    ) -> Pipeline[str]:
        instructions = fill(prompts.__name__, "same_question.md")
        question = names.filled(template.question)
        known = [*wordings(template.id), *(c.text for c in before if _is_in_use(c))]

        async def verdict(wording: str) -> Verdict | None:
            return await request_verdict(judge, instructions, question, names.filled(wording))

        return Pipeline(
            checks_of(template),
            verdict,
            lambda ranked: distances(ranked, known, self.least),
            self.least,
        )


def tidy(text: str) -> str:
    """Returns a model's sentence with a capital, without a number, quotes or spaces around it.

    >>> tidy('2. "what is  the sex of patient 10027?"')
    'What is the sex of patient 10027?'
    """
    text = re.sub(r"\s+", " ", text.replace("\u2019", "'")).strip()
    bare = re.sub(r"^(?:\d+[.)]|[-*•])\s+", "", text).strip(' "\u201c\u201d')
    return bare[:1].upper() + bare[1:]


def _is_in_use(candidate: Paraphrase) -> bool:
    """True if a candidate is accepted, or may still be."""
    return candidate.decision == "accept" or (candidate.decision == "open" and not candidate.fault)


def _next_number(before: Sequence[Paraphrase]) -> int:
    numbers = (candidate.id.rpartition("-")[2] for candidate in before)
    return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)
