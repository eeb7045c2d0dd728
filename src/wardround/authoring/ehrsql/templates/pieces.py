"""The pieces that a form's SQL is put together from: an event of a schema, seen under time filters.

A form is a `str.format` text, and `{e.of_patient}` in it is a property of `EventSql`. Values are
left as `VALUE(slot)`, times with values as `AT_TIME(slot, column)` and
`BETWEEN_TIMES(slot, one, other)`, and where rows of one time are told apart, `TIED(column)`.
"""
# Its SQL is made of the packaged files alone; values are never part of it.
# ruff: noqa: S608

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from wardround.authoring.ehrsql.templates.joined import JoinedSql
from wardround.authoring.ehrsql.templates.records import Dictionary, Event, Records
from wardround.authoring.ehrsql.templates.stays import (
    ALWAYS,
    Times,
    on_time,
    order_of,
    stays_of_patient,
    visit_of,
)
from wardround.ehr.times.model import Moment


@dataclass(frozen=True)
class By:
    """A piece for each slot, `{e.named[drug_name2]}`, and for the usual one, `{e.named}`."""

    piece: Callable[[str], str]
    usual: str = ""

    def __getitem__(self, slot: str) -> str:
        return self.piece(slot)

    def __str__(self) -> str:
        return self.piece(self.usual)


