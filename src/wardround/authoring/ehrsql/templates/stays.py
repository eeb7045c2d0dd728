"""The pieces of SQL about a patient's stays, and about the times that a question names."""
# Its SQL is made of the packaged files alone; values are never part of it.
# ruff: noqa: S608

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from wardround.authoring.ehrsql.templates.records import Records, Stays
from wardround.ehr.times import TimeFilter, TimeTemplate, row_choice, visit_choice
from wardround.ehr.times.model import Rank, SameVisit, Visit

# A condition that is always true; dialects.py removes it.
ALWAYS = "TRUE"

Times = Mapping[str, TimeTemplate]


@dataclass(frozen=True)
class StaySql:
    """The hospital stays or the unit stays, under a question's time templates."""

    stays: Stays
    records: Records
    times: Times

    def __str__(self) -> str:
        return self.stays.table

    @property
    def parent(self) -> str:
        """The column of its person, or of its hospital stay."""
        return f"{self}.{self.stays.parent}"

    @property
    def start(self) -> str:
        """The column of its beginning."""
        return f"{self}.{self.stays.start}"

    @property
    def end(self) -> str:
        """The column of its end, which is empty while it lasts."""
        return f"{self}.{self.stays.end}"

    @property
    def begun_in_time(self) -> str:
        """The time filter on its beginning."""
        return on_time("global1", self.start, self.times)

    @property
    def ended_in_time(self) -> str:
        """The time filter on its end."""
        return on_time("global1", self.end, self.times)

    @property
    def of_patient(self) -> str:
        """Conditions on the patient and the visit; ends the select."""
        visit = self.times.get("global1")
        if self.stays == self.records.stays:
            return f"{self.parent} = VALUE(patient_id){visit_of(self.stays, visit, 'hospital')}"
        stays = stays_of_patient(self.records, None)
        return f"{self.parent} IN ({stays}){visit_of(self.stays, visit, 'icu')}"

    @property
    def exact(self) -> str:
        """ORDER BY and LIMIT that pick one stay by its beginning; ends the select."""
        return f" {order_of(self.times['exact1'], self.start)}"


def stays_of_patient(records: Records, visit: TimeTemplate | None) -> str:
    """A select of the patient's hospital stays: all of them, or the one meant."""
    stays = records.stays
    chosen = visit_of(stays, visit, "hospital")
    return (
        f"SELECT {stays.table}.{stays.key} FROM {stays.table} "
        f"WHERE {stays.table}.{stays.parent} = VALUE(patient_id){chosen}"
    )


def visit_of(stays: Stays, template: TimeTemplate | None, kind: Literal["hospital", "icu"]) -> str:
    """The end of a select of stays that picks the visit meant; "" if none is."""
    if template is None or not isinstance(template.meaning, Visit):
        return ""
    if template.meaning.stay != kind:
        return ""
    columns = (f"{stays.table}.{stays.start}", f"{stays.table}.{stays.end}")
    where, order = visit_choice(TimeFilter(template), *columns, "sqlite")
    return f" AND {where} {order}".rstrip()


def order_of(template: TimeTemplate, column: str) -> str:
    """ORDER BY and LIMIT of an exact time that is a rank, or ""."""
    if not isinstance(template.meaning, Rank):
        return ""
    return row_choice(TimeFilter(template), column, "sqlite").order


def on_time(slot: str, column: str, times: Times) -> str:
    """The time filter of a slot as a condition on a column, where it is one."""
    template = times.get(slot)
    if template is None or isinstance(template.meaning, Visit):
        return ALWAYS
    return f"AT_TIME({slot}, {column})"


def between(times: Times, first: str, second: str, stay: str) -> str:
    """The `within` filter between the times of two derived tables.

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
    """True if two events must be of one hospital visit."""
    return "within" in times and isinstance(times["within"].meaning, SameVisit)
