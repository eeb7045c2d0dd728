"""Rewords question templates with a language model, and appends candidates to a review file.

The model is shown example words in the slots.
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.authoring.ehrsql.paraphrases import prompts
from wardround.authoring.ehrsql.paraphrases.candidates import (
    Paraphrase,
    candidate_of,
    template_fault,
)
from wardround.authoring.ehrsql.paraphrases.checks import checks_of
from wardround.authoring.ehrsql.templates import QuestionTemplate
from wardround.authoring.review_file import append_review, begin_review
from wardround.authoring.rewording.comparison import distances, plain
from wardround.authoring.rewording.pipeline import (
    Pipeline,
    Verdict,
    request_verdict,
    request_wordings,
)
from wardround.authoring.slots import SLOT, StandIns, in_tense, without_known
from wardround.core.errors import MalformedAnswerError
from wardround.core.packaged_data import read_toml
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Model
from wardround.models.prompts import fill

# Known wordings in the prompt, besides the template's own.
_SHOWN = 2


@dataclass(frozen=True)
class Paraphraser:
    """Rewords templates.

    Attributes:
        writer: the model that writes wordings.
        judge: the model that compares wordings with the template and rates them.
        count: the number of wordings in a request.
        least: the smallest distance between wordings, from 0 to 1.
        seed: the seed of the requests.
        record: called with each request.
    """

    writer: LanguageModel
    judge: LanguageModel
    count: int = 10
    least: float = 0.15
    seed: int = 0
    record: Callable[[Requested], None] = lambda request: None

    async def candidates(
        self, template: QuestionTemplate, before: Sequence[Paraphrase] = ()
    ) -> tuple[Paraphrase, ...]:
        """Returns new candidates of a template, the best first, pruned ones last.

        Args:
            template: the template.
            before: its candidates so far.

        Raises:
            MalformedAnswerError: the writer's answer holds no wordings.
            InfraError: a provider fails.
        """
        seed = derive_seed(self.seed, template.id, len(before))
        names = stand_ins(template)
        texts = await self._texts(template, names, seed)
        judge = self.judge.bind("judge", self.record, seed)
        pipeline = self._pipeline(template, names, judge, before)
        new = await pipeline.run(
            [names.restored(text) for text in texts], [candidate.text for candidate in before]
        )
        numbered = enumerate(new, start=_next_number(before))
        return tuple(candidate_of(template.id, number, each) for number, each in numbered)

    async def _texts(
        self, template: QuestionTemplate, names: StandIns, seed: int
    ) -> tuple[str, ...]:
        known = template.paraphrases
        examples = random.Random(seed).sample(known, min(_SHOWN, len(known)))
        texts = await request_wordings(
            self.writer.bind("paraphraser", self.record, seed),
            fill(prompts.__name__, "paraphrase.md", kept=names.required),
            names.filled(template.question),
            [names.filled(wording) for wording in examples],
            self.count,
        )
        return tuple(map(tidy, texts))

    def _pipeline(
        self,
        template: QuestionTemplate,
        names: StandIns,
        judge: Model,
        before: Sequence[Paraphrase],
    ) -> Pipeline[str]:
        instructions = fill(prompts.__name__, "same_question.md")
        question = names.filled(template.question)
        known = [*template.wordings, *(c.text for c in before if _is_in_use(c))]

        async def verdict(wording: str) -> Verdict | None:
            return await request_verdict(judge, instructions, question, names.filled(wording))

        return Pipeline(
            checks_of(template),
            verdict,
            lambda ranked: distances(ranked, known, self.least),
            self.least,
        )


def stand_ins(template: QuestionTemplate) -> StandIns:
    """Returns example words for each slot of a template, without those in its wordings.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> names = stand_ins(question_template("has-drug"))
    >>> names.filled("[Has|Was] patient {patient_id} [been given|given] {drug_name} {global1}?")
    'Has patient 10027 been given aspirin since 2019?'
    >>> names.restored("Aspirin since 2019, for patient 10027?")
    '{drug_name} {global1}, for patient {patient_id}?'
    """
    question = in_tense(template.question, over=False)
    slots = dict.fromkeys(slot[2] for slot in SLOT.finditer(question))
    words = {slot: without_known(_words(slot, template.times), template.wordings) for slot in slots}
    return StandIns(words, tense="|" in template.question)


def tidy(text: str) -> str:
    """Capitalizes a model's sentence and strips its list mark, quotes and blanks.

    >>> tidy('2. "what is  the sex of patient 10027?"')
    'What is the sex of patient 10027?'
    """
    text = re.sub(r"\s+", " ", text.replace("\u2019", "'")).strip()
    bare = re.sub(r"^(?:\d+[.)]|[-*•])\s+", "", text).strip(' "\u201c\u201d')
    return bare[:1].upper() + bare[1:]


def _words(slot: str, times: Mapping[str, str]) -> Sequence[str]:
    stored = read_toml(__package__, "stand_ins.toml")
    by_time = stored["times"]
    words: Sequence[str] = by_time.get(times.get(slot, ""), by_time.get(slot, ()))
    return words or stored["slots"][slot]


def _is_in_use(candidate: Paraphrase) -> bool:
    """True if a candidate is accepted, or undecided and without a fault."""
    return candidate.decision == "accept" or (candidate.decision == "open" and not candidate.fault)


def _next_number(before: Sequence[Paraphrase]) -> int:
    numbers = (candidate.id.rpartition("-")[2] for candidate in before)
    return 1 + max((int(number) for number in numbers if number.isdecimal()), default=0)


async def paraphrase(
    paraphraser: Paraphraser,
    templates: Sequence[QuestionTemplate],
    path: Path,
    *,
    again: bool = False,
    at_once: int = 4,
) -> AsyncIterator[tuple[QuestionTemplate, Sequence[Paraphrase]]]:
    """Appends candidates of templates to a review file, in order, and yields them.

    Existing lines stay, with a person's decisions. Templates that have candidates in the file are
    skipped. A template gets no candidates if the model's answer is malformed.

    Args:
        paraphraser: the paraphraser.
        templates: the templates.
        path: the review file, created if missing.
        again: also reword templates that have candidates.
        at_once: the number of concurrent templates.

    Raises:
        UserError: the file is not a review file, or has damaged lines, which the message names.
        InfraError: a provider fails; earlier candidates are in the file.
    """
    old = begin_review(path, Paraphrase, template_fault)
    before = {t.id: [c for c in old if c.changes == t.id] for t in templates}
    pending = [template for template in templates if again or not before[template.id]]
    owners = {plain(candidate.text): candidate.changes for candidate in old if not candidate.fault}
    async for template, candidates in _in_order(paraphraser, pending, before, at_once):
        new = tuple(_distinct(candidates, owners))
        append_review(path, new)
        yield template, new


async def _in_order(
    paraphraser: Paraphraser,
    templates: Sequence[QuestionTemplate],
    before: Mapping[str, Sequence[Paraphrase]],
    at_once: int,
) -> AsyncIterator[tuple[QuestionTemplate, Sequence[Paraphrase]]]:
    turns = asyncio.Semaphore(at_once)

    async def candidates(template: QuestionTemplate) -> Sequence[Paraphrase]:
        await turns.acquire()
        try:
            return await paraphraser.candidates(template, before[template.id])
        except MalformedAnswerError:
            return ()

    tasks = [asyncio.ensure_future(candidates(template)) for template in templates]
    try:
        for template, task in zip(templates, tasks, strict=True):
            yield template, await task
            # Start the next template only when this one is in the file.
            turns.release()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _distinct(new: Iterable[Paraphrase], owners: dict[str, str]) -> Iterator[Paraphrase]:
    """Prunes candidates that repeat a candidate of another template."""
    for candidate in new:
        template = candidate.changes
        owner = template if candidate.fault else owners.setdefault(plain(candidate.text), template)
        if owner == template:
            yield candidate
        else:
            checks = {"double": f"is a candidate of {owner}"}
            passed = dict.fromkeys(candidate.checks, "")
            detail = candidate.detail.model_copy(update={"rank": None})
            yield candidate.model_copy(update={"checks": passed | checks, "detail": detail})