@dataclass(frozen=True)
class EventSql:
    """One of a question's events, with the question's time templates by slot.

    Attributes:
        slot: The question's slot for its name, where it is not the event's own.
        vital_sign: The name of the vital sign asked for, where there is one.
    """

    records: Records
    event: Event
    times: Times
    slot: str = ""
    vital_sign: str = ""

    def __str__(self) -> str:
        return self.event.table

    # Its columns.

    @property
    def when(self) -> str:
        """The bare name of the time column."""
        return self.event.time

    @property
    def id(self) -> str:
        """The row's identifier."""
        return self._column(self.event.id)

    @property
    def key(self) -> str:
        """The column of its person, hospital stay or unit stay."""
        return self._column(self.event.key)

    @property
    def time(self) -> str:
        """The time column."""
        return self._column(self.event.time)

    @property
    def value(self) -> str:
        """The column measured: of a vital sign, where each has its own, that one."""
        signs = self.records.vital_signs
        own = signs[self.vital_sign].column if self.vital_sign in signs else ""
        return self._column(self.event.value or own)

    @property
    def route(self) -> str:
        """The column of a drug's route."""
        return self._column(self.event.route)

    @property
    def dose(self) -> str:
        """The column of a drug's dose, as text."""
        return self._column(self.event.dose)

    @property
    def organism(self) -> str:
        """The column of the organism that grew."""
        return self._column(self.event.organism)

    @property
    def codes(self) -> str:
        """The columns of the event's codes."""
        return ", ".join(self._column(code) for code in self.event.codes)

    @property
    def codes_of(self) -> By:
        """The same columns of a derived table: `{e.codes_of[t1]}`."""
        return By(lambda alias: ", ".join(f"{alias}.{code}" for code in self.event.codes))

    @property
    def normal_range(self) -> str:
        """The normal range, by the names that stand for its ends until they are filled in."""
        name = self.records.vital_signs[self.vital_sign].range
        return f"{name}_lower AND {name}_upper"

    # Conditions on its rows.

    @property
    def kind(self) -> str:
        """The condition that a row of the table is this kind of event."""
        return self.event.where or ALWAYS

    @property
    def any(self) -> str:
        """The condition that a row has a code, for questions that do not name one."""
        return f"{self.kind} AND {self.event.present or ALWAYS}"

    @property
    def named(self) -> By:
        """The condition that a row is the event named."""
        return By(self._named, self.slot or self.event.slot)

    @property
    def of_patient(self) -> By:
        """The condition on the patient and the visit."""
        return By(self._of_patient, "global1")

    @property
    def in_time(self) -> By:
        """The time filter, where it is about the event's time."""
        column = self._column(self.event.filtered_by or self.event.time)
        return By(lambda slot: on_time(slot, column, self.times), "global1")

    @property
    def of_age(self) -> str:
        """The condition on a person's age up to the comparison; a closing bracket must follow."""
        home = self.records.home
        at_home = self._column(home.key)
        return f"{at_home} IN (SELECT {home.table}.{home.key} FROM {home.table} WHERE"

    # Ends of a select.

    @property
    def exact(self) -> str:
        """The condition, or the order, that picks the row of the exact time."""
        return self._exact("exact1")

    @property
    def rank(self) -> str:
        """The order, without ORDER BY, of the exact time among rows of equal rank."""
        return self._order("exact1").removeprefix("ORDER BY ")

    @property
    def rank_of_t1(self) -> str:
        """The same order for an event that is the derived table t1."""
        if "exact1" not in self.times:
            return ""
        return order_of(self.times["exact1"], f"t1.{self.when}").removeprefix("ORDER BY ")

    # Whole selects.

    @property
    def open(self) -> str:
        """The text before a select of codes that turns them into names."""
        if (words := self.event.dictionary) is None:
            return ""
        codes = _row(f"{words.table}.{code}" for code in self.event.codes)
        return f"SELECT {words.table}.{words.label} FROM {words.table} WHERE {codes} IN ("

    @property
    def close(self) -> str:
        """The text after that select."""
        return ")" if self.event.dictionary else ""

    @property
    def measured(self) -> By:
        """A select of the value at one of two exact times: `{e.measured[2]}`."""
        return By(self._measured)

    @property
    def joined(self) -> JoinedSql:
        """The event's table joined with that of its persons."""
        return JoinedSql(self.records, self.event, self.times, str(self.named))

    @property
    def stays_with(self) -> str:
        """A select of the hospital stays that have the event named."""
        rows = f"SELECT {self.key} FROM {self} WHERE {self.kind} AND {self.named}"
        return rows if self.event.on == "stay" else self._stays_of_units(rows)

    @property
    def home_with(self) -> str:
        """The condition on the table of persons that they have the event named, in the time."""
        home, on_stay = self.records.home, self.event.on == "stay"
        conditions = f"{self.kind} AND {self.named} AND {self.in_time}"
        rows = f"SELECT {self.key} FROM {self} WHERE {conditions}"
        if not on_stay and self.event.key != home.key:
            rows = self._stays_of_units(rows)
        return f"{home.table}.{home.stay if on_stay else home.key} IN ({rows})"

    def _named(self, slot: str) -> str:
        words = self.event.dictionary
        wanted = f"'{self.event.name}'" if self.event.name else f"VALUE({slot})"
        if words:
            codes = _row(self._column(code) for code in self.event.codes)
            return f"{codes} IN ({self._coded(words, wanted)})"
        return f"{self.codes} = {wanted}" if self.event.codes else f"{self.value} IS NOT NULL"

    def _coded(self, words: Dictionary, wanted: str) -> str:
        codes = ", ".join(f"{words.table}.{code}" for code in self.event.codes)
        named = f"{words.table}.{words.label} = {wanted} AND {words.where or ALWAYS}"
        return f"SELECT {codes} FROM {words.table} WHERE {named}"

    def _of_patient(self, slot: str) -> str:
        visit = self.times.get(slot)
        stays = stays_of_patient(self.records, visit)
        match self.event.on:
            case "person":
                chosen = f"{self}.{self.records.stays.key} IN ({stays})"
                every = stays == stays_of_patient(self.records, None)
                return f"{self.key} = VALUE(patient_id) AND {ALWAYS if every else chosen}"
            case "stay":
                return f"{self.key} IN ({stays})"
            case "unit":
                units = self.records.units
                chosen = visit_of(units, visit, "icu")
                return (
                    f"{self.key} IN (SELECT {units.table}.{units.key} FROM {units.table} "
                    f"WHERE {units.table}.{units.parent} IN ({stays}){chosen})"
                )

    def _measured(self, number: str) -> str:
        whose, when = self.of_patient[f"global{number}"], self.in_time[f"global{number}"]
        return (
            f"SELECT {self.value} FROM {self} WHERE {whose} AND {self.kind} AND {self.named} "
            f"AND {when}{self._exact(f'exact{number}')}"
        )

    def _exact(self, slot: str) -> str:
        if isinstance(self.times[slot].meaning, Moment):
            return f" AND AT_TIME({slot}, {self.time})"
        return f" {self._order(slot)}"

    def _order(self, slot: str) -> str:
        order = order_of(self.times[slot], self.time)
        return order.replace(" LIMIT", f", TIED({self.id}) LIMIT")

    def _stays_of_units(self, rows: str) -> str:
        units = self.records.units
        return (
            f"SELECT {units.table}.{units.parent} FROM {units.table} "
            f"WHERE {units.table}.{units.key} IN ({rows})"
        )

    def _column(self, name: str) -> str:
        return f"{self.event.table}.{name}"


def _row(columns: Iterable[str]) -> str:
    names = list(columns)
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
