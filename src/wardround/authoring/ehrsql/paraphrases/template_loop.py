"""Rewords templates concurrently and appends their candidates to the review file in order."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from wardround.authoring.ehrsql.paraphrases.candidates import Paraphrase, template_fault
from wardround.authoring.ehrsql.paraphrases.paraphraser import Paraphraser
from wardround.authoring.ehrsql.templates import QuestionTemplate
from wardround.authoring.review_file import append_review, begin_review
from wardround.authoring.rewording.comparison import plain
from wardround.core.errors import MalformedAnswerError


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
