"""The pieces that a form's SQL is put together from: an event of a schema, seen under time filters.

A form is a `str.format` text; `{e.of_patient}` in it is a property of `Seen` here. Values are left
as `VALUE(slot)`, times with values as `AT_TIME(slot, column)` and `BETWEEN_TIMES(slot, one, other)`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from wardround.benchmarks.ehrsql.build.records import Dictionary, Event, Records, Stays
from wardround.ehr.times import Choice, TimeFilter, TimeTemplate, chosen_row, chosen_visit
from wardround.ehr.times.model import Moment, Rank, SameVisit, Visit

# A condition that says nothing; it is taken out again (see dialects.py).
ALWAYS = "TRUE"

Times = Mapping[str, TimeTemplate]
Ties = Literal["", "ASC", "DESC"]


@dataclass(frozen=True)
class Seen:
    """One of a question's events, with the question's time templates by slot.

    Attributes:
        slot: The question's slot for its name, where it is not the event's own.
        vital_sign: The name of the vital sign asked for, where there is one.
        ties: How rows of one time are ordered: as the engine likes, or by the row's identifier.
    """

    records: Records
    event: Event
    times: Times
    slot: str = ""
    vital_sign: str = ""
    ties: Ties = ""

    def __str__(self) -> str:
        return self.event.table

    @property
    def when(self) -> str:
        """The bare name of the time column."""
        return self.event.time

    @property
    def id(self) -> str:
        return self._column(self.event.id)

    @property
    def key(self) -> str:
        return self._column(self.event.key)

    @property
    def time(self) -> str:
        return self._column(self.event.time)

    @property
    def value(self) -> str:
        """The column measured: of a vital sign, where each has its own, that one."""
        signs = self.records.vital_signs
        own = signs[self.vital_sign].column if self.vital_sign in signs else ""
        return self._column(self.event.value or own)

    @property
    def normal_range(self) -> str:
        """The normal range, by the names that stand for its ends until they are filled in."""
        name = self.records.vital_signs[self.vital_sign].range
        return f"{name}_lower AND {name}_upper"

    @property
    def route(self) -> str:
        return self._column(self.event.route)

    @property
    def dose(self) -> str:
        return self._column(self.event.dose)

    @property
    def organism(self) -> str:
        return self._column(self.event.organism)

    @property
    def kind(self) -> str:
        """What makes a row of the table this kind of event."""
        return self.event.where or ALWAYS

    @property
    def any(self) -> str:
        """What makes a row one that says what happened, where its name is not asked for."""
        return f"{self.kind} AND {self.event.present or ALWAYS}"

    @cached_property
    def named(self) -> "Named":
        """The condition that it is the one named; `{e.named[slot]}` where another slot names it."""
        return Named(self)

    @property
    def codes(self) -> str:
        return ", ".join(self._column(code) for code in self.event.codes)

    @cached_property
    def codes_of(self) -> "CodesOf":
        """The columns that say what happened, of a derived table: `{e.codes_of[t1]}`."""
        return CodesOf(self)

    @property
    def open(self) -> str:
        """What stands before a select of codes to make names of them."""
        if (words := self.event.dictionary) is None:
            return ""
        codes = _row(f"{words.table}.{code}" for code in self.event.codes)
        return f"SELECT {words.table}.{words.label} FROM {words.table} WHERE {codes} IN ("

    @property
    def close(self) -> str:
        return ")" if self.event.dictionary else ""

    @property
    def of_patient(self) -> str:
        """Whose it is, and on which visit."""
        return self.of_patient_on["global1"]

    @cached_property
    def of_patient_on(self) -> "OfPatient":
        """Whose it is, and on which visit, the visit of any slot."""
        return OfPatient(self)

    @property
    def in_time(self) -> str:
        return self.in_time_of["global1"]

    @cached_property
    def in_time_of(self) -> "InTime":
        """The time filter of any slot, where it is about the event's time."""
        return InTime(self)

    @property
    def exact(self) -> str:
        """What picks the row of the exact time; it ends the select."""
        return self._exact("exact1")

    @property
    def rank(self) -> str:
        """What follows ORDER BY to pick the row of the exact time among rows of equal rank."""
        return self._order("exact1").removeprefix("ORDER BY ")

    @property
    def rank_of_t1(self) -> str:
        """The same where the event is the derived table t1."""
        if "exact1" not in self.times:
            return ""
        order = _choice(self.times["exact1"], f"t1.{self.when}").order
        return order.removeprefix("ORDER BY ")

    @cached_property
    def measured(self) -> "Measured":
        """The value at one of two exact times: `{e.measured[2]}`."""
        return Measured(self)

    @property
    def of_age(self) -> str:
        """Up to the age's comparison: of whom; a closing bracket is to follow."""
        home = self.records.home
        return f"{self._at_home} IN (SELECT {home.table}.{home.key} FROM {home.table} WHERE"

    @property
    def with_home(self) -> str:
        """The table joined with that of its person."""
        home = self.records.home
        if self.event.table == home.table:
            return home.table
        return f"{self} JOIN {home.table} ON {self._at_home} = {home.table}.{home.key}"

    @property
    def row(self) -> str:
        """What is selected to compare events of a person: whose, when, in which stay."""
        return self._row("")

    @property
    def row_with_codes(self) -> str:
        return self._row(self.codes)

    @property
    def first(self) -> str:
        """A select of each person's first time of the event named."""
        return self._extreme("MIN", "", str(self.named))

    @property
    def last(self) -> str:
        """A select of each person's last time of the event named."""
        return self._extreme("MAX", "", str(self.named))

    @property
    def first_of_each(self) -> str:
        """A select of each person's first time of each thing that happened."""
        return self._extreme("MIN", self.codes, ALWAYS)

    @property
    def ranked(self) -> str:
        """A select of the events named, with their rank in time among the person's: c1."""
        home = self.records.home
        rank = f"PARTITION BY {home.table}.{home.person} ORDER BY {self.time}"
        return (
            f"SELECT {self.row}, DENSE_RANK() OVER ({rank}) AS c1 FROM {self.with_home} "
            f"WHERE {self.named}"
        )

    @property
    def stays_with(self) -> str:
        """A select of the hospital stays that have the event named."""
        return self._stays_with(f"{self.kind} AND {self.named}", "stay")

    @property
    def home_with(self) -> str:
        """The condition on the table of persons that they have the event named, in the time."""
        home = self.records.home
        rows = f"{self.kind} AND {self.named} AND {self.in_time}"
        key = home.stay if self.event.on == "stay" else home.key
        return f"{home.table}.{key} IN ({self._stays_with(rows, 'home')})"

    def _stays_with(self, rows: str, wanted: str) -> str:
        home, units = self.records.home, self.records.units
        inner = f"SELECT {self.key} FROM {self} WHERE {rows}"
        if self.event.on == "stay" or (wanted == "home" and self.event.key == home.key):
            return inner
        return (
            f"SELECT {units.table}.{units.parent} FROM {units.table} "
            f"WHERE {units.table}.{units.key} IN ({inner})"
        )

    def _extreme(self, function: str, codes: str, rows: str) -> str:
        home = self.records.home
        whose = ", ".join(part for part in (f"{home.table}.{home.person}", codes) if part)
        return (
            f"SELECT {whose}, {function}({self.time}) AS {self.when} FROM {self.with_home} "
            f"WHERE {rows} GROUP BY {whose}"
        )

    def _row(self, codes: str) -> str:
        home = self.records.home
        wanted = [f"{home.table}.{home.person}", codes, self.time]
        if same_visit(self.times):
            wanted.append(f"{home.table}.{home.stay}")
        return ", ".join(column for column in wanted if column)

    def _exact(self, slot: str) -> str:
        if isinstance(self.times[slot].meaning, Moment):
            return f" AND AT_TIME({slot}, {self.time})"
        return f" {self._order(slot)}"

    def _order(self, slot: str) -> str:
        order = _choice(self.times[slot], self.time).order
        return order.replace(" LIMIT", f", {self.id} {self.ties} LIMIT") if self.ties else order

    @property
    def _at_home(self) -> str:
        return self._column(self.records.home.key)

    def _column(self, name: str) -> str:
        return f"{self.event.table}.{name}"


