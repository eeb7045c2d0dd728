"""The pieces of a form's SQL about a kind of event of all persons: its table joined with theirs."""
# Its SQL is made of the packaged files alone; values are never part of it.
# ruff: noqa: S608

from dataclasses import dataclass

from wardround.authoring.ehrsql.templates.records import Event, Records
from wardround.authoring.ehrsql.templates.stays import ALWAYS, Times, same_visit


@dataclass(frozen=True)
class JoinedSql:
    """An event's table joined with that of its person, under a question's time templates.

    Attributes:
        named: The condition that it is the event named.
    """

    records: Records
    event: Event
    times: Times
    named: str

    def __str__(self) -> str:
        home = self.records.home
        if self.event.table == home.table:
            return home.table
        at_home = f"{self.event.table}.{home.key}"
        return f"{self.event.table} JOIN {home.table} ON {at_home} = {home.table}.{home.key}"

    @property
    def row(self) -> str:
        """The columns that compare events of a person: the person, the time, the stay."""
        return self._row("")

    @property
    def row_with_codes(self) -> str:
        """The same columns with the event's codes."""
        return self._row(self._codes)

    @property
    def first(self) -> str:
        """A select of each person's first time of the event named."""
        return self._extreme("MIN", "", self.named)

    @property
    def last(self) -> str:
        """A select of each person's last time of the event named."""
        return self._extreme("MAX", "", self.named)

    @property
    def first_of_each(self) -> str:
        """A select of each person's first time of each thing that happened."""
        return self._extreme("MIN", self._codes, ALWAYS)

    @property
    def ranked(self) -> str:
        """A select of the events named, with their rank in time among the person's: c1."""
        rank = f"PARTITION BY {self._person} ORDER BY {self._time}"
        columns = f"{self.row}, DENSE_RANK() OVER ({rank}) AS c1"
        return f"SELECT {columns} FROM {self} WHERE {self.named}"

    def _extreme(self, function: str, codes: str, rows: str) -> str:
        whose = ", ".join(part for part in (self._person, codes) if part)
        extreme = f"{function}({self._time}) AS {self.event.time}"
        return f"SELECT {whose}, {extreme} FROM {self} WHERE {rows} GROUP BY {whose}"

    def _row(self, codes: str) -> str:
        home = self.records.home
        stay = f"{home.table}.{home.stay}" if same_visit(self.times) else ""
        return ", ".join(part for part in (self._person, codes, self._time, stay) if part)

    @property
    def _person(self) -> str:
        return f"{self.records.home.table}.{self.records.home.person}"

    @property
    def _time(self) -> str:
        return f"{self.event.table}.{self.event.time}"

    @property
    def _codes(self) -> str:
        return ", ".join(f"{self.event.table}.{code}" for code in self.event.codes)
