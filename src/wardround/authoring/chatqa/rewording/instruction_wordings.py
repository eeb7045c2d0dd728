"""Rewords sentences of made instructions with a language model; a refused one stays as it is."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from wardround.authoring.chatqa.instructions import Sentence, instruction
from wardround.authoring.chatqa.rewording import prompts
from wardround.authoring.chatqa.rewording.sentence_checks import checks_of, opening
from wardround.authoring.chatqa.suite import MadeTask
from wardround.authoring.rewording.pipeline import (
    Pipeline,
    Rewording,
    Verdict,
    request_verdict,
    request_wordings,
)
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.core.benchmark import Table
from wardround.core.errors import MalformedAnswerError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel
from wardround.models.prompts import fill

PARAPHRASER, JUDGE = "paraphraser", "judge"
_COUNT = 3  # wordings in a request
_KIND = "sentence that states a wish"


@dataclass(eq=False, slots=True)
class InstructionWordings:
    """Rewords instructions.

    Attributes:
        paraphraser: the model that writes wordings.
        judge: the model that says whether a wording asks for the same.
        seed: the seed of the requests.
        record: called with each request.
        outcomes: sentences by part, and by the check that refused their wording; "" if reworded.
    """

    paraphraser: LanguageModel
    judge: LanguageModel
    seed: int
    record: Callable[[Requested], None]
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)

    async def reworded(self, made: MadeTask) -> PublishedTask:
        """A task with the wordings that pass.

        Raises:
            InfraError: a provider fails.
        """
        answer = [str(row[0]) for row in made.task.gold_answer]
        sentences = await asyncio.gather(*(self._worded(each, answer) for each in made.sentences))
        return made.task.model_copy(update={"instruction": instruction(sentences)})

    def table(self) -> Table:
        """The sentences by part and outcome."""
        rows = [
            (part, f"as written: {check}" if check else "reworded", count)
            for (part, check), count in sorted(self.outcomes.items())
        ]
        return Table("Sentences by wording", ("part", "outcome", "sentences"), tuple(rows))

    async def _worded(self, sentence: Sentence, answer: Sequence[str]) -> Sentence:
        """A sentence in the best wording that passes.

        The form of the answer and names that are not to be suggested stay as written.
        """
        if sentence.part in ("form", "withheld"):
            return sentence
        wordings = await self._wordings(sentence, answer)
        best = next((each for each in wordings if each.passes and each.natural is not None), None)
        self.outcomes[sentence.part, "" if best else _refusal(wordings)] += 1
        return replace(sentence, text=best.text) if best else sentence

    async def _wordings(
        self, sentence: Sentence, answer: Sequence[str]
    ) -> tuple[Rewording[str], ...]:
        """The wordings of a sentence, the best first; none for a malformed answer."""
        seed = derive_seed(self.seed, sentence.text)
        start = opening(sentence.text)
        rules = fill(prompts.__name__, "reword.md", opening=start, values=sentence.values)
        paraphraser = self.paraphraser.bind(PARAPHRASER, self.record, seed)
        try:
            texts = await request_wordings(paraphraser, rules, sentence.text, (), _COUNT, _KIND)
        except MalformedAnswerError:
            return ()
        judge = self.judge.bind(JUDGE, self.record, seed)
        same = fill(prompts.__name__, "same_wish.md")

        async def verdict(wording: str) -> Verdict | None:
            return await request_verdict(judge, same, sentence.text, wording)

        pipeline = Pipeline(checks_of(sentence, answer), verdict)
        return await pipeline.run([" ".join(text.split()) for text in texts])


def _refusal(wordings: Sequence[Rewording[str]]) -> str:
    """The name of the check that refused the first of some wordings."""
    if not wordings:
        return "no wording"
    failed = (name for name, problem in wordings[0].checks.items() if problem)
    return next(failed, "no verdict")