@dataclass(frozen=True)
class Named:
    """See `Seen.named`."""

    seen: Seen

    def __str__(self) -> str:
        return self[self.seen.slot or self.seen.event.slot]

    def __getitem__(self, slot: str) -> str:
        seen, words = self.seen, self.seen.event.dictionary
        wanted = f"'{seen.event.name}'" if seen.event.name else f"VALUE({slot})"
        if words:
            return f"{_row(seen.codes.split(', '))} IN ({self._coded(words, wanted)})"
        if seen.event.codes:
            return f"{seen.codes} = {wanted}"
        return f"{seen.value} IS NOT NULL"

    def _coded(self, words: Dictionary, wanted: str) -> str:
        codes = ", ".join(f"{words.table}.{code}" for code in self.seen.event.codes)
        kind = f" AND {words.where}" if words.where else ""
        return (
            f"SELECT {codes} FROM {words.table} WHERE {words.table}.{words.label} = {wanted}{kind}"
        )


@dataclass(frozen=True)
class CodesOf:
    """See `Seen.codes_of`."""

    seen: Seen

    def __getitem__(self, alias: str) -> str:
        return ", ".join(f"{alias}.{code}" for code in self.seen.event.codes)


@dataclass(frozen=True)
class OfPatient:
    """See `Seen.of_patient_on`."""

    seen: Seen

    def __getitem__(self, slot: str) -> str:
        records, event = self.seen.records, self.seen.event
        visit = self.seen.times.get(slot)
        stays = stays_of_patient(records, visit)
        if event.on == "person":
            chosen = f" AND {event.table}.{records.stays.key} IN ({stays})"
            named = stays != stays_of_patient(records, None)
            return f"{self.seen.key} = VALUE(patient_id){chosen if named else ''}"
        if event.on == "stay":
            return f"{self.seen.key} IN ({stays})"
        units = records.units
        wanted = f"{units.table}.{units.parent} IN ({stays}){_visit(units, visit, 'icu')}"
        return (
            f"{self.seen.key} IN (SELECT {units.table}.{units.key} FROM {units.table} "
            f"WHERE {wanted})"
        )


