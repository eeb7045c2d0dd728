"""Rewords one template after the other; the candidates of each are in the review file at once."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.authoring.ehrsql.paraphrases.candidates import (
    Paraphrase,
    begin_paraphrases,
)
from wardround.authoring.ehrsql.paraphrases.paraphraser import Paraphraser
from wardround.authoring.ehrsql.paraphrases.templates import Template
from wardround.authoring.review_file import append_review
from wardround.authoring.rewording.comparison import plain
from wardround.core.errors import MalformedAnswerError


@dataclass(frozen=True)
class Paraphrased:
    """The outcome of one template.

    Attributes:
        template: The template.
        candidates: None where the model gave no answer of the form asked for.
    """

    template: Template
    candidates: Sequence[Paraphrase]


async def paraphrase(
    paraphraser: Paraphraser,
    templates: Sequence[Template],
    path: Path,
    *,
    again: bool = False,
    at_once: int = 4,
) -> AsyncIterator[Paraphrased]:
    """Adds candidates of templates to a review file, in their order.

    What is in the file stays, a person's decisions too. Templates that have candidates in it are
    not reworded again.

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
    old = begin_paraphrases(path)
    before = {t.id: [c for c in old if c.changes == t.id] for t in templates}
    left = [template for template in templates if again or not before[template.id]]
    owners = {plain(c.text): c.changes for c in old if not c.fault}
    async for template, found in _in_order(paraphraser, left, before, at_once):
        new = tuple(_distinct(found, owners))
        append_review(path, new)
        yield Paraphrased(template, new)


async def _in_order(
    paraphraser: Paraphraser,
    templates: Iterable[Template],
    before: Mapping[str, Sequence[Paraphrase]],
    at_once: int,
) -> AsyncIterator[tuple[Template, Sequence[Paraphrase]]]:
    running: deque[tuple[Template, asyncio.Task[Sequence[Paraphrase]]]] = deque()
    upcoming = iter(templates)
    try:
        while True:
            while len(running) < at_once and (template := next(upcoming, None)):
                work = _candidates(paraphraser, template, before[template.id])
                running.append((template, asyncio.ensure_future(work)))
            if not running:
                return
            template, task = running[0]
            yield template, await task
            running.popleft()
    finally:
        for _, task in running:
            task.cancel()
        await asyncio.gather(*(task for _, task in running), return_exceptions=True)


async def _candidates(
    paraphraser: Paraphraser, template: Template, before: Sequence[Paraphrase]
) -> Sequence[Paraphrase]:
    try:
        return await paraphraser.candidates(template, before)
    except MalformedAnswerError:
        return ()


def _distinct(found: Iterable[Paraphrase], owners: dict[str, str]) -> Iterator[Paraphrase]:
    """The candidates; one that says what a candidate of another template says is pruned."""
    for candidate in found:
        own = candidate.changes
        owner = own if candidate.fault else owners.setdefault(plain(candidate.text), own)
        if owner == own:
            yield candidate
        else:
            checks = {"double": f"is a candidate of {owner}"}
            rest = dict.fromkeys(candidate.checks, "")
            detail = candidate.detail.model_copy(update={"rank": None})
            yield candidate.model_copy(update={"checks": rest | checks, "detail": detail})
