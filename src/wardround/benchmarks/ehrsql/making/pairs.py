"""Questions with their SQL, each run on the database and found to have an answer."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

from wardround.agents.pairs import Pair
from wardround.benchmarks.ehrsql.build import (
    QuestionTemplate,
    UnanswerableTemplate,
    query,
    question,
    templates_for,
    unanswerable_question,
    unanswerable_templates,
)
from wardround.benchmarks.ehrsql.build.render import Ties
from wardround.benchmarks.ehrsql.making.drawing import Pool, Slots
from wardround.benchmarks.ehrsql.making.occurrences import (
    History,
    Source,
    read_history,
    source_of,
)
from wardround.benchmarks.ehrsql.making.paraphrases import wordings
from wardround.benchmarks.ehrsql.making.times_said import said_otherwise
from wardround.benchmarks.ehrsql.placeholders import runnable
from wardround.benchmarks.ehrsql.results import Ran, at_once, processors, run_query
from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Limits, open_database
from wardround.ehr.times.model import Rank

Kind = TypeVar("Kind", QuestionTemplate, UnanswerableTemplate)

_ATTEMPTS = 25
# A question that was made before is made again from other chances, so many times.
_ROUNDS = 3
_SECONDS = 20.0
# Published graders compare the first hundred rows.
_MOST_ROWS = 100
# Nought is an answer, but "how many" is rarely asked where there is nothing.
_COUNTS = ("count", "cases", "patients", "died_after", "not_returned", "top")
_NOUGHT = 0.15


@dataclass(frozen=True)
class Made:
    """One question that was made.

    Attributes:
        template: What kind of question it is.
        wording: How it is put, with its slots open.
        sql: Its query; None where the records cannot answer it.
        rows: What the query gave.
        tied: Whether the engine chose among rows of one time: where the records of that kind
            always have several at once, there is no other question.
    """

    template: QuestionTemplate | UnanswerableTemplate
    slots: Slots
    wording: str
    question: str
    sql: str | None = None
    rows: Sequence[Sequence[Cell]] = ()
    tied: bool = False


def made_pairs(
    location: str,
    seed: int,
    count: int,
    unanswerable: float = 0.25,
    told: Callable[[], None] = lambda: None,
) -> tuple[Pair, ...]:
    """Questions about a database with their SQL, to learn from.

    Kinds of questions take turns, so all are there where there are enough; the same seed gives
    the same pairs.

    Args:
        location: A database in an EHRSQL form.
        seed: Any number.
        count: How many pairs.
        unanswerable: The share that the records cannot answer.
        told: Hears of each question that is made.

    Raises:
        UserError: If the database is in no such form, or has too few patients.
    """
    without = round(count * unanswerable)
    database = open_database(location, Limits(processes=processors()))
    try:
        maker = maker_of(source_of(database), seed)
        kinds = _shares(unanswerable_templates(), without, seed)
        made = [*_of_all_templates(maker, count - without, told), *maker.unanswerable(kinds)]
    finally:
        database.close()
    random.Random(seed).shuffle(made)
    return tuple(Pair(one.question, one.sql) for one in made)


def maker_of(source: Source, seed: int, now: datetime | None = None) -> "Maker":
    """A maker of questions about a database.

    Args:
        source: The database.
        seed: Any number: the same gives the same questions.
        now: When the records end; the end of the year of the last admission where it is left out.
    """
    history = read_history(source, random.Random(f"{seed} patients"))
    return Maker(Pool(source, history, now or _end_of(history)), seed)


@dataclass
class Maker:
    """Makes questions about what happened."""

    pool: Pool
    seed: int

    def answerable(
        self,
        wanted: Mapping[QuestionTemplate, int],
        said: Callable[[QuestionTemplate], Sequence[str]] = lambda t: wordings(t.id),
        part: str = "",
        told: Callable[[], None] = lambda: None,
    ) -> Iterator[Made]:
        """So many questions of each template, in their order; fewer where no more are found.

        Args:
            wanted: How many of each.
            said: The wordings that a template's questions take.
            part: What the questions are for: another part has others.
            told: Hears of each question that is made.
        """
        turns = [(template, n) for template, count in wanted.items() for n in range(count)]
        found: dict[str, Made] = {}
        for again in range(_ROUNDS):
            made = at_once(partial(self._one, said, told, f"{part} {again}"), turns)
            doubled = []
            for turn, one in zip(turns, made, strict=True):
                if one and one.question in found:
                    doubled.append(turn)
                elif one:
                    found[one.question] = one
            turns = doubled
        order = {template.id: place for place, template in enumerate(wanted)}
        yield from sorted(found.values(), key=lambda one: order[one.template.id])

    def unanswerable(
        self,
        wanted: Mapping[UnanswerableTemplate, int],
        said: Callable[[UnanswerableTemplate], Sequence[str]] = lambda t: wordings(t.id),
        part: str = "",
    ) -> Iterator[Made]:
        """So many questions of each kind that the records cannot answer, no two alike."""
        for template, count in wanted.items():
            seen: set[str] = set()
            for number in range(3 * count):
                chance = random.Random(f"{self.seed} {part} {template.id} {number}")
                slots = self.pool.draw_unanswerable(template, chance)
                wording = chance.choice(said(template))
                text = unanswerable_question(template, slots.values, slots.times, wording)
                text = said_otherwise(text, slots.times, chance)
                if text not in seen and len(seen) < count:
                    seen.add(text)
                    yield Made(template, slots, wording, text)

    def _one(
        self,
        said: Callable[[QuestionTemplate], Sequence[str]],
        told: Callable[[], None],
        part: str,
        turn: tuple[QuestionTemplate, int],
    ) -> Made | None:
        asked, number = turn
        chance = random.Random(f"{self.seed} {part} {asked.id} {number}")
        best: Made | None = None
        for made in self._tries(asked, said, chance):
            if best is None or (best.tied and not made.tied):
                best = made
            if not made.tied and not (_is_nought(made) and chance.random() > _NOUGHT):
                best = made
                break
        if best:
            told()
        return best

    def _tries(
        self,
        asked: QuestionTemplate,
        said: Callable[[QuestionTemplate], Sequence[str]],
        chance: random.Random,
    ) -> Iterator[Made]:
        """Questions of a template that have an answer."""
        for _ in range(_ATTEMPTS):
            if (slots := self.pool.draw(asked, chance)) is None:
                continue
            sql = self._sql(asked, slots)
            ran = self._run(sql)
            if not _is_answer(ran):
                continue
            wording = chance.choice(said(asked))
            text = question(asked, slots.values, slots.operations, slots.times, wording)
            text = said_otherwise(text, slots.times, chance)
            tied = not self._is_certain(asked, slots)
            yield Made(asked, slots, wording, text, sql, ran.rows or (), tied)

    def _sql(self, asked: QuestionTemplate, slots: Slots, ties: Ties = "") -> str:
        source = self.pool.source
        return query(
            asked, source.schema, slots.values, slots.operations, slots.times, source.dialect,
            ties=ties,
        )  # fmt: skip

    def _run(self, sql: str) -> Ran:
        now = f"{self.pool.now:%Y-%m-%d %H:%M:%S}"
        return run_query(self.pool.source.database, runnable(sql, now), _SECONDS)

    def _is_certain(self, asked: QuestionTemplate, slots: Slots) -> bool:
        """Whether the answer is the same whichever of rows of one time is taken."""
        exact = (slots.times.exact1, slots.times.exact2)
        if not any(one and isinstance(one.template.meaning, Rank) for one in exact):
            return True
        first, last = self._sql(asked, slots, "ASC"), self._sql(asked, slots, "DESC")
        return first == last or self._run(first) == self._run(last)


def _is_answer(ran: Ran) -> bool:
    return ran.holds_something and len(ran.rows or ()) <= _MOST_ROWS


def _is_nought(made: Made) -> bool:
    counted = isinstance(made.template, QuestionTemplate) and made.template.form.startswith(_COUNTS)
    return counted and tuple(made.rows) == ((0,),)


def _of_all_templates(maker: Maker, count: int, told: Callable[[], None]) -> list[Made]:
    """So many questions, those of templates without enough made up for by the others."""
    templates = templates_for(maker.pool.source.schema)
    made: dict[str, Made] = {}
    for again in range(_ROUNDS):
        shares = _shares(templates, count - len(made), maker.seed + again)
        found = maker.answerable(shares, part=f"pairs {again}", told=told)
        made = {**{one.question: one for one in found}, **made}
        asked = {one.template.id for one in made.values()}
        templates = tuple(t for t in templates if t.id in asked) if asked else templates
    return list(made.values())


def _shares(templates: Sequence[Kind], count: int, seed: int) -> dict[Kind, int]:
    """So many in all, of each template as many, or one more."""
    each, over = divmod(count, len(templates))
    more = set(random.Random(seed).sample(range(len(templates)), over))
    counts = {template: each + (n in more) for n, template in enumerate(templates)}
    return {template: count for template, count in counts.items() if count}


def _end_of(history: History) -> datetime:
    last = max(stay.start for stay in history.stays.values())
    if last.year > 9000:
        raise UserError(f"The last admission is in the year {last.year}; check the database.")
    return datetime(last.year, 12, 31, 23, 59)
