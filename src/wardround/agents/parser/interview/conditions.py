"""What rows must meet, from sentences: values, numbers, times, and what is not known."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from math import inf
from typing import NamedTuple

from sqlglot import exp

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.interview.chart import Chart, Column
from wardround.agents.parser.interview.comparing import Compared, comparisons
from wardround.agents.parser.interview.moments import Period, period
from wardround.agents.parser.interview.said import Said, listed, named, says, wording
from wardround.agents.parser.interview.showing import thing_keys
from wardround.agents.parser.interview.valuing import Match
from wardround.agents.parser.interview.wish import DIALECT, Having, Show, Where
from wardround.ehr.database import quote_text
from wardround.ehr.times import with_current_time

# How much of a value's name has to be said, by the rarity of its words: of columns of tables that
# were spoken of, and of others.
_PART = 0.45
_WHOLE = 0.95


_STATE = re.compile(
    r"^(?:.*[:,] ?|.*\bwhere the )?(\w+(?: \w+){0,3}?) (?:is|are)"
    r" (known|recorded|missing|empty|unknown)\W*$"
)
_EXAMPLE = re.compile(r"\b(?:such as|for example|e\.g\.|like) [^,;]*", re.IGNORECASE)


class _Named(NamedTuple):
    """Values of one column that a sentence names."""

    domain: Domain
    values: tuple[str, ...]
    negated: bool


def conditions_of(
    said: Sequence[Said], main: str, shows: Sequence[Show], chart: Chart, now: str
) -> tuple[list[Where], list[Having]]:
    """What rows must meet, each by itself and together.

    Args:
        said: What was said of them.
        main: The table that is shown or counted; "" if it is not known yet.
        shows: What is shown.
        chart: The database.
        now: The present time.
    """
    reader = _Reader(main, tuple(shows), chart, now, said)
    heard = {sentence: one for one in reversed(said) for sentence in one.sentences}
    for sentence, one in reversed(heard.items()):
        reader.read(sentence, one)
    return reader.result()


class _Reader:
    """Gathers conditions from one sentence after the other."""

    def __init__(
        self, main: str, shows: tuple[Show, ...], chart: Chart, now: str, said: Sequence[Said]
    ) -> None:
        self._main = main
        self._shows = shows
        self._chart = chart
        self._now = now
        self._whole = " ".join(one.text for one in said)
        self._request = next((one.text for one in said if one.topic == "request"), "")
        self._named: dict[tuple[str, str, bool], _Named] = {}
        self._wheres: list[Where] = []
        self._havings: list[Having] = []
        self._numbers: list[tuple[str, Compared]] = []
        self._periods: list[tuple[str, Period]] = []

    def read(self, sentence: str, said: Said) -> None:
        """Takes up what a sentence says."""
        when = period(_EXAMPLE.sub("", sentence), int(self._now[:4]))
        if when.filters:
            self._periods.append((said.topic, when))
        self._numbers += [(said.topic, one) for one in comparisons(when.rest)]
        exact = next(self._chart.values.quoted(sentence), None)
        all_not = not exact and says("negated", self._before(said.about))
        wanted, unwanted = _set_apart(when.rest)
        for text, negated in ((wanted, all_not), (unwanted, True)):
            for one in self._values(text, defined=said.topic == "defined", negated=negated):
                self._take(one)
        self._wheres += self._missing(when.rest)

    def _take(self, one: _Named) -> None:
        """Takes up values; what is not meant is no news where it is said what is meant."""
        table, column = one.domain.table, one.domain.column
        others = self._named.get((table, column, not one.negated))
        if not (one.negated and others and not set(one.values) & set(others.values)):
            self._named[table, column, one.negated] = one

    def _before(self, about: str) -> str:
        """What the request says before some words, back to the last comma."""
        found = re.search(rf"([^,;.?!]*){re.escape(about)}", self._request, re.IGNORECASE)
        return found[0] if about and found else ""

    def result(self) -> tuple[list[Where], list[Having]]:
        """All conditions."""
        wheres = [*map(self._of_values, _without_taken_back(self._named)), *self._wheres]
        wheres += self._of_events(wheres)
        self._event = self._main or next((where.table for where in wheres), "")
        self._event = next((w.table for w in wheres if w.table != self._main), self._event)
        for topic, one in self._numbers:
            found = self._of_number(one)
            if isinstance(found, Where):
                others = [where for where in wheres if not _same_side(where, found)]
                wheres = [*(others if topic == "change" else wheres), found]
            elif found is not None:
                self._havings = [*([] if topic == "change" else self._havings), found]
        told = [when for topic, when in self._periods if topic == "period"]
        for when in told or [when for _, when in self._periods]:
            wheres += self._of_time(when)
        return list(dict.fromkeys(wheres)), list(dict.fromkeys(self._havings))

    def _values(self, sentence: str, *, defined: bool, negated: bool) -> Iterator[_Named]:
        """The values that a sentence names: quoted ones, or else the best of one column."""
        found: dict[Domain, list[str]] = {}
        for named_so in self._chart.values.quoted(sentence):
            domain = self._best(sentence, dict.fromkeys(named_so, 1.0))
            found.setdefault(domain, []).append(named_so[domain])
        if not found and not defined and not says("percent", sentence):
            found = self._in_other_words(sentence)
        for domain, values in found.items():
            yield _Named(domain, tuple(dict.fromkeys(values)), negated)

    def _in_other_words(self, sentence: str) -> dict[Domain, list[str]]:
        """What the parts of a sentence name in the one column that fits them best."""
        parts = list(self._chart.values.matches(sentence, self._chart.common_words))
        fits: dict[Domain, float] = defaultdict(float)
        for part in parts:
            for domain, match in part.items():
                if match.fit >= self._least(match):
                    fits[domain] += match.fit * match.weight
        if not fits:
            return {}
        best = self._best(sentence, fits)
        those = [part[best] for part in parts if best in part]
        return {best: [one.value for one in those if one.fit >= _PART]}

    def _least(self, match: Match) -> float:
        """How much of a value's name has to be said; of one word elsewhere, all is too little."""
        domain = match.domain
        if self._chart.table_names.get(domain.table) == domain.column:
            return inf
        if self._is_near(domain):
            return _PART
        is_dictionary = bool(self._event_table(domain)[1])
        return inf if is_dictionary and " " not in match.value else _WHOLE

    def _is_near(self, domain: Domain) -> bool:
        table = self._event_table(domain)[0]
        hinted = listed("events", "table", self._whole)
        return table == self._main or any(re.search(pattern, table) for pattern in hinted)

    def _best(self, sentence: str, fits: Mapping[Domain, float]) -> Domain:
        """The column that a value is meant to be of."""
        clause = re.split(r"[,.;:\"“']", sentence)[0]
        called = self._chart.linked(" ".join(clause.split()[-6:]), ("text",)) if clause else None

        def worth(domain: Domain) -> tuple[bool, bool, bool, float]:
            return (
                called is not None and (called.table, called.name) == (domain.table, domain.column),
                self._event_table(domain)[0] == self._main,
                self._is_near(domain),
                fits[domain],
            )

        return max(fits, key=worth)

    def _event_table(self, domain: Domain) -> tuple[str, str]:
        """The table that rows with a value are in, and the key to a dictionary ("" for none)."""
        events = self._chart.events_of(domain.table)
        named_so = [event for event in events if event[0] in {table for _, table in domain.where}]
        return next(iter([*named_so, *events]), (domain.table, ""))

    def _of_values(self, one: _Named) -> Where:
        table, key = self._event_table(one.domain)
        column = f"{one.domain.table}.{one.domain.column}"
        values = ", ".join(map(quote_text, one.values))
        among = f"{column} {'NOT ' if one.negated else ''}IN ({values})"
        if key:
            keys = exp.select(f"{one.domain.table}.{key}").from_(one.domain.table)
            meant = keys.where(f"{column} IN ({values})", dialect=DIALECT).sql(DIALECT)
            return Where(table, f"{table}.{key} IN ({meant})", one.negated)
        return Where(table, among)

    def _of_events(self, wheres: Sequence[Where]) -> Iterator[Where]:
        """Where the main table's rows are of events of other tables: of which ones."""
        column = self._chart.table_names.get(self._main, "")
        told = any(where.sql.startswith(f"{self._main}.{column} ") for where in wheres)
        if column and not told:
            hinted = list(listed("events", "table", self._request))
            tables = {one.table for one in self._chart.columns if one.table != self._main}
            meant = sorted(t for t in tables if any(re.search(hint, t) for hint in hinted))
            for table in meant:
                sql = f"{self._main}.{column} = {quote_text(table)}"
                yield from [Where(self._main, sql)] if self._occurs(table) else []

    def _occurs(self, table: str) -> bool:
        """Whether the main table has rows of another table's events."""
        named_so = self._chart.values.quoted(f"'{table}'")
        return any(domain.table == self._main for found in named_so for domain in found)

    def _missing(self, sentence: str) -> Iterator[Where]:
        found = _STATE.search(sentence)
        if found and "that" not in found[1].split():
            column = self._chart.linked(found[1])
            if column is not None:
                state = "IS NOT NULL" if found[2] in ("known", "recorded") else "IS NULL"
                yield Where(column.table, f"{column.sql} {state}")

    def _of_number(self, one: Compared) -> Where | Having | None:
        if one.unit and one.unit != "year":
            return self._duration(one)
        quality = named("qualities", f"{one.said} {one.of} {one.before}")
        if quality == "age":
            return self._row(self._chart.linked("age", ("whole", "number")), one)
        counted = self._counted(one)
        if counted is not None:
            return counted
        column = self._number_column(one, quality)
        if column is None:
            return None
        if says_all(one.words) and self._key():
            key = self._key()
            return Having(column.table, key, f"SUM({column.sql}) {one.by} {one.number}")
        return self._row(column, one)

    @staticmethod
    def _row(column: Column | None, one: Compared) -> Where | None:
        return Where(column.table, f"{column.sql} {one.by} {one.number}") if column else None

    def _number_column(self, one: Compared, quality: str) -> Column | None:
        """The column of numbers that a comparison is about."""
        shown = [
            s.column for s in self._shows if s.gathers and s.column and s.column.kind == "number"
        ]
        own = [c for c in self._chart.of(self._event) if c.kind == "number"]
        phrase = " ".join(one.before.split()[-4:])
        called = self._chart.linked(phrase, ("number", "whole")) if phrase else None
        if quality:
            called = self._chart.linked(quality, ("number",)) or called
        if self._event and self._event != self._main and own:
            return own[0]
        return (called if called and not called.is_key else None) or next(
            iter((*shown, *own)), None
        )

    def _counted(self, one: Compared) -> Having | None:
        """How many of something there must be."""
        of = re.sub(r"\b(?:different|distinct)\b", " ", one.of)
        if not of.strip():
            return None
        thing = next(thing_keys(of, self._chart), "")
        key = self._key(one.words, thing)
        if thing:
            counted = f"COUNT(*) {one.by} {one.number}"
            return Having(self._chart.home(thing), key, counted) if key else None
        column = self._chart.linked(of, ("text",))
        if column is None:
            return None
        what = f"DISTINCT {column.sql}" if says("different", one.of) else "*"
        return Having(column.table, key, f"COUNT({what}) {one.by} {one.number}") if key else None

    def _key(self, text: str = "", other: str = "") -> str:
        """The key of what is shown or counted, or of what a text says that it is of."""
        per = re.search(
            r"\b(?:in|per|of|for|within) (?:one|each|a|an|the same|every) ([\w ]+)", text
        )
        found = next(thing_keys(per[1], self._chart), "") if per else ""
        keys = [show.column.name for show in self._shows if show.column and show.column.is_key]
        things = [*thing_keys(text, self._chart), *thing_keys(self._whole, self._chart)]
        return next((key for key in (found, *keys, *things) if key and key != other), "")

    def _duration(self, one: Compared) -> Where | None:
        """How long something took."""
        for table in (self._main, *self._durable(one)):
            if ends := self._chart.ends(table):
                length = f"{ends[1].sql} - {ends[0].sql}"
                return Where(table, f"{length} {one.by} INTERVAL '{one.number} {one.unit}'")
        return None

    def _durable(self, one: Compared) -> Iterator[str]:
        for text in (one.words, self._whole):
            for key in thing_keys(text, self._chart):
                yield self._chart.home(key)

    def _of_time(self, when: Period) -> Iterator[Where]:
        column = self._time_column(when.rest)
        if column is not None:
            now = datetime.fromisoformat(self._now)
            for sql in when.on(column.sql):
                yield Where(column.table, with_current_time(sql, now))

    def _time_column(self, rest: str) -> Column | None:
        """The column of time that a sentence with a period is about."""
        is_home = any(self._chart.home(c.name) == self._main for c in self._chart.of(self._main))
        both = (self._event, self._main) if is_home else (self._main, self._event)
        here = [table for table in both if self._times_of(table)]
        key = next(thing_keys(rest, self._chart), "")
        if key and self._times_of(self._chart.home(key)) and says("started", rest):
            here = [self._chart.home(key)]
        table = next(iter(here), "") or self._chart.home(self._key())
        times = self._times_of(table)
        if not times:
            return None
        tells = rest if says("started", rest) or says("ended", rest) else self._request
        return times[-1] if len(times) > 1 and says("ended", tells) else times[0]

    def _times_of(self, table: str) -> list[Column]:
        return [column for column in self._chart.of(table) if column.kind == "time"]


def _set_apart(sentence: str) -> tuple[str, str]:
    """What a sentence says that is meant, and what is not.

    >>> _set_apart("Warfarin or enoxaparin, not heparin.")
    ('Warfarin or enoxaparin, ', 'not heparin.')
    """
    found = re.search(wording()["phrases"]["negated"], sentence, re.IGNORECASE)
    return (sentence[: found.start()], sentence[found.start() :]) if found else (sentence, "")


def _same_side(one: Where, other: Where) -> bool:
    """Whether two comparisons are of the same with something."""
    left, right = (re.split(r" (?:[<>]=?|=) ", where.sql)[0] for where in (one, other))
    return left == right and one.sql != left


def _without_taken_back(named_so: Mapping[tuple[str, str, bool], _Named]) -> Iterator[_Named]:
    """The values, without those of a column that were named before and are no more meant."""
    for (table, column, negated), one in named_so.items():
        other = named_so.get((table, column, not negated))
        shared = set(one.values) & set(other.values if other else ())
        left = tuple(value for value in one.values if value not in shared)
        if left or not shared:
            yield one._replace(values=left)


def says_all(text: str) -> bool:
    """Whether a sum is meant."""
    return named("aggregates", text) == "SUM"
