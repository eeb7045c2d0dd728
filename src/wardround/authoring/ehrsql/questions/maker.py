"""Makes questions: draws slots, runs the query, and words those with an answer."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from wardround.authoring.ehrsql.questions.history import EventPool, History
from wardround.authoring.ehrsql.questions.history_reader import read_history
from wardround.authoring.ehrsql.questions.made_question import NOUGHT, Made, is_answer, is_nought
from wardround.authoring.ehrsql.questions.slot_draw import Draw, has_values, unanswerable_slots
from wardround.authoring.ehrsql.questions.source import Source, source_of
from wardround.authoring.ehrsql.questions.template_choice import (
    Chosen,
    chosen_by_chance,
    chosen_in_turn,
    in_turn,
)
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    Slots,
    query,
    question,
    unanswerable_templates,
)
from wardround.authoring.ehrsql.templates.question_sql import Ties
from wardround.authoring.ehrsql.templates.record_views import table_records, view_records
from wardround.benchmarks.ehrsql.preprocessing import preprocessed_2024, runnable
from wardround.benchmarks.ehrsql.result_cache import Ran, at_once, processors, run_query
from wardround.core.errors import NoPairsError, UserError
from wardround.core.option_types import TIME_FORMAT
from wardround.ehr.database import Limits, open_database
from wardround.ehr.database.indexed_copy import indexed
from wardround.ehr.records import latest_time, stored_records, table_map
from wardround.ehr.records.record_tables import MissingRecordsError
from wardround.ehr.times.random_filters import reword_times

_ATTEMPTS = 25
# Round-robin attempts before any operations and times are drawn.
_FIRST = 4
# Rounds of generation; later rounds replace duplicates.
_ROUNDS = 3
# Answerable draws to consider for an answer that is neither tied nor zero.
_LOOKED_AT = 12
_SECONDS = 20.0
# Fewer stays may begin on the same day by chance.
_FEW_STAYS = 5
_IN_NO_RECORD = ("ambiguous", "appointments", "external knowledge")

Wordings: TypeAlias = Callable[[QuestionTemplate], Sequence[str]]
packaged_wordings: Wordings = attrgetter("wordings")


@contextmanager
def opened_maker(
    location: str, seed: int, now: datetime | None = None, map_path: Path | None = None
) -> Iterator["Maker"]:
    """Opens a database and yields a maker of questions about it.

    Args:
        location: a file or URL of a database.
        seed: the seed of all random choices.
        now: the end of the records; by default the end of the last admission's year, or of the
            last record's.
        map_path: a record map of the database's own; that of its layout if left out.

    Raises:
        UserError: no record map fits the database, or it has too few patients.
    """
    limits = Limits(processes=processors())
    with closing(open_database(location, limits)) as database:
        source = source_of(database, map_path)
        history = read_history(source, random.Random(f"{seed} patients"))
        _check_dates(source, history)
        with _quick_copy(source, limits) as quick:
            yield Maker(EventPool(source, history, now or _end_of(source, history)), quick, seed)


@contextmanager
def _quick_copy(source: Source, limits: Limits) -> Iterator[Source]:
    """The source in a form that answers many queries fast: with indexes, or records as tables."""
    if source.records.are_views:
        records = source.records.map
        with stored_records(records, source.database) as copy:
            yield Source(copy, view_records(table_map(records)), source.dialect)
    else:
        with indexed(source.database, limits) as copy:
            yield replace(source, database=copy)


@dataclass
class Maker:
    """Makes questions about a database's records.

    Attributes:
        quick: the source for queries: a copy of the pool's that is faster to read.
    """

    pool: EventPool
    quick: Source
    seed: int

    @property
    def now(self) -> str:
        """The current time in the format of queries."""
        return self.pool.now.strftime(TIME_FORMAT)

    def answerable(
        self,
        wanted: Mapping[QuestionTemplate, int],
        wordings_for: Wordings = packaged_wordings,
        part: str = "",
        on_question: Callable[[], None] = lambda: None,
    ) -> Iterator[Made]:
        """Makes questions of each template, fewer than requested if the records have no more.

        Args:
            wanted: the number of questions of each template.
            wordings_for: returns a template's wordings.
            part: the name of the split, which is part of the seed.
            on_question: called after each question.
        """
        turns = [(template, n) for template, count in wanted.items() for n in range(count)]
        questions: dict[str, Made] = {}
        for attempt in range(_ROUNDS):
            make = partial(self._make, wordings_for, on_question, f"{part} {attempt}")
            duplicates = []
            for turn, made in zip(turns, at_once(make, turns), strict=True):
                if made and made.question in questions:
                    duplicates.append(turn)
                elif made:
                    questions[made.question] = made
            turns = duplicates
        order = {template.id: index for index, template in enumerate(wanted)}
        yield from sorted(questions.values(), key=lambda made: order[made.template.id])

    def table_sql(self, made: Made) -> str | None:
        """The question's query of the tables of records if they exist, else its own."""
        source = self.pool.source
        if made.sql is None or not source.records.are_views:
            return made.sql
        tables = table_records(source.records.map)
        return query(made.template, tables, made.slots, source.dialect)

    @property
    def unanswerable_templates(self) -> tuple[QuestionTemplate, ...]:
        """The templates of questions that no record here answers.

        A record of another layout than EHRSQL's may hold what those lack, such as staff and
        notes: of it only what no record answers is asked.
        """
        templates = unanswerable_templates()
        if not self.pool.source.records.are_views:
            return templates
        return tuple(
            template
            for template in templates
            if template.category in _IN_NO_RECORD and has_values(self.pool, template)
        )

    def unanswerable(
        self,
        wanted: Mapping[QuestionTemplate, int],
        wordings_for: Wordings = packaged_wordings,
        part: str = "",
    ) -> Iterator[Made]:
        """Makes distinct questions of unanswerable templates."""
        for template, count in wanted.items():
            seen: set[str] = set()
            for number in range(3 * count):
                chance = random.Random(f"{self.seed} {part} {template.id} {number}")
                slots = unanswerable_slots(self.pool, template, chance)
                wording = chance.choice(wordings_for(template))
                text = question(template, slots, wording)
                text = reword_times(text, slots.times, chance)
                if text not in seen and len(seen) < count:
                    seen.add(text)
                    yield Made(template, slots, wording, text)

    def _make(
        self,
        wordings_for: Wordings,
        on_question: Callable[[], None],
        part: str,
        turn: tuple[QuestionTemplate, int],
    ) -> Made | None:
        template, number = turn
        seed = f"{self.seed} {part} {template.id}"
        chance = random.Random(f"{seed} {number}")
        wording = in_turn(wordings_for(template), f"{seed} wordings", number)
        in_its_turn = chosen_in_turn(template, self.pool.source.records, seed, number)
        best: Made | None = None
        for made in islice(self._tries(template, in_its_turn, wording, chance), _LOOKED_AT):
            acceptable = not made.tied and not (is_nought(made) and chance.random() > NOUGHT)
            if best is None or acceptable or (best.tied and not made.tied):
                best = made
            if acceptable:
                break
        if best and best.tied and self.pool.source.records.are_views:
            return None  # days do not tell an order that hours might
        if best:
            on_question()
        return self._run_itself(best) if best and best.tied else best

    def _tries(
        self, template: QuestionTemplate, first: Chosen, wording: str, chance: random.Random
    ) -> Iterator[Made]:
        """Yields questions of a template that have an answer."""
        records = self.pool.source.records
        for attempt in range(_ATTEMPTS):
            chosen = first if attempt < _FIRST else chosen_by_chance(template, records, chance)
            slots = Draw(self.pool, template, chosen, chance).slots()
            sql = self._sql_or_none(template, slots) if slots else None
            if slots is None or sql is None or self._is_changed_by_graders(sql):
                continue
            if not is_answer(ran := self._run(template, slots)):
                continue
            text = question(template, slots, wording)
            text = reword_times(text, slots.times, chance)
            tied = not self._is_certain(template, slots)
            yield Made(template, slots, wording, text, sql, ran.rows or (), tied)

    def _run_itself(self, made: Made) -> Made:
        """The question with the source's own rows; on the indexed copy, tied rows may differ."""
        ran = run_query(self.pool.source.database, runnable(made.sql or "", self.now), _SECONDS)
        return replace(made, rows=ran.rows or ())

    def _sql_or_none(self, template: QuestionTemplate, slots: Slots) -> str | None:
        """The question's SQL; None if its times need records that are missing."""
        source = self.pool.source
        try:
            return query(template, source.records, slots, source.dialect)
        except MissingRecordsError:
            return None

    def _is_changed_by_graders(self, sql: str) -> bool:
        """True if EHRSQL 2024's preprocessing alters a value, such as one with double blanks."""
        return preprocessed_2024(sql, self.now) != runnable(sql, self.now)

    def _quick_sql(self, template: QuestionTemplate, slots: Slots, ties: Ties = "") -> str:
        return query(template, self.quick.records, slots, self.quick.dialect, ties)

    def _run(self, template: QuestionTemplate, slots: Slots, ties: Ties = "") -> Ran:
        sql = runnable(self._quick_sql(template, slots, ties), self.now)
        return run_query(self.quick.database, sql, _SECONDS)

    def _is_certain(self, template: QuestionTemplate, slots: Slots) -> bool:
        """True if the result does not depend on the order of rows with equal times."""
        first, last = (self._quick_sql(template, slots, ties) for ties in ("ASC", "DESC"))
        if first == last:
            return True
        return self._run(template, slots, "ASC") == self._run(template, slots, "DESC")


def _check_dates(source: Source, history: History) -> None:
    """Refuse records that know the year of a stay only: their days are made up.

    Raises:
        NoPairsError: all hospital stays begin on the same day of the year.
    """
    days = {(stay.start.month, stay.start.day) for stay in history.stays.values()}
    if source.records.are_views and len(history.stays) >= _FEW_STAYS and len(days) == 1:
        raise NoPairsError(
            f"Database {source.database.url} keeps no dates, since all of its hospital stays begin "
            "on the same day of a year; prepare it with `wardround data prepare` first."
        )


def _end_of(source: Source, history: History) -> datetime:
    last = max((stay.start for stay in history.stays.values()), default=None)
    if source.records.are_views:
        last = latest_time(source.records.map, source.database)
    if last is None:
        raise NoPairsError(
            f"Database {source.database.url} has no time of any record to ask about."
        )
    if last.year > 9000:
        raise UserError(f"The last admission is in the year {last.year}; check the database.")
    return datetime(last.year, 12, 31, 23, 59)