@dataclass(frozen=True)
class InTime:
    """See `Seen.in_time_of`."""

    seen: Seen

    def __getitem__(self, slot: str) -> str:
        event = self.seen.event
        return on_time(slot, f"{event.table}.{event.filtered_by or event.time}", self.seen.times)


@dataclass(frozen=True)
class Measured:
    """See `Seen.measured`."""

    seen: Seen

    def __getitem__(self, number: str) -> str:
        seen, slot = self.seen, f"global{number}"
        return (
            f"SELECT {seen.value} FROM {seen} WHERE {seen.of_patient_on[slot]} AND {seen.kind} "
            f"AND {seen.named} AND {seen.in_time_of[slot]}{seen._exact(f'exact{number}')}"
        )


@dataclass(frozen=True)
class SeenStays:
    """The hospital or unit stays, with a question's time templates."""

    stays: Stays
    records: Records
    times: Times = field(default_factory=dict)

    def __str__(self) -> str:
        return self.stays.table

    @property
    def key(self) -> str:
        return f"{self}.{self.stays.key}"

    @property
    def parent(self) -> str:
        return f"{self}.{self.stays.parent}"

    @property
    def start(self) -> str:
        return f"{self}.{self.stays.start}"

    @property
    def end(self) -> str:
        return f"{self}.{self.stays.end}"

    @property
    def of_patient(self) -> str:
        """Whose stay, and which of them; it ends the select."""
        visit = self.times.get("global1")
        if self.stays == self.records.stays:
            return f"{self.parent} = VALUE(patient_id){_visit(self.stays, visit, 'hospital')}"
        stays = stays_of_patient(self.records, None)
        return f"{self.parent} IN ({stays}){_visit(self.stays, visit, 'icu')}"

    @property
    def exact(self) -> str:
        """What picks one of them by its beginning; it ends the select."""
        return f" {_choice(self.times['exact1'], self.start).order}"

    @property
    def begun_in_time(self) -> str:
        return on_time("global1", self.start, self.times)

    @property
    def ended_in_time(self) -> str:
        return on_time("global1", self.end, self.times)


def stays_of_patient(records: Records, visit: TimeTemplate | None) -> str:
    """A select of the patient's hospital stays: all of them, or the one meant."""
    stays = records.stays
    chosen = _visit(stays, visit, "hospital")
    return (
        f"SELECT {stays.table}.{stays.key} FROM {stays.table} "
        f"WHERE {stays.table}.{stays.parent} = VALUE(patient_id){chosen}"
    )


def on_time(slot: str, column: str, times: Times) -> str:
    """The time filter of a slot as a condition on a column, where it is one."""
    template = times.get(slot)
    if template is None or isinstance(template.meaning, Visit):
        return ALWAYS
    return f"AT_TIME({slot}, {column})"


def between(times: Times, first: str, second: str, stay: str) -> str:
    """The `within` filter between the times of the derived tables t1 and t2.

    Args:
        times: The question's time templates by slot.
        first: The time of the one event, with its table.
        second: The time of the other.
        stay: The name of the hospital stay's column in both.
    """
    if "within" not in times:
        return ALWAYS
    if same_visit(times):
        one, other = (column.split(".")[0] for column in (first, second))
        return f"{one}.{stay} = {other}.{stay}"
    return f"BETWEEN_TIMES(within, {first}, {second})"


def same_visit(times: Times) -> bool:
    """Whether two events are to be of one hospital visit."""
    return "within" in times and isinstance(times["within"].meaning, SameVisit)


def _visit(stays: Stays, template: TimeTemplate | None, stay: str) -> str:
    if template is None or not isinstance(template.meaning, Visit):
        return ""
    if template.meaning.stay != stay:
        return ""
    columns = (f"{stays.table}.{stays.start}", f"{stays.table}.{stays.end}")
    where, order = chosen_visit(TimeFilter(template), *columns, "sqlite")
    return f" AND {where} {order}".rstrip()


def _choice(template: TimeTemplate, column: str) -> Choice:
    if not isinstance(template.meaning, Rank):
        return Choice("", "")
    return chosen_row(TimeFilter(template), column, "sqlite")


def _row(columns: Iterable[str]) -> str:
    names = list(columns)
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
