"""Rewords templates in their order and writes the candidates of each to the review file."""

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
    """Adds candidates of templates to a review file, in their order, and yields them.

    What is in the file stays, a person's decisions too. Templates that have candidates in it are
    not reworded again. A template has no candidates if the model gives no answer of the form asked
    for.

    Args:
        paraphraser: Rewords them.
        templates: Which templates.
        path: The file; it is made if there is none.
        again: Reword templates that have candidates, too.
        at_once: How many templates are reworded at once.

    Raises:
        UserError: The file is no review file, or lines of it are damaged; they are named.
        InfraError: A provider fails; what came before is in the file.
    """
    old = begin_review(path, Paraphrase, template_fault)
    before = {t.id: [c for c in old if c.changes == t.id] for t in templates}
    left = [template for template in templates if again or not before[template.id]]
    owners = {plain(candidate.text): candidate.changes for candidate in old if not candidate.fault}
    async for template, candidates in _in_order(paraphraser, left, before, at_once):
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
            # The next template starts when this one is in the file.
            turns.release()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _distinct(new: Iterable[Paraphrase], owners: dict[str, str]) -> Iterator[Paraphrase]:
    """The candidates; those with the words of another template's candidate are pruned."""
    for candidate in new:
        own = candidate.changes
        owner = own if candidate.fault else owners.setdefault(plain(candidate.text), own)
        if owner == own:
            yield candidate
        else:
            checks = {"double": f"is a candidate of {owner}"}
            rest = dict.fromkeys(candidate.checks, "")
            detail = candidate.detail.model_copy(update={"rank": None})
            yield candidate.model_copy(update={"checks": rest | checks, "detail": detail})
