"""Words one template after the other anew; what came of each is in the review file at once."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wardround.authoring.ehrsql.paraphrases.pipeline import Paraphraser
from wardround.authoring.ehrsql.paraphrases.review_file import (
    Line,
    add_to_review,
    begin_review,
)
from wardround.authoring.ehrsql.paraphrases.similarity import plain
from wardround.authoring.ehrsql.paraphrases.template_wordings import Asked
from wardround.core.errors import MalformedAnswerError


@dataclass(frozen=True)
class Told:
    """What came of one template.

    Attributes:
        asked: The template.
        lines: Its candidates; none where the model gave no answer of the form asked for.
    """

    asked: Asked
    lines: Sequence[Line]


async def paraphrase(
    paraphraser: Paraphraser,
    templates: Sequence[Asked],
    path: Path,
    *,
    again: bool = False,
    at_once: int = 4,
) -> AsyncIterator[Told]:
    """Adds candidates of templates to a review file, in their order.

    What is in the file stays, a person's decisions too. Templates that it has lines of were asked
    and are not asked again.

    Args:
        paraphraser: Who words them anew.
        templates: Which templates.
        path: The file; it is made if there is none.
        again: Ask for more of those that the file has lines of, too.
        at_once: How many templates are asked at once.

    Raises:
        UserError: If the file is no review file, or lines of it are wrong; they are named.
        InfraError: If a provider fails; what came before is in the file.
    """
    there = begin_review(path)
    before = {
        asked.id: [line for line in there if line.template == asked.id] for asked in templates
    }
    left = [asked for asked in templates if again or not before[asked.id]]
    said = {plain(line.wording): line.template for line in there if not line.reason}
    async for asked, lines in _in_order(paraphraser, left, before, at_once):
        new = tuple(_alone(lines, said))
        add_to_review(path, new)
        yield Told(asked, new)


async def _in_order(
    paraphraser: Paraphraser,
    templates: Iterable[Asked],
    before: dict[str, list[Line]],
    at_once: int,
) -> AsyncIterator[tuple[Asked, Sequence[Line]]]:
    waiting: deque[tuple[Asked, asyncio.Task[Sequence[Line]]]] = deque()
    upcoming = iter(templates)
    try:
        while True:
            while len(waiting) < at_once and (asked := next(upcoming, None)):
                task = asyncio.ensure_future(_candidates(paraphraser, asked, before[asked.id]))
                waiting.append((asked, task))
            if not waiting:
                return
            asked, task = waiting[0]
            yield asked, await task
            waiting.popleft()
    finally:
        for _, task in waiting:
            task.cancel()
        await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)


async def _candidates(
    paraphraser: Paraphraser, asked: Asked, before: Sequence[Line]
) -> Sequence[Line]:
    try:
        return await paraphraser.candidates(asked, before)
    except MalformedAnswerError:
        return ()


def _alone(lines: Iterable[Line], said: dict[str, str]) -> Iterator[Line]:
    """The lines; one that says what a line of another template says is pruned."""
    for line in lines:
        other = (
            line.template if line.reason else said.setdefault(plain(line.wording), line.template)
        )
        yield (
            line
            if other == line.template
            else replace(line, rank="", reason=f"double: is a candidate of {other}")
        )
