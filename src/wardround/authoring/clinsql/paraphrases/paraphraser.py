"""Rewords the questions of items with a language model, and appends candidates to a review file."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.authoring.clinsql.paraphrases import prompts
from wardround.authoring.clinsql.paraphrases.candidates import Wording, candidate_of
from wardround.authoring.clinsql.paraphrases.checks import checks_of
from wardround.authoring.review_file import append_review, begin_review
from wardround.authoring.rewording.comparison import distances
from wardround.authoring.rewording.pipeline import (
    Pipeline,
    Verdict,
    request_verdict,
    request_wordings,
)
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.core.errors import MalformedAnswerError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel
from wardround.models.prompts import fill

# The smallest edit distance between wordings, as a share of the letters.
_LEAST = 0.03


@dataclass(frozen=True, slots=True)
class Paraphraser:
    """Rewords questions.

    Attributes:
        writer: the model that writes wordings.
        judge: the model that compares them with the question and rates them.
        count: the number of wordings in a request.
        seed: the seed of the requests.
        record: called with each request.
    """

    writer: LanguageModel
    judge: LanguageModel
    count: int
    seed: int
    record: Callable[[Requested], None]

    async def candidates(self, task: ClinTask) -> tuple[Wording, ...]:
        """Candidates of an item's question, the best first; none for a malformed answer.

        Raises:
            InfraError: a provider fails.
        """
        seed, question = derive_seed(self.seed, task.id, 0), task.public.question
        rules = fill(prompts.__name__, "paraphrase.md")
        writer = self.writer.bind("paraphraser", self.record, seed)
        try:
            texts = await request_wordings(writer, rules, question, (), self.count)
        except MalformedAnswerError:
            return ()
        new = await self._pipeline(question, seed).run([text.strip() for text in texts])
        return tuple(candidate_of(task.id, question, n, each) for n, each in enumerate(new, 1))

    def _pipeline(self, question: str, seed: int) -> Pipeline[str]:
        judge = self.judge.bind("judge", self.record, seed)
        rules = fill(prompts.__name__, "same_question.md")

        async def verdict(wording: str) -> Verdict | None:
            return await request_verdict(judge, rules, question, wording)

        return Pipeline(
            checks_of(question),
            verdict,
            lambda ranked: distances(ranked, [question], _LEAST),
            _LEAST,
        )


async def paraphrase(
    paraphraser: Paraphraser, tasks: Sequence[ClinTask], path: Path, at_once: int
) -> AsyncIterator[tuple[ClinTask, tuple[Wording, ...]]]:
    """Appends candidates of items to a review file, and yields them.

    Existing lines stay, with a person's decisions. Questions that have candidates in the file are
    skipped.

    Args:
        paraphraser: the paraphraser.
        tasks: the items.
        path: the review file, created if missing.
        at_once: the number of concurrent items.

    Raises:
        UserError: the file is not a review file, or has damaged lines, which the message names.
        InfraError: a provider fails; earlier candidates are in the file.
    """
    asked = {candidate.detail.question for candidate in begin_review(path, Wording)}
    pending = [task for task in tasks if task.public.question not in asked]
    for first in range(0, len(pending), at_once):
        group = pending[first : first + at_once]
        candidate_lists = await asyncio.gather(*map(paraphraser.candidates, group))
        for task, candidates in zip(group, candidate_lists, strict=True):
            append_review(path, candidates)
            yield task, candidates
